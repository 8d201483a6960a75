"""AIPerf's profile_export_aiperf.json: every metric with its own unit, the load in `input_config`."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.nvidia.report import is_aiperf, is_report, report_draft


def _belongs(record: Record) -> bool:
    return is_report(record) and is_aiperf(record)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "AIPerf")
    read = [report_draft(item, answers) for item in items]
    drafts = [draft for draft, _ in read]
    versions = {draft.text("source_tool_version") for draft in drafts} - {""}
    return Reading(
        drafts=drafts,
        questions=read[0][1] if len(read) == 1 else [],  # an offer is for one run
        skipped=left,
        notices=[],
        tool_version=versions.pop() if len(versions) == 1 else "",
    )


READER = Reader(
    key="aiperf",
    title="AIPerf report (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware unless telemetry", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="aiperf.json",
)
