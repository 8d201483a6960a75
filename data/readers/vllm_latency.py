"""vLLM `bench latency`, as JSON and as printed: seconds that one whole batch takes, over some iterations."""

from __future__ import annotations

import re

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.fields import latency_names
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, numbers, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.tables.units import TIME_MS

_AVERAGE = re.compile(r"Avg latency: ([\d.]+) seconds")
_PERCENTILE = re.compile(r"(\d+(?:\.\d+)?)% percentile latency: ([\d.]+) seconds")
_KNOWN = frozenset(latency_names("e2e"))


def _belongs(record: Record) -> bool:
    return "avg_latency" in record and ("latencies" in record or "percentiles" in record)


def _any_record(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _recognise(content: Content) -> bool:
    return _any_record(content) or (not content.values and _AVERAGE.search(content.text) is not None)


def _printed(content: Content) -> list[Located]:
    """Every printed result in the shape of the JSON."""
    found: list[Located] = []
    for number, line in enumerate(content.lines, start=1):
        average, share = _AVERAGE.search(line), _PERCENTILE.search(line)
        if average:
            record: dict[str, object] = {"avg_latency": average[1], "percentiles": {}}
            found.append(Located(value=record, place=f"line {number}", line=number))
        elif share and found and isinstance(found[-1].value, dict):
            found[-1].value["percentiles"][share[1]] = share[2]
    return found


def _read(content: Content, answers: Answers) -> Reading:
    if not _any_record(content):
        drafts = [_draft(item, answers) for item in _printed(content)]
        return Reading(drafts=drafts, questions=[], skipped=[], notices=[])
    items, left = pick(content, _belongs, "vLLM latency")
    return Reading(drafts=[_draft(item, answers) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located, answers: Answers) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    figures = {"mean": record.get("avg_latency"), "std": record.get("std_latency")}
    for statistic, value in figures.items():
        _put(draft, statistic, value, f"{item.place}.{'avg' if statistic == 'mean' else 'std'}_latency")
    percentiles = record.get("percentiles")
    for key, value in percentiles.items() if isinstance(percentiles, dict) else ():
        _put(draft, f"p{key}".replace(".", ""), value, f"{item.place}.percentiles.{key}")
    repeats = numbers(record.get("latencies"))
    if repeats:
        draft.derive("e2e_min_ms", min(repeats) * TIME_MS["s"], f"least of {item.place}.latencies")
        draft.derive("e2e_max_ms", max(repeats) * TIME_MS["s"], f"largest of {item.place}.latencies")
    draft.put("engine", "vllm", path="vLLM runs in the benchmark itself", origin="derived")
    draft.put("load_mode", "batch", path="one whole batch is computed at a time", origin="derived")
    draft.put("model_raw", record.get("model"), path=f"{item.place}.model")
    _rates(draft, answers)
    return draft


def _put(draft: Draft, statistic: str, value: object, path: str) -> None:
    name = f"e2e_{statistic}_ms"
    if name in _KNOWN:
        draft.put(name, value, path=path, unit="s", scale=TIME_MS["s"])


def _rates(draft: Draft, answers: Answers) -> None:
    """Output rate out of batch and length that the person says; without them it stays missing."""
    batch, length = as_number(answers.get("batch_size", "")), as_number(answers.get("osl_mean", ""))
    whole = draft.number("e2e_mean_ms")
    if batch is not None and length is not None and whole:
        rate = batch * length / whole * TIME_MS["s"]
        draft.derive("output_tps", rate, "batch * output length said by the person / mean latency")


READER = Reader(
    key="vllm_latency",
    title="vLLM bench latency (JSON, as printed)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "batch_size", "isl_mean", "osl_mean", "output_tps", "ttft", "tpot", "hardware", "tp"),
    asks=(
        "model_raw",
        "batch_size",
        "isl_mean",
        "osl_mean",
        "hardware",
        "device_count",
        "tp",
        "engine_version",
        "weight_format",
    ),
    sample="vllm_latency.json",
)
