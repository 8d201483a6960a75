"""What trtllm-bench prints when it ends: engine, world, requests, performance and breakdowns of latencies, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.intake.statistics import statistic_of
from data.readers.tables.units import TIME_MS, time_unit

_TITLE = re.compile(r"^=+ (?:ENGINE DETAILS|\S+ BACKEND)\s*$")
_FIGURE = re.compile(r"^([A-Z][A-Za-z\-+ ]*?)\s*(?:\[[A-Z]+\]\s*)?(?:\(([^()]*)\))?\s*:\s+(\S.*?)\s*$")
_RANKED = re.compile(r"^\[(Latency|TTFT|TPOT|ITL)\]\s*(P\d+(?:\.\d+)?|MINIMUM|MAXIMUM|AVERAGE)\s*:\s*(\S+)")
_RESULT = re.compile(r"^Request Throughput \(req/sec\):", re.M)
_MARKS = re.compile(
    r"^(?:TensorRT-LLM Version|Issue Rate \(req/sec\)|(?:Total Output|Token) Throughput \(tokens/sec\)):", re.M
)
_TEXTS = {
    "model": "model_raw",
    "tensorrt-llm version": "engine_version",
    "kv cache dtype": "kv_format",
    "tp size": "tp",
    "pp size": "pp",
    "ep size": "ep",
    "number of requests": "num_requests",
    "number of concurrent requests": "concurrency_mean",
    "average input length": "isl_mean",
    "average output length": "osl_mean",
    "request throughput": "request_rps",
    "token throughput": "output_tps",
    "total output throughput": "output_tps",
    "total token throughput": "total_tps",
}
_TIMES = {
    "average request latency": "e2e_mean_ms",
    "average time-to-first-token": "ttft_mean_ms",
    "average time-per-output-token": "tpot_mean_ms",
}
_METRIC = {"Latency": "e2e", "TTFT": "ttft", "TPOT": "tpot", "ITL": "itl"}
LONGEST_LINE = 500


def _recognise(content: Content) -> bool:
    text = content.text
    return not content.values and _RESULT.search(text) is not None and _MARKS.search(text) is not None


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """(line number, lines) of every report in the text."""
    starts = [n for n, line in enumerate(lines) if _TITLE.match(line[:LONGEST_LINE])] or [0]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if any(_RESULT.match(line) for line in lines[start:end]):
            yield start + 1, lines[start:end]


def _read(content: Content, answers: Answers) -> Reading:
    drafts = [_draft(line, block) for line, block in _blocks(content.lines)]
    if not drafts:
        raise ReadError("the report breaks off before its figures", remedy="Bring the whole output.")
    versions = {draft.text("engine_version") for draft in drafts} - {""}
    version = versions.pop() if len(versions) == 1 else ""
    return Reading(drafts=drafts, questions=[], skipped=[], notices=[], tool_version=version)


def _draft(line: int, block: Sequence[str]) -> Draft:
    draft, printed = Draft(place=f"line {line}", line=line), dict[str, str]()
    draft.put("engine", "tensorrt-llm", path="trtllm-bench runs TensorRT-LLM alone", origin="derived")
    for number, text in enumerate((one[:LONGEST_LINE].strip() for one in block), start=line):
        ranked, figure = _RANKED.match(text), _FIGURE.match(text)
        if ranked:
            name = f"{_METRIC[ranked[1]]}_{statistic_of(ranked[2])}_ms"
            if name in FIELDS:
                draft.put(name, ranked[3], path=f"line {number}, {ranked[0].split(':')[0].strip()!r}")
        elif figure:
            printed.setdefault(figure[1].lower(), figure[3])
            _put(draft, figure[1].lower(), figure[2] or "", figure[3], f"line {number}, {figure[1]!r}")
    draft.native = printed
    _formats(draft, printed)
    if (each := printed.get("per gpu output throughput")) and (whole := draft.number("output_tps")):
        draft.derive("device_count", round(whole / float(each)) if _positive(each) else None, "output / output per GPU")
    tp, pp = draft.number("tp"), draft.number("pp")
    draft.derive("device_count", tp * pp if tp and pp else None, "tp * pp")
    return draft


def _put(draft: Draft, label: str, unit: str, raw: str, path: str) -> None:
    """One labelled figure; the first of its name counts, as percentiles of lengths repeat words below."""
    name = _TEXTS.get(label, "")
    if name and name not in draft.values:
        draft.put(name, raw, path=path)
    elif label in _TIMES:
        draft.put(_TIMES[label], raw, path=path, unit=unit, scale=TIME_MS[time_unit(unit) or "ms"])
    elif label == "total latency":
        scale = TIME_MS[time_unit(unit) or "ms"] / TIME_MS["s"]
        draft.put("duration_s", raw, path=path, unit=unit, scale=scale)
    elif label == "issue rate":
        put_rate(draft, raw, path)


def _formats(draft: Draft, printed: dict[str, str]) -> None:
    """Number formats; without a quantization the checkpoint's own type holds the weights."""
    for label in ("quantization", "dtype"):
        if "weight_format" not in draft.values and printed.get(label, "None") != "None":
            draft.put("weight_format", printed[label], path=f"{draft.place}: {label}")
    if draft.text("kv_format") in ("None", "auto"):
        draft.drop("kv_format")


def _positive(text: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", text) is not None and float(text) > 0


READER = Reader(
    key="trtllm_console",
    title="trtllm-bench as printed",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "failed", "itl", "concurrency", "device_count unless tp and pp"),
    asks=("model_raw", "hardware", "device_count", "engine_version", "weight_format", "kv_format"),
    sample="trtllm_console.log",
)
