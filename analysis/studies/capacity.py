"""How many replicas keep these promises under this load?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.capacity import backlog, load_time, prefill_balance, replicas_for_rate
from analysis.models.queueing import people_served
from analysis.provenance import estimates_in, sources_of
from analysis.studies import capacity_words as words
from analysis.studies.capacity_steps import steps_of
from analysis.study import Slot, Study
from analysis.traffic.arrivals import mean_rate, sized_for
from analysis.traffic.capacity import Load, Sized, sized, sized_apart
from analysis.traffic.open_loop import Served
from analysis.traffic.replica import Replica, replicas_of
from analysis.traffic.requests import RequestMix
from analysis.traffic.spread import Floats
from analysis.workload import Workload

QUESTION = "How many replicas keep these promises under this load?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s")
SHARES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
TIMES = {"first token": "ttft_s", "time per token": "tpot_s", "whole answer": "e2e_s"}
BEYOND = 2.0  # the staircase is drawn up to so many times the load
Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Around:
    """What stands round the replicas; figures that nobody measured here are assumed and can be changed.

    quiet_fraction      lowest load over the highest, between which replicas are added and taken away
    read_byte_per_s     rate at which one device reads weights when a replica starts
    start_s             process start, graph capture, warm-up
    network_s, tokenise_s, after_s   on a request's way, outside the promises
    """

    quiet_fraction: float = 0.1
    read_byte_per_s: float = 1e9
    start_s: float = 60.0
    network_s: float = 0.04
    tokenise_s: float = 0.005
    after_s: float = 0.005


def study(
    workload: Workload,
    slots: Sequence[Slot],
    mix: RequestMix,
    load: Load,
    *,
    around: Around | None = None,
    prompts_by: int | None = None,
    arrivals_s: Floats | None = None,
    check: bool = False,
    shown: str = "first token",
) -> Study:
    """Replicas of every slot for a load of Poisson arrivals, or of arrivals as recorded. [replicas, s]

    prompts_by   place in `slots` of the machine that computes the prompts for all others, which serve nothing where
                 it cannot; None: each its own
    arrivals_s   recorded arrivals, which are followed one by one; their mean rate replaces the load's
    check        follow the requests of every plan one by one and add replicas where the law promised too much
    shown        which time `p50_s`, `p95_s` and `p99_s` are of: a key of `TIMES`

    Table: one row a slot. Marks: `stairs` (place, rate_per_s, replicas), `path` (place, part, seconds), `load`.
    """
    mix, cut = mix.within(float(workload.architecture.max_context_tokens or math.inf))
    load = load if arrivals_s is None else replace(load, rate_per_s=mean_rate(arrivals_s))
    round_it = around or Around()
    replicas = replicas_of(workload, slots, mix)
    plans = [_plan(replica, replicas, mix, load, prompts_by, arrivals_s, check) for replica in replicas]
    table = pd.DataFrame([_row(plan, mix, load, round_it, shown) for plan in plans])
    chips = [slot.chip for slot in slots]
    return Study(
        question=QUESTION,
        answer=words.answer(workload, table, load),
        conditions=words.conditions(workload, mix, load, chips[0], cut=cut, recorded=arrivals_s is not None),
        table=table,
        steps=lambda: steps_of(plans, mix, load, round_it),
        sources=sources_of(workload.architecture, chips, FIELDS),
        assumptions=words.assumptions(plans, load, around=round_it, recorded=arrivals_s is not None),
        remarks=(*estimates_in(chips, FIELDS), *words.followed(plans, load)),
        marks={
            "stairs": _stairs(plans, load, round_it),
            "path": pd.DataFrame([row for plan in plans for row in _path(plan, round_it)], columns=list(PATH)),
            "load": load.rate_per_s,
            "limit_s": getattr(load.goals, TIMES[shown]),
            "shown": shown,
        },
    )


PATH = ("place", "slot", "part", "path_s")


def _plan(
    replica: Replica, replicas: Sequence[Replica], mix: RequestMix, load: Load, prompts_by: int | None,
    arrivals_s: Floats | None, check: bool,
) -> Sized:  # fmt: skip
    if replica.refusal or replica.room < 1:
        return Sized(replica=replica, broken="none")
    prefill = replica if prompts_by is None else replicas[prompts_by]
    if prefill is not replica:
        if prefill.refusal or prefill.room < 1:
            return Sized(replica=replica, prefill=prefill, broken="none")
        return sized_apart(replica, prefill, mix, load)
    if arrivals_s is not None:
        return sized_for(replica, mix, load, arrivals_s)
    return sized(replica, mix, load, check=check)


def _row(plan: Sized, mix: RequestMix, load: Load, around: Around, shown: str) -> Row:
    replica, found = plan.replica, plan.replicas > 0
    row: Row = {"slot": replica.name, "place": replica.plan.slot.place, "vendor": replica.plan.slot.chip.vendor}
    row["replicas"] = float(plan.replicas) if found else math.nan
    row["prefill_replicas"] = float(plan.prefill_replicas) if plan.prefill_replicas else math.nan
    row["prefill_slot"] = plan.prefill.name if plan.prefill is not None else ""
    row["device_count"] = replica.devices * plan.replicas if found else math.nan
    if plan.prefill is not None:
        row["device_count"] += plan.prefill_replicas * plan.prefill.devices
    row["most_per_s"] = plan.most_per_s
    answered = math.nan if plan.served is None else plan.served.e2e_s.mean
    row["people"] = float(people_served(load.rate_per_s, mix.think_s, answered))
    row |= _percentiles(plan.served, shown)
    row["verdict"] = words.verdict(plan, mix, load)
    row["one_down"] = words.one_down(plan, load)
    return row | _jump(plan, load, around) | {"balance": _balance(plan, mix)}


def _percentiles(served: Served | None, shown: str) -> Row:
    """Percentiles of the time shown, and the 95th of all three; nan where nothing is served."""
    if served is None:
        names = (*SHARES, "ttft_p95_s", "tpot_p95_s", "e2e_p95_s")
        return dict.fromkeys(names, math.nan)
    spread = getattr(served, TIMES[shown])
    row: Row = {name: spread.quantile(share) for name, share in SHARES.items()}
    return row | {f"{name}_p95_s": getattr(served, f"{name}_s").quantile(0.95) for name in ("ttft", "tpot", "e2e")}


def _jump(plan: Sized, load: Load, around: Around) -> Row:
    """Replicas when it is quiet, how late new ones answer, what piles up until then and how long it is worked off."""
    names = ("quiet_replicas", "cold_start_s", "backlog_requests", "drain_s")
    if not plan.replicas or math.isnan(plan.most_per_s):
        return dict.fromkeys(names, math.nan)
    replica = plan.replica
    quiet = float(replicas_for_rate(around.quiet_fraction * load.rate_per_s, plan.most_per_s))
    late = float(load_time(replica.weight_byte, around.read_byte_per_s * replica.devices, around.start_s))
    piled = float(backlog(load.rate_per_s, quiet * plan.most_per_s, late))
    spare = plan.replicas * plan.most_per_s - load.rate_per_s
    drain = piled / spare if piled and spare > 0 else (math.inf if piled else 0.0)
    return dict(zip(names, (min(quiet, plan.replicas), late, piled, drain), strict=True))


def _balance(plan: Sized, mix: RequestMix) -> float:
    """Prefill replicas for each decode replica that is kept full; nan where prompts are computed in place."""
    if plan.prefill is None or plan.served is None:
        return math.nan
    prompt = plan.prefill.prompt_s(mix.prompts, mix.cached_fraction).mean / plan.prefill.stages
    full = plan.replica.room
    return float(prefill_balance(prompt, full, mix.output_tokens.mean, float(plan.replica.step_s(full))))


def _stairs(plans: Sequence[Sized], load: Load, around: Around) -> pd.DataFrame:
    """Replicas over the load, at every rate where one more is needed; from the quiet load to twice the highest."""
    low, high = max(around.quiet_fraction, 0.01) * load.rate_per_s, BEYOND * load.rate_per_s
    rows: list[tuple[object, ...]] = []
    for plan in plans:
        if plan.replicas and plan.most_per_s > 0:
            name, place = plan.replica.name, plan.replica.plan.slot.place
            edges = plan.most_per_s * np.unique(np.round(np.geomspace(1, max(high / plan.most_per_s, 1.0), 400)))
            for rate in [low, *(float(edge) for edge in edges if low < edge < high), high]:
                count = float(replicas_for_rate(rate, plan.most_per_s))
                rows.append((place, name, rate, max(count, plan.replicas) if rate == load.rate_per_s else count))
    return pd.DataFrame(rows, columns=["place", "slot", "rate_per_s", "replicas"])


def _path(plan: Sized, around: Around) -> list[tuple[object, ...]]:
    """Mean times along a request's way, in order."""
    served = plan.served
    if served is None:
        return []
    prompt = served.prompt_s.mean
    start = max(served.ttft_s.mean - served.wait_s.mean - prompt, 0.0)
    parts = (
        ("network", around.network_s), ("tokenise", around.tokenise_s), ("queue", served.wait_s.mean),
        ("schedule", start), ("prompt", prompt), ("answer", served.decoding_s.mean), ("after", around.after_s),
    )  # fmt: skip
    place, name = plan.replica.plan.slot.place, plan.replica.name
    return [(place, name, part, seconds) for part, seconds in parts]
