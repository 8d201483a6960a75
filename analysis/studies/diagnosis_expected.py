"""What the model expects once a fault is mended: the same load as modelled, a capped load, more room, more devices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from analysis.diagnosis import Finding, Sweep
from analysis.engine import Case, evaluate
from analysis.metrics import metric
from analysis.parameters import Parameters
from analysis.studies.benchmark_cases import ENDED, Measured, case_of, format_words
from analysis.studies.diagnosis_cases import Observation
from analysis.studies.measured_words import difference

NO_MODEL = "the model cannot say, because model, device, number of devices or lengths of these runs are not known."
_WIDER = {"nvfp4": "fp8", "mxfp4": "fp8", "int4": "fp8", "fp8": "bf16", "int8": "bf16"}
Expectation = Callable[[Observation, Finding, Parameters | None], str]


def _rate(value: float) -> str:
    return metric("output_tokens_per_s").format(value)


def _last(seen: Observation, finding: Finding) -> tuple[Measured | None, int]:
    """The run at the last point of evidence, as the engine is asked for it."""
    at = max(finding.at)
    return seen.compared[at], at


def _answer(case: Case, parameters: Parameters | None) -> Mapping[str, float]:
    row = evaluate([case], parameters).iloc[0]
    names = ("output_tokens_per_s", "tpot_s", "ttft_s", "kv_room_tokens")
    return {name: float(row[name]) for name in names}


def as_modelled(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """The model's own figures at the last load of the evidence."""
    one, at = _last(seen, finding)
    if one is None:
        return NO_MODEL
    says, token = _answer(case_of(one), parameters), metric("tpot_s").format
    return (
        f"At {one.users:,.3g} at once the model says {token(says['tpot_s'])} a token, measured {token(one.step_s)}; "
        f"{_rate(says['output_tokens_per_s'])} in all, measured {_rate(float(seen.observed.output_rate[at]))}."
    )


