"""Every plan that holds a model, the frontier of those nothing beats, and the plan to take for a target speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.engine import evaluate
from analysis.frontier import on_frontier
from analysis.models.cost import cost_per_token
from analysis.provenance import estimates_in, sources_of
from analysis.scales import HOUR_S, MILLION
from analysis.studies import plan_words as words
from analysis.studies.launch import Launch, Served, launches
from analysis.studies.plan_changes import BLANK, changes_for
from analysis.studies.plan_grid import Plan, family_of, grid
from analysis.studies.plan_steps import steps_of
from analysis.studies.rental import Rental, rental_of
from analysis.study import Study, rows_of, short_name
from analysis.workload import Workload
from data.records import Chip, Price

QUESTION = "Which plan serves this model at this speed, and what does no plan reach?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s", "power_w")
ANSWERED = (
    "feasible", "reason", "tokens_per_s_per_user", "output_tokens_per_s", "running", "binding", "energy_j_per_token",
    "memory_needed_byte", "share_memory", "share_compute", "share_latency", "share_communication", "confidence",
)  # fmt: skip
AGAINST = {
    "tokens/s per device": "output_tokens_per_s_per_device",
    "tokens per joule": "output_tokens_per_j",
    "cost": "cost_usd_per_million_tokens",
}
AS_FAST = 0.97  # of the fastest plan: what is nearer does not pay for more devices
LOWER_IS_BETTER = frozenset({"cost_usd_per_million_tokens"})
Rows = list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the search is for.

    target_token_per_s   speed of each user
    against              column that the best plan makes most (or least) of
    formats              number formats allowed: (weights, cache) each
    """

    target_token_per_s: float
    against: str = "output_tokens_per_s_per_device"
    formats: Sequence[tuple[str, str]] = (("fp8", "fp8"), ("bf16", "bf16"))


def study(workload: Workload, chips: Sequence[Chip], wanted: Wanted, prices: Sequence[Price] = ()) -> Study:
    """All plans of these chips in one call to the engine, and the best one of every family. [tokens/s, USD]

    Decode steps at the context, every user of a plan served at once. A plan that waits for room is no plan.

    Table: one row a family, its best plan or else the closest one, with what would have to change. Marks: `plans`, all
    plans that hold the model, `frontier` True where nothing is better both ways; `winner`, the row to take, or None;
    `target`, `against`; `launches`, the commands that start each best plan, by name.
    """
    plans = grid(workload, chips, wanted.formats)
    frame = _answered(workload, plans, prices)
    rows = rows_of(frame[frame["feasible"] & (frame["binding"] != "queue")])
    _mark_frontier(rows, wanted.against)
    families = _best_of_families(workload, chips, plans, rows, wanted)
    winner = best_plan(rows, wanted)
    named = [chip for chip in chips if chip.key in {row["chip_key"] for row in families}]
    served = pd.DataFrame(rows)
    return Study(
        question=QUESTION,
        answer=words.answer(workload, winner, len(rows), wanted.target_token_per_s, wanted.against, _refused(frame)),
        conditions=words.conditions(len(plans), rows, winner, wanted.target_token_per_s, wanted.formats),
        table=pd.DataFrame(families),
        steps=lambda: steps_of(workload, plans, winner, wanted),
        sources=sources_of(workload.architecture, named, FIELDS),
        remarks=(*words.far_from_measured(families), *words.price_remarks(named, prices), *estimates_in(named, FIELDS)),
        assumptions=words.ASSUMED,
        marks={
            "plans": served,
            "winner": winner,
            "target": wanted.target_token_per_s,
            "against": wanted.against,
            "launches": _launches(plans, [row for row in families if row["feasible"]]),
        },
    )


def _refused(frame: pd.DataFrame) -> str:
    """What keeps every plan from serving, where that is one thing and not the memory; else empty."""
    reasons = set(frame["reason"])
    alone = str(next(iter(reasons))) if len(reasons) == 1 else ""
    return "" if alone.startswith("does not fit") else alone.rstrip(".")


def _launches(plans: Sequence[Plan], rows: Sequence[dict[str, Any]]) -> dict[str, list[Launch]]:
    """How each of these plans is started, by its name with its users: "8 × B200, 16 at once"."""
    found = {}
    for row in rows:
        plan = plans[int(row["at"])]
        found[f"{plan.name}, {plan.users} at once"] = launches(
            Served(
                architecture=plan.case.architecture, chip=plan.chip, spread=plan.spread, weights=plan.weights,
                cache=plan.cache, users=plan.users, context_tokens=plan.case.input_tokens,
            )
        )  # fmt: skip
    return found


