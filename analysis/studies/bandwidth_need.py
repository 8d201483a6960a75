"""How much memory bandwidth does a speed ask for, and which machines have it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from analysis.explain import explain
from analysis.machines import places_layers
from analysis.models import bandwidth, mesh
from analysis.plans import Plan, plans_of
from analysis.provenance import estimates_in, sources_of
from analysis.studies.bandwidth_answer import MOST_SEQUENCES, answer_to, conditions_of
from analysis.study import Slot, Step, Study
from analysis.workload import Workload, met_weights, read_cache, weights_of

SolveFor = Literal["devices", "rate", "width", "context", "batch"]
QUESTION = "How much memory bandwidth does this speed ask for, and which machines have it?"
FIELDS = ("bandwidth_byte_per_s",)


@dataclass(frozen=True, kw_only=True)
class Need:
    """What one decode step reads on one machine, and what the target makes of it."""

    met_byte: float
    met_weights: float
    dense_byte: float
    one_byte: float  # a single token's experts
    sequence_cache_byte: float
    read_byte: float


def need_of(workload: Workload, slot: Slot) -> Need:
    """Bytes read per step: the experts covered by the batch, the dense reading, one token's experts."""
    met_byte, number = met_weights(workload, slot.chip)
    cache = read_cache(workload, slot.chip)
    return Need(
        met_byte=met_byte,
        met_weights=number,
        dense_byte=met_weights(workload, slot.chip, every_expert=True)[0],
        one_byte=met_weights(workload.at(sequences=1.0), slot.chip)[0],
        sequence_cache_byte=cache,
        read_byte=float(bandwidth.read_per_step(met_byte, workload.sequences, cache)),
    )


def study(
    workload: Workload, slots: Sequence[Slot], *, target_token_per_s: float = 1000.0, solve_for: SolveFor = "devices"
) -> Study:
    """The bandwidth a target speed needs, against what every slot has; solved for one of the five terms.

    solve_for   devices, tokens/s ("rate"), bytes per weight ("width"), context, or users at once ("batch")

    Table: one row a slot with keys of `analysis.metrics`; `solution` holds the value solved for, nan where the target
    is out of reach. Marks: `dense_byte_per_s`, `one_byte_per_s`, `required_byte_per_s`, `target_token_per_s`.
    """
    plans = plans_of(workload, slots)
    needs = [need_of(workload, slot) for slot in slots]
    rows = [_row(workload, plan, need, target_token_per_s, solve_for) for plan, need in zip(plans, needs, strict=True)]
    table = pd.DataFrame(rows)
    first = needs[0]
    cache = workload.sequences * first.sequence_cache_byte
    return Study(
        question=QUESTION,
        answer=answer_to(table, workload, target_token_per_s, solve_for),
        conditions=conditions_of(workload, slots[0].chip),
        table=table,
        steps=lambda: list(_steps(workload, plans, needs, target_token_per_s, solve_for)),
        sources=sources_of(workload.architecture, [slot.chip for slot in slots], FIELDS),
        remarks=estimates_in([slot.chip for slot in slots], FIELDS),
        marks={
            "dense_byte_per_s": target_token_per_s * (first.dense_byte + cache),
            "one_byte_per_s": target_token_per_s * (first.one_byte + cache),
            "required_byte_per_s": target_token_per_s * first.read_byte,
            "target_token_per_s": target_token_per_s,
        },
    )


def _row(workload: Workload, plan: Plan, need: Need, target: float, solve_for: SolveFor) -> dict[str, object]:
    chip, count = plan.slot.chip, plan.device_count
    one = chip.bandwidth_byte_per_s or math.nan
    wafer = places_layers(chip)
    layers = workload.architecture.layers
    read_s = mesh.region_read_time(weights_of(workload, chip).total, count, one)
    required = float(bandwidth.required_bandwidth(target, need.read_byte))
    return {
        "slot": plan.name,
        "place": plan.slot.place,
        "vendor": chip.vendor,
        "device_count": count,
        "bandwidth_byte_per_s": one,
        "available_byte_per_s": count * one,
        "read_byte": need.read_byte,
        "required_byte_per_s": required,
        "bandwidth_over_need": count * one / required,
        "naive_tokens_per_s_per_user": float(bandwidth.naive_rate(count, one, need.read_byte)),
        "seen_byte_per_s": float(mesh.bandwidth_seen(one, count, layers)) if wafer else math.nan,
        "read_bound_tokens_per_s_per_user": float(1 / (layers * read_s)) if wafer else math.nan,
        "solution": _solution(workload, plan, need, target, solve_for),
    }


