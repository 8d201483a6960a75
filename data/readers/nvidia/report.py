"""One JSON report of AIPerf or GenAI-Perf as a draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question
from data.readers.nvidia.configuration import put_configuration, streams
from data.readers.nvidia.metrics import Metric, put_metrics
from data.readers.nvidia.telemetry import devices_of_report, put_devices
from data.readers.nvidia.token_counts import compare_counts

_AIPERF_MARKS = ("aiperf_version", "schema_version", "was_cancelled", "is_complete", "error_summary", "benchmark_id")


def is_report(record: Record) -> bool:
    """True for a report of either tool: its settings and at least one metric with unit and figures."""
    return isinstance(record.get("input_config"), dict) and any(_is_metric(one) for one in _body(record).values())


def is_aiperf(record: Record) -> bool:
    """True if the report carries a field that only AIPerf writes."""
    return any(mark in record for mark in _AIPERF_MARKS)


def report_draft(item: Located, answers: Answers) -> tuple[Draft, list[Question]]:
    """The run of one report, with the offers that the server's own token count makes."""
    record: Record = item.value if isinstance(item.value, dict) else {}
    body, place = _body(record), item.place if "records" not in record else f"{item.place}.records"
    metrics = {
        key: Metric(unit=str(one.get("unit", "")), place=f"{place}.{key}", statistics=_figures(one))
        for key, one in body.items()
        if _is_metric(one)
    }
    native = {key: one if not _is_metric(one) else _short(one) for key, one in body.items() if key != "telemetry_data"}
    draft = Draft(place=item.place, line=item.line, native=native)
    draft.put("source_tool_version", record.get("aiperf_version"), path=f"{item.place}.aiperf_version")
    put_metrics(draft, metrics)
    put_configuration(draft, record["input_config"], f"{item.place}.input_config")
    draft.put("started_at", record.get("start_time"), path=f"{item.place}.start_time")
    _errors(draft, record, item.place)
    _cancelled(draft, record)
    put_devices(draft, devices_of_report(record.get("telemetry_data") or record.get("telemetry_stats")), item.place)
    questions = compare_counts(draft, metrics, answers)
    if streams(record["input_config"]) is False or "time_to_first_token" not in metrics:
        note_no_streaming(draft)
    return draft, questions


def note_no_streaming(draft: Draft) -> None:
    """Say why the run has no TTFT: the answers were not streamed."""
    if not any(name.startswith("ttft") for name in draft.values):
        draft.put("notes", "not streamed: TTFT and TPOT not measured", path="no first-token metric", origin="derived")


def _body(record: Record) -> Mapping[str, Any]:
    """The mapping that holds the metrics: the report itself, or its `records` in early versions."""
    inner = record.get("records")
    return inner if isinstance(inner, dict) else record


def _is_metric(value: object) -> bool:
    return isinstance(value, dict) and "unit" in value and any(as_number(one) is not None for one in value.values())


def _figures(metric: Mapping[str, Any]) -> dict[str, object]:
    return {key: value for key, value in metric.items() if key != "unit"}


def _short(metric: Mapping[str, Any]) -> dict[str, object]:
    """The metric's unit, mean and median, enough to recognise it by."""
    return {key: metric[key] for key in ("unit", "avg", "p50", "p99") if key in metric}


def _errors(draft: Draft, record: Record, place: str) -> None:
    """Failed requests by kind of error, where no metric counts them."""
    errors = record.get("error_summary")
    counts = (
        [as_number(one.get("count")) for one in errors if isinstance(one, dict)] if isinstance(errors, list) else []
    )
    total = sum(count for count in counts if count is not None)
    if total and "failed" not in draft.values and "num_requests" not in draft.values:
        draft.put("failed", total, path=f"{place}.error_summary: counts, summed", origin="derived")


def _cancelled(draft: Draft, record: Record) -> None:
    if record.get("was_cancelled") is True or record.get("is_complete") is False:
        draft.outcome = "partial" if draft.number("completed") else "failed"
        draft.warn("cancelled", "the benchmark was cancelled before its end: figures are of a part of the load")
