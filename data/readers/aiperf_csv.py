"""AIPerf's CSV summary: statistics per metric with percentiles rising, single values, devices seen."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.result import Reader
from data.readers.nvidia.sections import ASKS, is_aiperf, read_summary


def _recognise(content: Content) -> bool:
    return is_aiperf(content) is True


READER = Reader(
    key="aiperf_csv",
    title="AIPerf summary (CSV)",
    recognise=_recognise,
    read=read_summary,
    lacks=("model_raw", "concurrency", "request_rate", "hardware unless telemetry", "tp", "engine", "weight_format"),
    asks=ASKS,
    sample="aiperf.csv",
)
