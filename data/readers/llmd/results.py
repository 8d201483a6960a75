"""Results of a report: counts, lengths, rates and latencies, each converted from the unit that it states."""

from __future__ import annotations

from collections.abc import Mapping

from data.readers.intake.answers import AS_READ
from data.readers.intake.draft import Draft
from data.readers.intake.fields import latency_names
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question
from data.readers.intake.statistics import put_lengths, put_statistics

_COUNTS = {"total": "num_requests", "failures": "failed", "incomplete": "incomplete"}
_LATENCIES = {
    "time_to_first_token": "ttft",
    "time_per_output_token": "tpot",
    "inter_token_latency": "itl",
    "request_latency": "e2e",
}
_OLD_RATES = {
    "input_tokens_per_sec": "input_tps",
    "output_tokens_per_sec": "output_tps",
    "total_tokens_per_sec": "total_tps",
    "requests_per_sec": "request_rps",
}
_RATES = {
    "input_token_rate": "input_tps",
    "output_token_rate": "output_tps",
    "total_token_rate": "total_tps",
    "request_rate": "request_rps",
}
_MS = {"ms": 1.0, "ms/token": 1.0, "s": 1000.0, "s/token": 1000.0, "seconds": 1000.0, "us": 0.001, "us/token": 0.001}
_PER_S = {"tokens/s", "queries/s", "requests/s", "req/s", "tok/s", "", "token/s"}
_UNIT = "unit:latency"
FASTEST_TPOT_MS = 0.1  # 10 000 tokens/s for one user, beyond any system known
MS_PER_S = 1000.0


def part(record: Mapping[str, object], *names: str) -> Record:
    """A nested object, empty where it is missing or something else."""
    found: Record = record
    for name in names:
        inner = found.get(name)
        found = inner if isinstance(inner, dict) else {}
    return found


def put_results(
    draft: Draft, body: Record, where: str, tool: str, answers: Answers
) -> tuple[list[str], list[Question]]:
    """Fill the draft; what fills no field and why, and the question that a doubtful unit raises."""
    why = list[str]()
    requests = part(body, "requests")
    for key, name in _COUNTS.items():
        draft.put(name, requests.get(key), path=f"{where}.requests.{key}")
    for key, side in (("input_length", "isl"), ("output_length", "osl")):
        put_lengths(draft, side, requests.get(key), f"{where}.requests.{key}")
    _rates(draft, part(body, "throughput"), f"{where}.throughput", why)
    latency = dict(part(body, "latency"))
    if tool.lower().startswith("guidellm") and latency.pop("time_per_output_token", None):
        why.append("time_per_output_token fills no field: GuideLLM's figure holds the time to the first token")
    factor = MS_PER_S if answers.get(_UNIT) == "s" else 1.0
    for key, metric in _LATENCIES.items():
        unit = str(part(latency, key).get("units", ""))
        if unit in _MS:
            scale = _MS[unit] * (factor if unit.startswith("ms") else 1.0)
            put_statistics(draft, metric, latency[key], f"{where}.latency.{key}", scale=scale, unit=unit)
        elif part(latency, key):
            why.append(f"{key} fills no field: its unit {unit!r} is no unit of time")
    return why, _doubt(draft, answers)


def _rates(draft: Draft, rates: Record, where: str, why: list[str]) -> None:
    for key, name in _OLD_RATES.items():
        draft.put(name, rates.get(key), path=f"{where}.{key}")
    for key, name in _RATES.items():
        unit = str(part(rates, key).get("units", ""))
        if unit in _PER_S:
            draft.put(name, part(rates, key).get("mean"), path=f"{where}.{key}.mean")
        else:
            why.append(f"{key} fills no field: its unit {unit!r} is no rate")


def _doubt(draft: Draft, answers: Answers) -> list[Question]:
    """Warn when a stated unit of milliseconds makes one user's speed impossible."""
    tpot = draft.number("tpot_mean_ms", "tpot_p50_ms", "itl_mean_ms")
    stated = [draft.fields[name] for name in latency_names("e2e") if name in draft.fields]
    if tpot is None or not 0 < tpot < FASTEST_TPOT_MS or any(one.unit != "ms" for one in stated):
        return []
    draft.warn(
        "unit_doubt",
        f"the report says ms, but {tpot:.4g} ms a token would be {MS_PER_S / tpot:,.0f} tokens/s for one user, while "
        f"{tpot:.4g} s would be {1 / tpot:.4g}: the latencies look like seconds. Taken as stated",
        *(name for name in latency_names() if name in draft.values),
    )
    if _UNIT in answers:
        return []
    text = "Are the latencies in seconds, although the report says ms? Answer s to read them so."
    because = f"{tpot:.4g} ms a token is faster than any system"
    return [Question(field=_UNIT, text=text, proposal=AS_READ, because=because)]
