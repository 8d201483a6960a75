"""AIPerf's CSV summary: statistics per metric with percentiles rising, single values, devices seen."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.result import Reader
from data.readers.nvidia.sections import descending, read_summary, statistics_header


def _recognise(content: Content) -> bool:
    found = statistics_header(content)
    return found is not None and not descending(found[1])


READER = Reader(
    key="aiperf_csv",
    title="AIPerf summary (CSV)",
    recognise=_recognise,
    read=read_summary,
    lacks=("model_raw", "concurrency", "request_rate", "hardware unless telemetry", "tp", "engine", "weight_format"),
    asks=(
        "model_raw",
        "concurrency",
        "hardware",
        "device_count",
        "tp",
        "engine",
        "engine_version",
        "weight_format",
        "kv_format",
    ),
    sample="aiperf.csv",
)
