"""The sentences of the future-chip page: what binds, what an edit did, and what the law takes for granted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.metrics import metric
from analysis.plans import GPU_ENGINE, Plan
from analysis.sentences import shortest_of
from analysis.studies.compare_words import BINDING, tokens
from analysis.workload import Workload
from data.catalogue.edited import edits_of, is_another_machine
from data.records import Chip

IN_WORDS = {
    "tokens_per_s_per_user": "tok/s per user",
    "output_tokens_per_s": "tok/s in all",
    "cost_usd_per_million_tokens": "cost a token",
    "energy_j_per_token": "energy a token",
}
_MESH = (
    "on a wafer a layer takes the fitted time a core and a crossing, so cores move its speed, "
    "memory its count, bandwidth and peak only its ceiling"
)


@dataclass(frozen=True, kw_only=True)
class Known:
    """What was computed of the chip as it stands.

    before, now   the effect with the catalogue's figures and with the edited ones; nan where it does not serve
    row           the engine's whole answer for it
    """

    name: str
    shipped: str
    before: float
    now: float
    row: Mapping[Any, Any]
    effect: str
    step: float
    plan: Plan


def whole(count: float) -> int | None:
    """A count of devices; None where none is known."""
    return None if math.isnan(count) else int(count)


def percent(fraction: float) -> str:
    """A change with its sign left out: "1.9 %"."""
    return f"{abs(100 * fraction):.2g} %" if abs(fraction) < 1 else f"{abs(100 * fraction):.0f} %"


def answer(workload: Workload, known: Known, table: pd.DataFrame) -> str:
    """What binds, or what the edit did, in at most 130 characters."""
    subject = f"{workload.architecture.name} at {tokens(workload.context_tokens)}"
    if math.isnan(known.now):
        return _refused(subject, known)
    first, shown = table.iloc[0], IN_WORDS[known.effect]
    if edits_of(known.plan.slot.chip) and known.before == known.before:
        change = known.now / known.before - 1.0
        against = "as much as" if abs(change) < 1e-9 else f"{percent(change)} {'more' if change > 0 else 'less'} than"
        now = metric(known.effect).format(known.now)
        first_words = f"it follows its {first['figure']} most" if first["reach"] > 0 else "no single figure moves it"
        return f"{known.name}: {now}, {against} {known.shipped} on {subject}; {first_words}."
    if first["reach"] == 0:
        return f"No figure of {known.name} by itself moves {shown} on {subject}."
    change, word = _larger(first)
    if math.isnan(change):
        return f"{known.name} follows its {first['figure']} most on {subject}."
    way = "more" if change > 0 else "less"
    return (
        f"{known.name} follows its {first['figure']} most: {percent(known.step)} {word} gives "
        f"{percent(change)} {way} {shown} on {subject}."
    )


def _larger(row: Any) -> tuple[float, str]:
    """Change when the figure grows, else when it shrinks."""
    if row["more_change"] == row["more_change"] and row["more_change"] != 0:
        return float(row["more_change"]), "more"
    return float(row["less_change"]), "less"


def _refused(subject: str, known: Known) -> str:
    refusal, short = known.plan.refusal.rstrip("."), known.plan.refusal.startswith("does not fit")
    if short and not math.isnan(known.plan.needed):
        return f"{known.name} does not hold {subject}; {known.plan.needed:,.0f} would."
    if short:
        return f"{known.name} does not hold {subject}, and no count of it that was tried does."
    head = f"{known.name} cannot serve {subject}"
    return shortest_of(f"{head}: {refusal}.", f"{head}: {refusal.split(':')[0]}.", f"{head}.")


def conditions(workload: Workload, known: Known, chip: Chip) -> str:
    """What is held, and the time that no figure of the chip moves."""
    users = "one user" if workload.sequences == 1 else f"{workload.sequences:,.0f} users at once"
    first = f"Decode, {users}, {workload.format_words(chip)}, no speculation. Modelled, not measured."
    held = f" One figure moved at a time, ± {percent(known.step)}, devices held."
    if known.row.get("binding") == "queue":
        held += " Memory binds: with more of it more users decode at once, each slower."
    share = float(known.row.get("share_latency", math.nan)) + float(known.row.get("share_host", math.nan))
    if math.isnan(share) or known.effect != "tokens_per_s_per_user":
        return first + held
    return f"{first}{held} {100 * share:.2g} % of a token's time is {_fixed(chip)}, which none of them moves."


def _fixed(chip: Chip) -> str:
    """What the time that no figure moves is called on this kind of machine."""
    return BINDING["latency"] if chip.execution == "kernels" else "fixed time of its layers"


def verdict(changes: Sequence[float], values: Sequence[float], now: float, step: float) -> str:
    """What stands beside a figure's bars."""
    if math.isnan(now):
        fits = [word for word, value in zip(("less", "more"), values, strict=True) if not math.isnan(value)]
        return f"{percent(step)} {fits[0]} would serve" if fits else "does not help by itself"
    gone = [word for word, value in zip(("less", "more"), values, strict=True) if math.isnan(value)]
    if gone:
        return f"does not fit with {percent(step)} {gone[0]}" if len(gone) == 1 else "not known"
    return "no effect by itself" if not any(changes) else ""


def assumptions(chip: Chip, row: Mapping[Any, Any]) -> tuple[str, ...]:
    """What the law of its kind takes for granted of a chip that does not exist."""
    said = [part.strip() for part in str(row.get("assumed", "")).split(";") if part.strip()]
    said.append("software reaches the shares of bandwidth and peak, and needs the fixed times, that real chips show")
    said += [_MESH] if chip.execution == "mesh" else []
    if chip.execution == "deterministic":
        said.append("the time of a layer is what its compiler is known to reach, whatever the chip's figures")
    return (*said, f"GPUs serve with {GPU_ENGINE}", "figures moved together may do more than the sum of each alone")


def hypothetical(chip: Chip, shipped: Chip) -> tuple[str, ...]:
    """That an edited chip is nobody's product."""
    if not is_another_machine(chip):
        return ()
    return (f"*Hypothetical*: {chip.name} is a what-if of yours on {shipped.vendor}'s {shipped.name}, no product",)
