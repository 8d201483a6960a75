"""SGLang bench_offline_throughput: all requests given to the engine at once, rates over the wall time (JSONL)."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading

_STATED = {
    "successful_requests": "completed",
    "total_latency": "duration_s",
    "total_input_tokens": "total_input_tokens",
    "total_output_tokens": "total_output_tokens",
    "request_throughput": "request_rps",
    "input_throughput": "input_tps",
    "output_throughput": "output_tps",
    "total_throughput": "total_tps",
    "model_path": "model_raw",
}


def _belongs(record: Record) -> bool:
    keys = ("successful_requests", "total_latency", "output_throughput", "total_throughput")
    return all(key in record for key in keys)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "SGLang offline")
    return Reading(drafts=[_draft(item) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    for key, name in _STATED.items():
        draft.put(name, record.get(key), path=f"{item.place}.{key}")
    draft.put("load_mode", "offline", path="all requests are given at once", origin="derived")
    draft.put("engine", "sglang", path="SGLang's own benchmark", origin="derived")
    return draft


READER = Reader(
    key="sglang_offline",
    title="SGLang bench_offline_throughput (JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "device_count", "tp", "engine_version", "weight_format", "ttft", "tpot", "failed"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine_version", "weight_format", "kv_format"),
    sample="sglang_offline.jsonl",
)
