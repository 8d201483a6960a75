"""LoadGen's mlperf_log_summary.txt: scenario, verdict, rates, and latencies in nanoseconds."""

from __future__ import annotations

import re

from data.errors import ReadError
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS
from data.readers.intake.json_values import as_number
from data.readers.intake.statistics import statistic_of

TITLE = "MLPerf Results Summary"
MS_PER_NS = 1e-6
LONGEST_LINE = 500
_PAIR = re.compile(r"^\s*\*?\s*([^:=]+?)\s*:\s*(.*?)\s*$")
_LATENCY = re.compile(
    r"(min|max|mean|\d+(?:\.\d+)?(?:th)? percentile) (first token latency|time to output token|latency) \(ns\)", re.I
)
_METRIC = {"latency": "e2e", "first token latency": "ttft", "time to output token": "tpot"}
_RATES = {
    "completed samples per second": "request_rps",
    "samples per second": "request_rps",
    "completed tokens per second": "output_tps",
    "tokens per second": "output_tps",
    "tokens per second (inferred)": "output_tps",
    "completed tokens per second (inferred)": "output_tps",
}


def blocks(lines: list[str]) -> list[tuple[int, list[str]]]:
    """(line number of the title, lines below it) of every summary in the text."""
    starts = [number for number, line in enumerate(lines) if TITLE in line]
    return [(start + 1, lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def summary_draft(line: int, block: list[str]) -> Draft:
    """One summary as a draft. Raises ReadError for a run that measured accuracy, not speed."""
    pairs: dict[str, tuple[int, str]] = {}
    for number, text in enumerate(block, start=line):
        match = _PAIR.match(text) if len(text) <= LONGEST_LINE else None
        if match:
            pairs.setdefault(match[1].strip().lower(), (number, match[2]))
    mode = pairs.get("mode", (line, ""))[1]
    if "accuracy" in mode.lower():
        raise ReadError(
            "this MLPerf summary is of an accuracy run", where=f"line {line}", found=f"Mode : {mode}",
            remedy="Bring the mlperf_log_summary.txt of the performance run.",
        )  # fmt: skip
    draft = Draft(place=f"line {line}", line=line, native={key: value for key, (_, value) in pairs.items()})
    for key, (number, raw) in pairs.items():
        if key in _RATES:
            draft.put(_RATES[key], raw, path=f"line {number}: {key}")
        elif match := _LATENCY.fullmatch(key):
            _put_latency(draft, match[1], match[2].lower(), raw, f"line {number}: {key}")
    _scenario(draft, pairs)
    _verdict(draft, pairs)
    _tokens(draft)
    return draft


def _put_latency(draft: Draft, stat: str, what: str, raw: str, path: str) -> None:
    name = f"{_METRIC[what]}_{statistic_of(re.sub(r'(?i)th percentile', ' percentile', stat))}_ms"
    if name in FIELDS:
        draft.put(name, raw, path=path, scale=MS_PER_NS, unit="ns")


def _scenario(draft: Draft, pairs: dict[str, tuple[int, str]]) -> None:
    line, scenario = pairs.get("scenario", (draft.line, ""))
    draft.put("notes", f"MLPerf {scenario}" if scenario else None, path=f"line {line}: Scenario", origin="converted",
              shown=scenario)  # fmt: skip
    if scenario.lower() == "offline":
        draft.put("load_mode", "offline", path=f"line {line}: Scenario", origin="converted", shown=scenario)
    elif scenario.lower() in ("server", "interactive"):
        at, target = pairs.get("scheduled samples per second") or pairs.get("target_qps", (0, ""))
        put_rate(draft, target or None, f"line {at}: arrival rate")
        draft.put("load_mode", "rate", path=f"line {line}: Scenario", origin="converted", shown=scenario)
    elif scenario.lower() == "singlestream":
        draft.put("concurrency", 1, path=f"line {line}: SingleStream sends one query at a time", origin="converted")


def _verdict(draft: Draft, pairs: dict[str, tuple[int, str]]) -> None:
    line, verdict = pairs.get("result is", (0, ""))
    if verdict.upper().startswith("INVALID"):
        draft.outcome = "invalid"
        draft.warn("invalid", f"line {line}: LoadGen calls this result INVALID: it does not count as a measurement")
    elif not verdict:
        draft.warn("invalid", "the summary holds no verdict (Result is): the run may have been cut off")


def _tokens(draft: Draft) -> None:
    """Output length from the two rates; tokens / samples."""
    tokens, samples = as_number(draft.values.get("output_tps")), as_number(draft.values.get("request_rps"))
    if tokens and samples:
        draft.derive("osl_mean", tokens / samples, "tokens per second / samples per second")