def _solution(workload: Workload, plan: Plan, need: Need, target: float, solve_for: SolveFor) -> float:
    """The value of the term solved for; nan where the target is out of reach whatever it is."""
    one = plan.slot.chip.bandwidth_byte_per_s or math.nan
    count, cache = plan.device_count, need.sequence_cache_byte
    if solve_for == "rate":
        return float(bandwidth.naive_rate(count, one, need.read_byte))
    if solve_for == "devices":
        return float(bandwidth.devices_for_rate(target, need.read_byte, one))
    if solve_for == "width":
        width = bandwidth.weight_width_for_rate(target, count, one, workload.sequences * cache, need.met_weights)
        return float(width) if width > 0 else math.nan
    if solve_for == "context":
        fixed, growing = _read_growth(workload, plan)
        if growing == 0:
            return math.inf if target * need.read_byte <= count * one else math.nan
        context = bandwidth.context_for_rate(target, count, one, need.met_byte, workload.sequences, fixed, growing)
        return float(context) if context >= 0 else math.nan
    return _batch(workload, plan, target)


def _read_growth(workload: Workload, plan: Plan) -> tuple[float, float]:
    """Bytes a step reads for one sequence beyond its windows: fixed part, and growth per token of context."""
    far, further = (read_cache(workload.at(context_tokens=n * 1e8), plan.slot.chip) for n in (1, 2))
    growing = (further - far) / 1e8
    return max(0.0, far - growing * 1e8), growing


def _batch(workload: Workload, plan: Plan, target: float) -> float:
    """Most sequences at the target, the experts they meet counted at that batch; nan if not even one."""
    available = plan.device_count * (plan.slot.chip.bandwidth_byte_per_s or math.nan)

    def reached(sequences: int) -> bool:
        return target * need_of(workload.at(sequences=float(sequences)), plan.slot).read_byte <= available

    if not reached(1):
        return math.nan
    low, high = 1, MOST_SEQUENCES
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if reached(middle) else (low, middle - 1)
    return float(low)


def _steps(
    workload: Workload, plans: Sequence[Plan], needs: Sequence[Need], target: float, solve_for: SolveFor
) -> list[Step]:
    first = needs[0]
    steps = [
        explain(
            bandwidth.read_per_step, subject="Weights met and cache", weight_byte=first.met_byte,
            sequences=workload.sequences, sequence_cache_byte=first.sequence_cache_byte,
        ),
        explain(
            bandwidth.required_bandwidth, subject="For the target", target_token_per_s=target, read_byte=first.read_byte
        ),
        explain(
            bandwidth.required_bandwidth, subject="Dense reading, every expert counted", target_token_per_s=target,
            read_byte=first.dense_byte + workload.sequences * first.sequence_cache_byte,
        ),
    ]  # fmt: skip
    for plan, need in zip(plans, needs, strict=True):
        steps += _machine_steps(workload, plan, need, target)
    return steps


def _machine_steps(workload: Workload, plan: Plan, need: Need, target: float) -> list[Step]:
    one, count = plan.slot.chip.bandwidth_byte_per_s, plan.device_count
    if one is None or math.isnan(count):
        return []
    naive = explain(
        bandwidth.naive_rate, subject=f"{plan.name}, naive", devices=count, bandwidth_byte_per_s=one,
        read_byte=need.read_byte,
    )  # fmt: skip
    devices = explain(
        bandwidth.devices_for_rate, subject=plan.name, target_token_per_s=target, read_byte=need.read_byte,
        bandwidth_byte_per_s=one,
    )  # fmt: skip
    if not places_layers(plan.slot.chip):
        return [naive, devices]
    seen = explain(
        mesh.bandwidth_seen, subject=f"{plan.name}, what one stream sees", bandwidth_byte_per_s=one, wafers=count,
        layers=workload.architecture.layers,
    )  # fmt: skip
    total = weights_of(workload, plan.slot.chip).total
    read = explain(
        mesh.region_read_time, subject=f"{plan.name}, one region", weight_byte=total, wafers=count,
        bandwidth_byte_per_s=one,
    )  # fmt: skip
    return [naive, seen, read]
