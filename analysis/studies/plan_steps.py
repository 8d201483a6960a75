"""The arithmetic behind a plan search: the speed-up that is missing, the cost of the plan chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analysis.explain import explain
from analysis.models.accuracy import accepted_tokens_needed
from analysis.models.bandwidth import read_per_step, required_bandwidth
from analysis.models.cost import cost_per_token
from analysis.scales import MILLION
from analysis.study import Step
from analysis.workload import Workload, met_weights, read_cache

if TYPE_CHECKING:
    from analysis.studies.plan_grid import Plan
    from analysis.studies.plan_search import Wanted


def steps_of(workload: Workload, plans: Sequence[Plan], winner: Mapping[str, Any] | None, wanted: Wanted) -> list[Step]:
    """Steps of the plan named in the answer."""
    if winner is None:
        return []
    plan, speed = plans[int(winner["at"])], float(winner["tokens_per_s_per_user"])
    work = replace(workload, sequences=float(plan.users), weight_format=plan.weights, cache_format=plan.cache)
    name = f"{plan.name}, {plan.users} at once"
    read = explain(
        read_per_step, subject=f"{name}, read a step", weight_byte=met_weights(work, plan.chip)[0],
        sequences=work.sequences, sequence_cache_byte=read_cache(work, plan.chip),
    )  # fmt: skip
    byte = read_per_step(met_weights(work, plan.chip)[0], work.sequences, read_cache(work, plan.chip))
    need = explain(
        required_bandwidth, subject=f"{name}, bandwidth that the target asks for",
        target_token_per_s=wanted.target_token_per_s, read_byte=float(byte),
    )  # fmt: skip
    missing = explain(
        accepted_tokens_needed, subject=f"{name}, tokens a step that the target asks for",
        measured_token_per_s=wanted.target_token_per_s, predicted_token_per_s=speed,
    )  # fmt: skip
    return [read, need, missing, *_cost(winner, name)]


def _cost(winner: Mapping[str, Any], name: str) -> list[Step]:
    cost = float(winner["cost_usd_per_million_tokens"])
    if math.isnan(cost):
        return []
    rate, count = float(winner["output_tokens_per_s"]), float(winner["device_count"])
    hourly = cost / MILLION * rate / count
    return [
        explain(
            cost_per_token, subject=f"{name}, one token", price_usd_per_s=hourly, devices=count, rate_token_per_s=rate
        )
    ]