def peak_held(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """The measured peak, which a capped load keeps, and the model's figure there."""
    sweep = seen.observed
    if not isinstance(sweep, Sweep):
        return as_modelled(seen, finding, parameters)
    at = int(np.nanargmax(sweep.output_rate))
    one = seen.compared[at]
    says = f"; the model says {_rate(_answer(case_of(one), parameters)['output_tokens_per_s'])} there" if one else ""
    peak = _rate(float(sweep.output_rate[at]))
    return f"Capped at {sweep.load[at]:,.3g}, the peak that was measured stays: {peak}{says}."


def _changed(seen: Observation, finding: Finding, parameters: Parameters | None, words: str, **changes: object) -> str:
    """The last load of the evidence with something changed, before and after by the model."""
    one, _ = _last(seen, finding)
    if one is None:
        return NO_MODEL
    case = case_of(one)
    before = _answer(case, parameters)["output_tokens_per_s"]
    after = _answer(replace(case, **changes), parameters)["output_tokens_per_s"]  # type: ignore[arg-type]
    if math.isnan(after):
        return f"{words}: the model does not serve this."
    return (
        f"{words}, the model says {_rate(after)} at {one.users:,.3g} at once, against {_rate(before)} as it is: "
        f"{difference(after / before)}."
    )


def fp8_cache(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """Room and throughput with a cache of half the bytes."""
    one, _ = _last(seen, finding)
    if one is None:
        return NO_MODEL
    tokens = one.input_tokens + one.output_tokens
    rooms = [_answer(replace(case_of(one), kv_format=kind), parameters)["kv_room_tokens"] / tokens
             for kind in (case_of(one).kv_format, "fp8")]  # fmt: skip
    grown = f"With an FP8 cache there is room for {rooms[1]:,.0f} sequences instead of {rooms[0]:,.0f}"
    return _changed(seen, finding, parameters, grown, kv_format="fp8")


def more_devices(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """Throughput with twice the devices."""
    one, _ = _last(seen, finding)
    if one is None:
        return NO_MODEL
    count = 2 * one.device_count
    return _changed(seen, finding, parameters, f"With {count:,} devices", device_count=count, tp=None, pp=None, ep=None)


def room_cap(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """Throughput with no more sequences than the cache holds."""
    one, _ = _last(seen, finding)
    if one is None:
        return NO_MODEL
    room = _answer(case_of(one), parameters)["kv_room_tokens"] / (one.input_tokens + one.output_tokens)
    most = max(1.0, math.floor(min(room, one.users)))
    says = _answer(replace(case_of(one), concurrency=most), parameters)["output_tokens_per_s"]
    return (
        f"The cache holds {room:,.0f} sequences of this length; with {most:,.0f} at once the model says {_rate(says)}."
    )


def wider_weights(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """What the model says of the next wider format: if that is what was measured, it is the one in use."""
    one, _ = _last(seen, finding)
    if one is None:
        return NO_MODEL
    case = case_of(one)
    stated = (case.weight_format or one.architecture.native_weight_format).lower()
    wider = _WIDER.get(stated)
    if wider is None:
        return as_modelled(seen, finding, parameters)
    token = metric("tpot_s").format
    both = [_answer(replace(case, weight_format=kind), parameters)["tpot_s"] for kind in (stated, wider)]
    return (
        f"At {stated.upper()} the model says {token(both[0])} a token, at {wider.upper()} {token(both[1])}; measured "
        f"{token(one.step_s)}."
    )


def first_level(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """The level before it fell, as measured."""
    later = float(np.nanmedian(seen.observed.output_rate[list(finding.at)]))
    more = difference(finding.level / later)
    held = f"Before it fell it was {_rate(finding.level)}, {more} than the {_rate(later)} since."
    one = seen.compared[0]
    says = f" The model says {_rate(_answer(case_of(one), parameters)['output_tokens_per_s'])}." if one else ""
    return held + says


def cold_prompt(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """The time to first token with nothing found in the cache."""
    first = metric("ttft_s").format
    cold = float(np.nanmedian(seen.observed.ttft_s[list(finding.at)]))
    one = seen.compared[0]
    says = f"; the model says {first(_answer(case_of(one), parameters)['ttft_s'])} without reuse" if one else ""
    return f"Without reuse the first token takes about {first(cold)}, as at first, not {first(finding.level)}{says}."


def server_count(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """Times per token by the server's count, where the file used the client's."""
    at = max(finding.at)
    sweep, run = seen.observed, seen.runs[at]
    if not isinstance(sweep, Sweep):
        return NO_MODEL
    factor = float(sweep.client_over_server[at])
    if "sglang" in run.source_format:
        return (
            "Rates and times in this file use the server's count already; lengths by the client's must not be mixed in."
        )
    if not np.isfinite(sweep.tpot_s[at]):
        return f"By the server's count every rate is 1/{factor:.3g} of what the file says."
    token = metric("tpot_s").format
    return (
        f"By the server's count a token takes about {token(float(sweep.tpot_s[at]) * factor)} where the file says "
        f"{token(float(sweep.tpot_s[at]))}, and every rate is 1/{factor:.3g} of what it says."
    )


def fits_by_the_model(seen: Observation, finding: Finding, parameters: Parameters | None) -> bool:
    """Whether the model finds room for the smallest load that ran out of memory; False where it cannot be asked."""
    one = seen.compared[min(finding.at)]
    return one is not None and bool(evaluate([case_of(one)], parameters)["feasible"].iloc[0])


def memory_room(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """Whether the model finds room for the smallest load that ran out of memory, and which device count would."""
    one = seen.compared[min(finding.at)]
    if one is None:
        return NO_MODEL
    row = evaluate([case_of(one)], parameters).iloc[0]
    at = f"{one.users:,.3g} at once on {one.machine} in {format_words(one)}"
    if reason := str(row["reason"]).rstrip("."):
        return f"By the model too, {at} {reason}."
    tokens = one.input_tokens + one.output_tokens
    room = (
        f", with room for {float(row['kv_room_tokens']) / tokens:,.0f} sequences of this length" if tokens > 1 else ""
    )
    return f"By the model, {at} fits{room}: something else takes memory, or steps take in too much at once."


def last_sound(seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """The largest load at which all went well, with its throughput, and the model's figure there."""
    sweep, bad = seen.observed, ("partial", *ENDED)
    good = [at for at, run in enumerate(seen.runs) if run.outcome not in bad]
    if not isinstance(sweep, Sweep) or not good or not np.isfinite(sweep.load[good[-1]]):
        return "no run of these ended well, so there is no sound level to compare with."
    at, below = good[-1], float(sweep.load[good[-1]])
    rate = float(sweep.output_rate[at])
    one = seen.compared[at]
    model = _answer(case_of(one), parameters)["output_tokens_per_s"] if one and sweep.kind != "rate" else math.nan
    says = f"; the model says {_rate(model)} there" if math.isfinite(model) else ""
    held = f", {_rate(rate)}" if math.isfinite(rate) else ""
    return f"no failures above a load of {below:,.4g}, the largest so far at which all went well{held}{says}."


EXPECTATIONS: Mapping[str, Expectation] = {
    each.__name__: each
    for each in (memory_room, last_sound, as_modelled, peak_held, fp8_cache, more_devices, room_cap, wider_weights,
                 first_level, cold_prompt, server_count)
}  # fmt: skip


def expected(name: str, seen: Observation, finding: Finding, parameters: Parameters | None) -> str:
    """What the model expects after a change, in words."""
    return EXPECTATIONS[name](seen, finding, parameters)