def _answered(workload: Workload, plans: Sequence[Plan], prices: Sequence[Price]) -> pd.DataFrame:
    """Every plan with the engine's answer, tokens per device and per joule, and its cost."""
    if not plans:
        return pd.DataFrame(columns=[*ANSWERED, "at"])
    answers = evaluate([plan.case for plan in plans], workload.parameters)
    columns: dict[str, Any] = {name: answers[name].to_numpy() for name in ANSWERED}
    count = np.array([plan.spread.device_count for plan in plans], dtype=float)
    rate = columns["output_tokens_per_s"].astype(float)
    rentals = {chip.key: rental_of(chip, prices) for chip in {plan.chip.key: plan.chip for plan in plans}.values()}
    hourly = np.array([_hourly(rentals[plan.chip.key]) for plan in plans])
    rated = np.array([plan.chip.power_w or math.nan for plan in plans], dtype=float)
    columns["at"] = np.arange(len(plans))
    columns["device_count"] = count
    columns["output_tokens_per_s_per_device"] = rate / count
    columns["output_tokens_per_j"] = rate / (count * rated)
    columns["cost_usd_per_million_tokens"] = MILLION * cost_per_token(hourly / HOUR_S, count, rate)
    named = {name: [getattr(plan, name) for plan in plans] for name in ("name", "family", "users", "weights", "cache")}
    split = {"spread": [plan.split for plan in plans], "chip_key": [plan.chip.key for plan in plans]}
    return pd.DataFrame(named | split | columns)


def _hourly(rental: Rental | None) -> float:
    return rental.usd_per_hour if rental else math.nan


def _value(row: dict[str, Any], against: str) -> float:
    """The column to make most of, larger always better; nan where it is unknown."""
    value = float(row[against])
    return -value if against in LOWER_IS_BETTER else value


def _worse(row: dict[str, Any], wanted: Wanted) -> float:
    """Smaller for plans that make more of the other column; unknown ones last."""
    value = _value(row, wanted.against)
    return math.inf if math.isnan(value) else -value


def _mark_frontier(rows: Rows, against: str) -> None:
    """Write `frontier` into every row: True where no plan is faster per user and better in the other column."""
    speed = np.array([row["tokens_per_s_per_user"] for row in rows], dtype=float)
    value = np.array([_value(row, against) for row in rows], dtype=float)
    for row, best in zip(rows, on_frontier(speed, value), strict=True):
        row["frontier"] = bool(best)


def best_plan(rows: Rows, wanted: Wanted) -> dict[str, Any] | None:
    """The plan at the target that makes most of the other column; without one, the smallest of the fastest."""
    if not rows:
        return None
    reached = [row for row in rows if row["tokens_per_s_per_user"] >= wanted.target_token_per_s]
    if not reached:
        fastest = max(float(row["tokens_per_s_per_user"]) for row in rows)
        near = [row for row in rows if row["tokens_per_s_per_user"] >= AS_FAST * fastest]
        return min(near, key=lambda row: (row["device_count"], _worse(row, wanted), -row["tokens_per_s_per_user"]))
    known = [row for row in reached if not math.isnan(_value(row, wanted.against))]
    if known:
        return max(known, key=lambda row: (_value(row, wanted.against), row["tokens_per_s_per_user"]))
    return max(reached, key=lambda row: float(row["output_tokens_per_s_per_device"]))


def _best_of_families(
    workload: Workload, chips: Sequence[Chip], plans: Sequence[Plan], rows: Rows, wanted: Wanted
) -> Rows:
    """One row a family, reached ones first, the others by speed; a family that nothing holds has no figures."""
    grouped: dict[str, Rows] = {}
    for row in rows:
        grouped.setdefault(str(row["family"]), []).append(row)
    best = [found for group in grouped.values() if (found := best_plan(group, wanted)) is not None]
    said = changes_for(workload, [plans[row["at"]] for row in best], best, wanted.target_token_per_s)
    ordered = sorted(zip(best, said, strict=True), key=lambda pair: -float(pair[0]["tokens_per_s_per_user"]))
    answered = [row | change | {"binds": words.binds(row)} for row, change in ordered]
    missing = {family_of(chip): chip for chip in chips if family_of(chip) not in grouped}
    empty: dict[str, Any] = dict.fromkeys((*ANSWERED, "device_count", *AGAINST.values()), math.nan) | dict(BLANK)
    empty |= {
        "feasible": False,
        "spread": "",
        "weights": "",
        "users": math.nan,
        "binds": words.NOTHING_SERVES,
    }
    return answered + [
        empty | {"family": family, "name": short_name(chip), "chip_key": chip.key} for family, chip in missing.items()
    ]
