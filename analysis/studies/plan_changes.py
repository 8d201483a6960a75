"""What would have to change for a plan to reach a speed: tokens a step, bits, context, bandwidth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.engine import Case, evaluate
from analysis.models.accuracy import accepted_tokens_needed
from analysis.studies.compare_words import tokens
from analysis.studies.plan_grid import Plan
from analysis.workload import Workload
from data.units import format_number

NARROWER = (("nvfp4", "NVFP4"), ("int4", "INT4"))
CONTEXTS = (512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131072.0)
FACTORS = (1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
GAIN = 1.01  # times the speed; less is called no gain
KINDS = ("bits", "context", "bandwidth")
BLANK: Mapping[str, Any] = {"accepted_tokens_per_step": math.nan} | {f"with_{kind}": "" for kind in KINDS}
SIXTEEN_BITS = frozenset({"bf16", "fp16"})


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A plan with one thing changed: what kind of thing, how much, and the engine's question."""

    of: int
    kind: str
    amount: float
    said: str
    case: Case


def changes_for(
    workload: Workload, plans: Sequence[Plan], rows: Sequence[Mapping[str, Any]], target_token_per_s: float
) -> list[dict[str, Any]]:
    """What each plan lacks: tokens a step, and in words whether fewer bits, less context, more bandwidth would do.

    Blank for a plan that reaches the target. All trials of all plans are one call to the engine.
    """
    short = {at for at, row in enumerate(rows) if row["tokens_per_s_per_user"] < target_token_per_s}
    trials = [trial for at in sorted(short) for trial in _trials(at, plans[at])]
    speeds = evaluate([trial.case for trial in trials], workload.parameters)["tokens_per_s_per_user"] if trials else ()
    pairs = list(zip(trials, speeds, strict=True))
    return [
        _change(row, [pair for pair in pairs if pair[0].of == at], target_token_per_s) if at in short else dict(BLANK)
        for at, row in enumerate(rows)
    ]


def _trials(at: int, plan: Plan) -> list[Trial]:
    case, chip = plan.case, plan.chip
    kinds = [Trial(of=at, kind="bits", amount=0.0, said=name, case=replace(case, weight_format=narrow))
             for narrow, name in _narrower(plan)]  # fmt: skip
    kinds += [
        Trial(of=at, kind="context", amount=-length, said=tokens(length), case=replace(case, input_tokens=length))
        for length in CONTEXTS
        if length < case.input_tokens
    ]
    bandwidth = chip.bandwidth_byte_per_s
    if bandwidth is not None:
        kinds += [
            Trial(
                of=at, kind="bandwidth", amount=factor, said=f"{factor:g} ×",
                case=replace(case, chip=replace(chip, bandwidth_byte_per_s=factor * bandwidth)),
            )
            for factor in FACTORS
        ]  # fmt: skip
    return kinds


def _narrower(plan: Plan) -> list[tuple[str, str]]:
    """Formats with fewer bits than the plan's: eight bits before four."""
    if plan.weights in SIXTEEN_BITS:
        return [("fp8", "FP8"), *NARROWER]
    return [each for each in NARROWER if plan.weights not in ("nvfp4", "mxfp4", "int4")]


def _change(row: Mapping[str, Any], own: Sequence[tuple[Trial, float]], target: float) -> dict[str, Any]:
    speed = float(row["tokens_per_s_per_user"])
    said: dict[str, Any] = {"accepted_tokens_per_step": float(accepted_tokens_needed(target, speed))}
    for kind in KINDS:
        known = [(trial, reached) for trial, reached in own if trial.kind == kind and not math.isnan(reached)]
        enough = [trial for trial, reached in known if reached >= target]
        most = max(known, key=lambda each: each[1], default=None)
        if enough:
            said[f"with_{kind}"] = f"{min(enough, key=lambda trial: trial.amount).said} would do"
        elif most and most[1] > GAIN * speed:
            said[f"with_{kind}"] = f"{most[0].said}: {format_number(most[1])}"
        else:
            said[f"with_{kind}"] = "no gain" if most else ""
    return said
