"""The capacity study in words: how many replicas, what breaks a promise, what one down would mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.plans import GPU_ENGINE
from analysis.sentences import joined, shortest_of
from analysis.studies.serving_words import NO_PROMPT_LAW, lengths_words, seconds
from analysis.study import rows_of
from analysis.traffic.capacity import Load, Sized, broken_goal
from analysis.traffic.requests import RequestMix
from analysis.workload import Workload
from data.records import Chip
from data.units import format_number

if TYPE_CHECKING:
    from analysis.studies.capacity import Around

BARRED = "cannot compute its prompts"
NO_ROOM = "no room for one request"
NAMES = {"ttft": "first token", "tpot": "time per token", "e2e": "whole answer"}


def rate_words(rate_per_s: float) -> str:
    """ "1 request/s", "2.5 requests/s"."""
    return f"{format_number(rate_per_s)} request{'' if rate_per_s == 1 else 's'}/s"


def answer(workload: Workload, table: pd.DataFrame, load: Load) -> str:
    """One sentence of at most 130 characters: replicas of every machine, or why none suffices."""
    model, rate = workload.architecture.name, rate_words(load.rate_per_s)
    rows = [row for row in rows_of(table) if not math.isnan(row["replicas"])]
    if not rows:
        reason = str(rows_of(table)[0]["verdict"]).rstrip(".")
        name = rows_of(table)[0]["slot"]
        if feeder := next((row["prefill_slot"] for row in rows_of(table) if BARRED in str(row["verdict"])), ""):
            return shortest_of(
                f"{feeder} cannot compute the prompts for {model}, so nothing is served; choose another for them.",
                f"{feeder} cannot compute the prompts, so nothing is served; choose another for them.",
            )
        return shortest_of(
            f"No number of replicas keeps these promises for {model}. {name}: {reason}.",
            f"No number of replicas keeps these promises. {name}: {reason}.",
            f"No number of replicas of any of these keeps these promises for {model}.",
        )
    fed = [row for row in rows if row["prefill_slot"]]
    if fed:
        return _fed_answer(min(fed, key=lambda row: float(row["e2e_p95_s"])), model, rate)
    ordered = sorted(rows, key=lambda row: float(row["device_count"]))
    verb = "takes" if load.rate_per_s == 1 else "take"
    return joined(f"{rate} of {model} within these limits {verb} ", [_counted(row) for row in ordered], last=" or ")


def _counted(row: dict[str, object]) -> str:
    return f"{row['replicas']:,.0f} × ({row['slot']})"


def _fed_answer(row: dict[str, Any], model: str, rate: str) -> str:
    """The plan with the shortest answers among those whose prompts are computed elsewhere."""
    parts = f"{_counted(row)} fed by {row['prefill_replicas']:,.0f} × ({row['prefill_slot']})"
    within = seconds(row["e2e_p95_s"])
    return shortest_of(
        f"{rate} of {model}: {parts} give the shortest answers, 95 % of them within {within}.",
        f"{rate} of {model}: {parts}, 95 % of answers within {within}.",
        f"{rate}: {parts}, 95 % within {within}.",
    )


def verdict(plan: Sized, mix: RequestMix, load: Load) -> str:
    """Which promise no number of replicas keeps, with the number; or how the plan stands."""
    replica = plan.replica
    if replica.refusal:
        return replica.refusal.rstrip(".")
    if plan.broken == "none":
        return _nothing_served(plan)
    if plan.broken and plan.alone is not None:
        met = getattr(plan.alone, f"{plan.broken}_s").quantile(load.goals.share)
        limit = getattr(load.goals, f"{plan.broken}_s")
        return f"{NAMES[plan.broken]} {seconds(met)} even with nobody else, {seconds(limit)} wanted"
    if plan.served is None:
        return "its queue never ends"
    if plan.outcome is not None and plan.prefill is None and not plan.outcome.meets(load.goals):
        return f"followed: {_shares(plan, load)}"
    return "keeps all promises"


def _nothing_served(plan: Sized) -> str:
    """Why a plan serves nothing at all: no room, or prompts that nobody can compute."""
    if plan.replica.room < 1:
        return NO_ROOM
    if plan.prefill is None:
        return NO_PROMPT_LAW
    why = plan.prefill.refusal.rstrip(".") or (NO_ROOM if plan.prefill.room < 1 else NO_PROMPT_LAW)
    return f"{plan.prefill.name} {BARRED}: {why}"


def _shares(plan: Sized, load: Load) -> str:
    if plan.outcome is None:
        return ""
    least = min(plan.outcome.attained(load.goals))
    return f"{100 * least:.1f} % kept"


def one_down(plan: Sized, load: Load) -> str:
    """What requests meet while one replica is down."""
    if not plan.replicas:
        return ""
    if plan.replicas == 1:
        return "nothing answers"
    if plan.one_down is None:
        return "the queue never ends"
    broken = broken_goal(plan.one_down, load.goals)
    if not broken:
        return "all promises kept"
    met = getattr(plan.one_down, f"{broken}_s").quantile(load.goals.share)
    return f"{NAMES[broken]} {seconds(met)}"


def conditions(workload: Workload, mix: RequestMix, load: Load, chip: Chip, *, cut: bool, recorded: bool) -> str:
    """What the answer holds for."""
    goals, share = load.goals, f"{100 * load.goals.share:.0f} %"
    limits = ", ".join(
        f"{name} within {seconds(value)}"
        for name, value in (("first token", goals.ttft_s), ("a token", goals.tpot_s), ("answer", goals.e2e_s))
        if math.isfinite(value)
    )
    arrive = "arrivals as recorded" if recorded else "arriving at random"
    asked = f"Prompts of {lengths_words(mix.prompts)} tokens, answers of {lengths_words(mix.output_tokens)}, {arrive}"
    limit = " Lengths beyond the model's context are cut." if cut else ""
    formats = workload.format_words(chip)
    return f"{asked}; for {share} of them {limits}, at the server. {formats}. Modelled, not measured.{limit}"


def assumptions(plans: Sequence[Sized], load: Load, *, around: Around, recorded: bool) -> tuple[str, ...]:
    """What the figures take for granted."""
    said = [
        f"GPUs serve with {GPU_ENGINE}; prompts are computed one at a time, in order, before the next decode step",
        "percentiles are laws, within about 10 % of a server followed step by step up to 0.85 of what it carries",
        f"weights are read at {around.read_byte_per_s / 1e9:g} GB/s a device and a replica needs "
        f"{around.start_s:g} s more to start; network, tokenising and the rest of the way are round figures",
    ]
    if recorded:
        said[1] = "requests are followed one by one from empty replicas, lengths drawn for them"
    elif load.routing == "random":
        said.append("requests go to any replica at random, so that each has a queue of its own")
    else:
        said.append("requests go to the replica with fewest of them; its law is that of one queue for all")
    if any(plan.replica.layer_s for plan in plans):
        said.append("on a wafer prompts take turns in the regions, so that none waits and all are slower")
    if recorded and any(plan.prefill is not None for plan in plans):
        said.append("machines fed by others are sized for arrivals at random, at the mean rate of the recorded ones")
    if any(plan.prefill is not None for plan in plans):
        said.append(f"caches are sent at {load.link_byte_per_s / 1e9:g} GB/s a request, nothing of it hidden; assumed")
    return tuple(said)


def followed(plans: Sequence[Sized], load: Load) -> tuple[str, ...]:
    """What following the requests one by one found."""
    checked = [plan for plan in plans if plan.outcome is not None]
    if not checked:
        return ()
    parts = [f"{plan.replica.name} {_shares(plan, load)}" for plan in checked]
    raised = sum(plan.raised for plan in checked)
    more = f", {raised} replicas added for it" if raised else ""
    return (f"Followed request by request, of the promise kept least: {'; '.join(parts)}{more}",)
