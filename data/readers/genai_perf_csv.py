"""GenAI-Perf's CSV summary: statistics per metric with percentiles falling, single values, power per device."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.result import Reader
from data.readers.nvidia.sections import ASKS, is_aiperf, read_summary


def _recognise(content: Content) -> bool:
    return is_aiperf(content) is False


READER = Reader(
    key="genai_perf_csv",
    title="GenAI-Perf summary (CSV)",
    recognise=_recognise,
    read=read_summary,
    lacks=("model_raw", "concurrency", "request_rate", "failed", "duration_s", "hardware", "tp", "engine"),
    asks=ASKS,
    sample="genai_perf.csv",
)
