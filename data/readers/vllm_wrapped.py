"""Harnesses around vLLM's serving benchmark: an array of {concurrency, ok, metrics, command}, keys with units."""

from __future__ import annotations

import re

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.serving.labels import field_of_key
from data.readers.serving.options import of_words, put_options
from data.readers.tables.units import TIME_MS

_SECONDS = ("s", "sec")
_OUT_OF_MEMORY = re.compile(r"out of memory|\boom\b", re.I)
_FRACTION = re.compile(r"\b\d+\s*/\s*(\d+)\b")


def _belongs(record: Record) -> bool:
    metrics = record.get("metrics")
    told = isinstance(metrics, dict) and (not metrics or any(field_of_key(str(key))[0] for key in metrics))
    return told and isinstance(record.get("command"), list | str) and ("concurrency" in record or "ok" in record)


def _recognise(content: Content) -> bool:
    found = [item.value for item in content.records if isinstance(item.value, dict) and _belongs(item.value)]
    return any(one["metrics"] for one in found)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "wrapped vLLM serve")
    return Reading(drafts=[_draft(item) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    for key, value in record["metrics"].items():
        _put(draft, str(key), value, f"{item.place}.metrics.{key}")
    draft.put("concurrency", record.get("concurrency"), path=f"{item.place}.concurrency")
    command = record["command"]
    words = command.split() if isinstance(command, str) else command
    put_options(draft, of_words(words), f"{item.place}.command", "stated")
    if any("vllm" in str(word) for word in words[:4]):
        draft.put("engine", "vllm", path=f"{item.place}.command (the client's program)", origin="assumed")
    sent = _FRACTION.search(str(record.get("detail") or ""))
    if sent and "num_requests" not in draft.values:
        draft.put("num_requests", sent[1], path=f"{item.place}.detail", shown=str(record.get("detail")))
    if record.get("ok") is False:
        _failed(draft, record)
    return draft


def _put(draft: Draft, key: str, value: object, path: str) -> None:
    name, unit = field_of_key(key)
    if not name:
        return
    scale = TIME_MS["s"] if name.endswith("_ms") and unit in _SECONDS else 1.0
    draft.put(name, value, path=path, unit=unit or None, scale=scale)


def _failed(draft: Draft, record: Record) -> None:
    """The harness says that the step did not succeed: its figures, if any, are no result."""
    detail = str(record.get("detail") or "no reason given")
    draft.outcome = "oom" if _OUT_OF_MEMORY.search(detail) else "failed"
    draft.warn(draft.outcome if draft.outcome == "oom" else "failed_run", f"the harness reports: {detail[:200]}")


READER = Reader(
    key="vllm_wrapped",
    title="vLLM serve results wrapped by a harness (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine_version", "weight_format", "kv_format", "started_at"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="vllm_wrapped.json",
)
