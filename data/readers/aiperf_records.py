"""AIPerf's profile_export.jsonl: one request a line, pooled into one run."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.records import pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.nvidia.requests import is_request, pool


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and is_request(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, is_request, "AIPerf request")
    draft, questions, skipped = pool(items, answers)
    return Reading(drafts=[draft], questions=questions, skipped=[*left, *skipped], notices=[])


READER = Reader(
    key="aiperf_records",
    title="AIPerf records of single requests (JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "concurrency", "request_rate", "hardware", "device_count", "tp", "engine", "weight_format"),
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
    sample="aiperf_records.jsonl",
)
