"""llm-d benchmark reports 0.1, 0.2 and 0.2.1 in YAML or JSON: stack, load and results with a unit per figure."""

from __future__ import annotations

import re

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located
from data.readers.intake.own import put_back
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Reader, Reading, Skipped
from data.readers.intake.yaml_documents import documents
from data.readers.llmd.results import part, put_results
from data.readers.llmd.stack import engines_of, put_stack
from data.readers.llmd.times import iso_seconds, utc_start

_NOMINAL = {"input_seq_len": "isl_nominal", "output_seq_len": "osl_nominal"}
_TOP = re.compile(r"^(version|run|scenario|metrics|results):", re.M)


def _belongs(record: object) -> bool:
    if not isinstance(record, dict):
        return False
    old = isinstance(record.get("metrics"), dict) and isinstance(record.get("scenario"), dict) and "version" in record
    return old or isinstance(part(record, "results").get("request_performance"), dict)


def _recognise(content: Content) -> bool:
    if content.values:
        return any(_belongs(item.value) for item in content.records)
    keys = set(_TOP.findall(content.text))
    old, new = {"version", "scenario", "metrics"} <= keys, "results" in keys and bool(keys & {"run", "version"})
    return old or (new and re.search(r"^ +request_performance:", content.text, re.M) is not None)


def _read(content: Content, answers: Answers) -> Reading:
    drafts, left, questions = list[Draft](), list(content.unparsed), list[Question]()
    versions: set[str] = set()
    for item in documents(content):
        if not _belongs(item.value) or not isinstance(item.value, dict):
            left.append(Skipped(line=item.line, why=f"{item.place} is no benchmark report"))
            continue
        draft, why, asked = _draft(item, item.value, answers)
        drafts.append(draft)
        left += [Skipped(line=item.line, why=one) for one in why]
        questions += asked
        versions.add(str(item.value.get("version", "")))
    if not drafts:
        raise ReadError("no benchmark report with results in the file")
    version = versions.pop() if len(versions) == 1 else ""
    return Reading(drafts=drafts, questions=questions[:1], skipped=left, notices=[], tool_version=version)


def _draft(item: Located, record: Record, answers: Answers) -> tuple[Draft, list[str], list[Question]]:
    """One report as a draft, what of it fills no field, and what is doubtful about its units."""
    kept = {key: record.get(key) for key in ("version", "run", "scenario")}
    draft = Draft(place=item.place, line=item.line, native=kept)
    draft.put("source_tool_version", record.get("version"), path=f"{item.place}.version")
    old = "metrics" in record
    engines = engines_of(record)
    put_stack(draft, engines, item.place)
    put_load = _old_load if old else _load
    tool = put_load(draft, record, item.place)
    body = part(record, "metrics") if old else part(record, "results", "request_performance", "aggregate")
    where = f"{item.place}.metrics" if old else f"{item.place}.results.request_performance.aggregate"
    why, asked = put_results(draft, body, where, tool, answers)
    draft.native = {**kept, "aggregate": body}
    own = part(record, "scenario", "load", "native", "config", "waferline")
    if own:
        put_back(draft, own, f"{item.place}.scenario.load.native.config.waferline")
    if not engines:
        why.append("the report names no inference engine: model, devices and parallel degrees are open")
    return draft, why, asked


def _old_load(draft: Draft, record: Record, place: str) -> str:
    """Load and time of version 0.1; the tool that made the load."""
    load, time = part(record, "scenario", "load"), part(record, "metrics", "time")
    draft.put("duration_s", time.get("duration"), path=f"{place}.metrics.time.duration")
    utc_start(draft, time.get("start"), f"{place}.metrics.time.start")
    draft.put("dataset", load.get("type"), path=f"{place}.scenario.load.type")
    draft.put("notes", part(record, "scenario").get("description"), path=f"{place}.scenario.description")
    return str(load.get("name") or "")


def _load(draft: Draft, record: Record, place: str) -> str:
    """Load and time of version 0.2; the tool that made the load."""
    load, time = part(record, "scenario", "load", "standardized"), part(record, "run", "time")
    where = f"{place}.scenario.load.standardized"
    seconds = iso_seconds(time.get("duration"))
    if seconds is not None:
        draft.put("duration_s", seconds, path=f"{place}.run.time.duration", origin="converted",
                  shown=str(time.get("duration")), unit="ISO 8601")  # fmt: skip
    utc_start(draft, time.get("start"), f"{place}.run.time.start")
    for key, name in _NOMINAL.items():
        draft.put(name, part(load, key).get("value"), path=f"{where}.{key}.value")
    draft.put("concurrency", load.get("concurrency"), path=f"{where}.concurrency")
    put_rate(draft, load.get("rate_qps"), f"{where}.rate_qps")
    draft.put("dataset", load.get("source"), path=f"{where}.source")
    draft.put("notes", part(record, "run").get("description"), path=f"{place}.run.description")
    return str(load.get("tool") or "")


READER = Reader(
    key="llmd_report",
    title="llm-d benchmark report 0.1, 0.2, 0.2.1 (YAML, JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("weight_format in 0.2", "kv_format", "cost_per_hour", "power_w"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="llmd_report.yaml",
)
