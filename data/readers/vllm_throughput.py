"""vLLM `bench throughput`, as JSON and as printed: all requests at once; tokens_per_second counts prompts too."""

from __future__ import annotations

import re

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.serving.options import of_text, put_options

_STATED = {
    "elapsed_time": "duration_s",
    "num_requests": "completed",
    "requests_per_second": "request_rps",
    "tokens_per_second": "total_tps",
    "total_input_tokens": "total_input_tokens",
    "total_prompt_tokens": "total_input_tokens",
    "total_output_tokens": "total_output_tokens",
    "model": "model_raw",
}
_PRINTED = re.compile(r"Throughput: ([\d.]+) requests/s, ([\d.]+) (?:total )?tokens/s(?:, ([\d.]+) output tokens/s)?")
_PROMPTS, _OUTPUTS = (re.compile(rf"Total num {side} tokens:\s*(\d+)") for side in ("prompt", "output"))
_LINES_BELOW = 2  # of a run's own figures after its line of rates
_DISAGREEMENT = 0.05  # share beyond which the lengths said do not add up to the tokens counted


def _belongs(record: Record) -> bool:
    return all(key in record for key in ("elapsed_time", "tokens_per_second")) and "avg_latency" not in record


def _any_record(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _recognise(content: Content) -> bool:
    return _any_record(content) or (not content.values and _PRINTED.search(content.text) is not None)


def _read(content: Content, answers: Answers) -> Reading:
    if not _any_record(content):
        return Reading(drafts=[_printed(*one) for one in _blocks(content)], questions=[], skipped=[], notices=[])
    items, left = pick(content, _belongs, "vLLM throughput")
    return Reading(drafts=[_draft(item, answers) for item in items], questions=[], skipped=left, notices=[])


def _blocks(content: Content) -> list[tuple[int, str, str]]:
    """(line, the line of rates, what is printed around it) of every run in the text."""
    found = [n for n, line in enumerate(content.lines) if _PRINTED.search(line)]
    ends = [*found[1:], len(content.lines)]
    starts = [0, *(n + 1 + _LINES_BELOW for n in found[:-1])]
    return [
        (at + 1, content.lines[at], "\n".join(content.lines[start:end]))
        for at, start, end in zip(found, starts, ends, strict=True)
    ]


def _printed(line: int, text: str, around: str) -> Draft:
    """One run as the tool prints it: requests, total and output tokens per second."""
    draft = Draft(place=f"line {line}", line=line, native={"printed": text.strip()})
    match = _PRINTED.search(text)
    for name, raw in zip(("request_rps", "total_tps", "output_tps"), match.groups() if match else (), strict=False):
        draft.put(name, raw, path=f"line {line}, 'Throughput'")
    for pattern, name in ((_PROMPTS, "total_input_tokens"), (_OUTPUTS, "total_output_tokens")):
        count = pattern.search(around)
        draft.put(name, count[1] if count else None, path=f"below line {line}, 'Total num … tokens'")
    put_options(draft, of_text(around), f"log around line {line}", "assumed")
    rate, totals = draft.number("request_rps"), (draft.number("total_output_tokens"), draft.number("output_tps"))
    if totals[0] and totals[1] and rate:
        draft.derive("duration_s", totals[0] / totals[1], "total output tokens / output tokens per second")
        draft.derive("completed", round(rate * totals[0] / totals[1]), "requests/s * duration")
    draft.put("engine", "vllm", path="vLLM runs in the benchmark itself", origin="derived")
    draft.put("load_mode", "offline", path="all requests are given at once", origin="derived")
    return draft


def _draft(item: Located, answers: Answers) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    for key, name in _STATED.items():
        draft.put(name, record.get(key), path=f"{item.place}.{key}")
    draft.derive("num_requests", draft.number("completed"), f"{item.place}.num_requests: the tool stops if one fails")
    draft.put("engine", "vllm", path="vLLM runs in the benchmark itself", origin="derived")
    draft.put("load_mode", "offline", path="all requests are given at once", origin="derived")
    _split(draft, record, answers)
    seconds, outputs = draft.number("duration_s"), draft.number("total_output_tokens")
    if seconds and outputs is not None:
        draft.derive("output_tps", outputs / seconds, "total_output_tokens / duration")
    return draft


def _split(draft: Draft, record: Record, answers: Answers) -> None:
    """Output rate out of lengths that the person says; without them it stays missing."""
    rate, output = draft.number("request_rps"), as_number(answers.get("osl_mean", ""))
    if rate is None or output is None:
        return
    draft.derive("output_tps", rate * output, "requests/s * output length said by the person")
    total, done = as_number(record.get("total_num_tokens")), draft.number("completed")
    prompt = as_number(answers.get("isl_mean", ""))
    if total is None or not done or prompt is None:
        return
    each = total / done
    if abs(each - prompt - output) > _DISAGREEMENT * each:
        draft.warn(
            "inconsistent",
            f"the file counts {each:.5g} tokens a request, the lengths said add up to {prompt + output:.5g}",
            "isl_mean",
            "osl_mean",
        )


READER = Reader(
    key="vllm_throughput",
    title="vLLM bench throughput (JSON, as printed)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "isl_mean", "osl_mean", "output_tps", "ttft", "tpot", "hardware", "tp", "weight_format"),
    asks=("model_raw", "isl_mean", "osl_mean", "hardware", "device_count", "tp", "engine_version", "weight_format"),
    sample="vllm_throughput.json",
)
