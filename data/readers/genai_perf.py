"""GenAI-Perf's profile_export_genai_perf.json: AIPerf's metric names without its version or completeness marks."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.nvidia.report import is_aiperf, is_report, report_draft


def _belongs(record: Record) -> bool:
    return is_report(record) and not is_aiperf(record)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "GenAI-Perf")
    drafts = [report_draft(item, answers)[0] for item in items]
    return Reading(drafts=drafts, questions=[], skipped=left, notices=[])


READER = Reader(
    key="genai_perf",
    title="GenAI-Perf report (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format", "failed"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="genai_perf.json",
)
