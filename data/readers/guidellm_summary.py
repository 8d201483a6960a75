"""A GuideLLM run flattened to one object by guidellm-results-parser; its suffixes are claims that are checked."""

from __future__ import annotations

from collections.abc import Mapping

from data.readers.guidellm_report.settings import put_settings
from data.readers.guidellm_report.token_times import definition_notice
from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Notice, Reader, Reading
from data.readers.tables.units import TIME_MS

_STATED = {
    "total_requests": "num_requests",
    "successful_requests": "completed",
    "errored_requests": "failed",
    "incomplete_requests": "incomplete",
    "duration": "duration_s",
    "backend_model": "model_raw",
    "prompt_tokens": "isl_nominal",
    "output_tokens": "osl_nominal",
    "throughput_mean_rps": "request_rps",
    "output_tokens_per_second_mean": "output_tps",
    "tokens_per_second_mean": "total_tps",
}
_LATENCIES = {"ttft": "ttft", "itl": "itl", "request_latency": "e2e"}
_STATISTICS = ("mean", "p99")
_PROVES = 0.05  # share within which E2E = TTFT + (tokens - 1) * ITL decides a unit


def _belongs(record: Record) -> bool:
    return "throughput_mean_rps" in record and "request_latency_mean_ms" in record and "successful_requests" in record


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "GuideLLM summary")
    drafts = [_draft(item) for item in items]
    texts = [text for item, draft in zip(items, drafts, strict=True) if (text := _definition(item.value, draft))]
    notices = [Notice(kind="metric_definition", text=text, fields=("tpot_mean_ms",)) for text in texts[:1]]
    return Reading(drafts=drafts, questions=[], skipped=left, notices=notices)


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    for key, name in _STATED.items():
        draft.put(name, record.get(key), path=f"{item.place}.{key}")
    draft.put("started_at", record.get("start_time_readable"), path=f"{item.place}.start_time_readable")
    strategy = {"type_": record.get("strategy"), "rate": record.get("rate"), "streams": record.get("rate")}
    put_settings(draft, {"strategy": strategy}, {}, item.place)
    if "concurrency" not in draft.values and "request_rate" not in draft.values and record.get("strategy") is None:
        put_rate(draft, record.get("rate"), f"{item.place}.rate")
    outputs, requests = draft.number("output_tps"), draft.number("request_rps")
    if outputs is not None and requests:
        draft.derive("osl_mean", outputs / requests, "output tokens/s / requests/s")
    _latencies(draft, record, item.place)
    return draft


def _latencies(draft: Draft, record: Record, place: str) -> None:
    unit = _latency_unit(draft, record)
    for native, family in _LATENCIES.items():
        for statistic in _STATISTICS:
            key = f"{native}_{statistic}_ms"
            scale = TIME_MS[unit] if family == "e2e" else 1.0
            name = f"{family}_{statistic}_ms"
            draft.put(name, record.get(key), path=f"{place}.{key}", unit=unit if family == "e2e" else "ms", scale=scale)
    gap = draft.number("itl_mean_ms")
    draft.derive("tpot_mean_ms", gap, f"{place}.itl_mean_ms: (last - first) / (tokens - 1), weighted by tokens")


def _latency_unit(draft: Draft, record: Record) -> str:
    """The unit of `request_latency_*_ms`: ms as its name claims, or s where TTFT and ITL prove the claim wrong."""
    whole, first, gap = (as_number(record.get(f"{name}_mean_ms")) for name in ("request_latency", "ttft", "itl"))
    length = draft.number("osl_mean", "osl_nominal")
    if whole is None or first is None or gap is None or length is None:
        return "ms"
    expected = first + (length - 1) * gap
    if whole < first and abs(whole * TIME_MS["s"] - expected) <= _PROVES * expected:
        draft.warn(
            "unit_claim",
            f"request_latency_mean_ms is {whole:.4g}, less than TTFT {first:.5g} ms, and "
            f"TTFT + (tokens - 1) * ITL = {expected:.5g} ms: the figure is in seconds, read so",
            "e2e_mean_ms",
        )
        return "s"
    return "ms"


def _definition(record: object, draft: Draft) -> str:
    """What `time_per_output_token_mean_ms` is, told in the shape that the reports have."""
    value = record.get("time_per_output_token_mean_ms") if isinstance(record, Mapping) else None
    metrics = {"time_per_output_token_ms": {"successful": {"mean": value}}}
    return definition_notice(draft, {"metrics": metrics})


READER = Reader(
    key="guidellm_summary",
    title="GuideLLM summary of guidellm-results-parser (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("isl_mean", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="guidellm_summary.json",
)
