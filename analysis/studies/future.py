"""Which figure of a chip binds: each moved by itself, and what an edited copy does against the catalogue's chip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from analysis.engine import evaluate
from analysis.explain import explain
from analysis.models.cost import cost_per_token
from analysis.models.sensitivity import relative_change
from analysis.plans import plans_of, served_case
from analysis.provenance import estimates_in, sources_of
from analysis.scales import HOUR_S, MILLION
from analysis.studies import future_words as words
from analysis.studies.compare_steps import steps_of
from analysis.studies.rental import OWN, rental_of
from analysis.study import Slot, Step, Study, counted
from analysis.workload import Workload
from data.catalogue.chip_files import FIELD_UNITS
from data.catalogue.edited import edited, figure_text
from data.records import Chip, Price

QUESTION = "Which figure of this chip binds?"
Effect = Literal[
    "tokens_per_s_per_user", "output_tokens_per_s", "cost_usd_per_million_tokens", "energy_j_per_token"
]  # fmt: skip
EFFECTS: tuple[Effect, ...] = (
    "tokens_per_s_per_user", "output_tokens_per_s", "cost_usd_per_million_tokens", "energy_j_per_token"
)  # fmt: skip
SMALLEST = 1e-3  # a change below a thousandth is none: nobody tells such chips apart
PEAKS = tuple(name for name in FIELD_UNITS if name.startswith("peak_"))
# What is moved together, as people name it; fields that a chip lacks are left out.
FIGURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("memory", ("memory_byte",)),
    ("memory bandwidth", ("bandwidth_byte_per_s",)),
    ("dense peaks", PEAKS),
    ("links", ("link_bandwidth_byte_per_s",)),
    ("cores", ("core_count",)),
    ("power", ("power_w",)),
    ("price of an hour", (OWN,)),
)
SHOWN_PEAK = ("peak_bf16_flop_per_s", "peak_fp16_flop_per_s")
# A wafer that nobody has announced: these figures of a WSE-3 doubled, its cores and power as they are.
NEXT_WAFER = ("wse-3", ("memory_byte", "bandwidth_byte_per_s", "peak_fp16_flop_per_s", "peak_bf16_flop_per_s"), 2.0)


@dataclass(frozen=True, kw_only=True)
class Move:
    """One figure moved one way."""

    figure: str
    factor: float
    slot: Slot


def next_wafer(chip: Chip) -> Chip:
    """A hypothetical successor of this wafer: the figures named in NEXT_WAFER times its factor, where known."""
    _, names, factor = NEXT_WAFER
    return edited(chip, [(name, factor * value) for name in names if (value := getattr(chip, name)) is not None])


def study(
    workload: Workload,
    slot: Slot,
    shipped: Chip,
    *,
    step_fraction: float = 0.2,
    effect: Effect = "tokens_per_s_per_user",
    prices: Sequence[Price] = (),
    duty_fraction: float = 1.0,
) -> Study:
    """What each figure of the slot's chip does to a decode step, one at a time. [as the effect]

    shipped         the same chip as the catalogue has it
    step_fraction   how far each figure is moved, both ways
    effect          key of `analysis.metrics` that is watched

    The count of devices is held where it stands. Table: one row a figure, largest effect first: `figure`, `value` as
    text, `less` and `more` (the effect), `less_change` and `more_change` (fractions), `verdict`.
    """
    plan = plans_of(workload, [slot])[0]
    held = replace(slot, device_count=words.whole(plan.device_count))
    priced = _priced(held.chip, prices)
    moves = _moves(held, priced, step_fraction)
    asked = [replace(slot, chip=shipped), held, *(move.slot for move in moves)]
    answers = _answers(workload, asked, prices, duty_fraction)
    values = answers[effect].astype(float).where(answers["feasible"].astype(bool)).tolist()
    table = _table(moves, values[2:], values[1], priced, step_fraction)
    standing = counted(shipped, words.whole(answers["device_count"].iloc[0]))
    known = words.Known(
        name=plan.name if held.device_count else counted(slot.chip, None), shipped=standing, before=values[0],
        now=values[1], row=answers.iloc[1].to_dict(), effect=effect, step=step_fraction, plan=plan,
    )  # fmt: skip
    return Study(
        question=QUESTION,
        answer=words.answer(workload, known, table),
        conditions=words.conditions(workload, known, slot.chip),
        table=table,
        steps=lambda: _steps(workload, held, answers, table, values[1], prices, duty_fraction),
        sources=sources_of(workload.architecture, [slot.chip], [name for _, names in FIGURES for name in names]),
        assumptions=words.assumptions(slot.chip, answers.iloc[1].to_dict()),
        remarks=(*estimates_in([slot.chip], ()), *words.hypothetical(slot.chip, shipped)),
        marks={"place": slot.place, "effect": effect, "step": step_fraction, "now": values[1]},
    )


def _priced(chip: Chip, prices: Sequence[Price]) -> Chip:
    """The chip with its rental filled in from the dated prices, where there are any."""
    rental = rental_of(chip, prices)
    return edited(chip, [(OWN, rental.usd_per_hour)]) if rental else chip


def _moves(slot: Slot, priced: Chip, step: float) -> list[Move]:
    """Every known figure less and more, in the order of FIGURES; `priced` is the chip with its rental filled in."""
    moves = []
    for figure, names in FIGURES:
        chip = priced if figure == "price of an hour" else slot.chip
        known = [(name, float(value)) for name in names if (value := getattr(chip, name)) is not None]
        for factor in (1.0 - step, 1.0 + step) if known else ():
            scaled = [(n, float(round(v * factor)) if FIELD_UNITS[n] == "1" else v * factor) for n, v in known]
            moves.append(Move(figure=figure, factor=factor, slot=replace(slot, chip=edited(chip, scaled))))
    return moves


def _answers(workload: Workload, slots: Sequence[Slot], prices: Sequence[Price], duty_fraction: float) -> pd.DataFrame:
    """The engine's answer to every slot, in one call, with the cost of its tokens."""
    answers = evaluate([served_case(workload, each, duty_fraction) for each in slots], workload.parameters)
    rentals = [rental_of(slot.chip, prices) for slot in slots]
    hourly = pd.Series([rental.usd_per_hour if rental else float("nan") for rental in rentals])
    rate = answers["output_tokens_per_s"].astype(float)
    cost = MILLION * cost_per_token(hourly / HOUR_S, answers["device_count"].astype(float), rate)
    return answers.assign(cost_usd_per_million_tokens=cost)


def _table(moves: Sequence[Move], values: Sequence[float], now: float, chip: Chip, step: float) -> pd.DataFrame:
    """Rows of FIGURES, the largest effect first; a plan that does not fit has no value and says so."""
    rows = []
    for less, more, move in zip(values[::2], values[1::2], moves[::2], strict=True):
        changes = [relative_change(each, now) if now == now else float("nan") for each in (less, more)]
        changes = [0.0 if abs(each) < SMALLEST else float(each) for each in changes]
        rows.append(
            {
                "figure": move.figure,
                "value": _value(move.figure, chip),
                "less": less,
                "more": more,
                "less_change": changes[0],
                "more_change": changes[1],
                "reach": max((abs(each) for each in changes if each == each), default=0.0),
                "verdict": words.verdict(changes, (less, more), now, step),
            }
        )
    return pd.DataFrame(rows).sort_values("reach", ascending=False, kind="stable").reset_index(drop=True)


def _value(figure: str, chip: Chip) -> str:
    """The figure as it stands; for all peaks together, the 16-bit one."""
    names = SHOWN_PEAK if figure == "dense peaks" else dict(FIGURES)[figure]
    known = [(name, value) for name in names if (value := getattr(chip, name)) is not None]
    return figure_text(known[0][0], known[0][1]) if known else ""


def _steps(
    workload: Workload, slot: Slot, answers: pd.DataFrame, table: pd.DataFrame, now: float,
    prices: Sequence[Price], duty_fraction: float,
) -> tuple[Step, ...]:  # fmt: skip
    """How the chip's own speed comes about, then the change that the first figure makes."""
    name = counted(slot.chip, slot.device_count)
    row: Any = answers.iloc[[1]].assign(slot=name, place=slot.place)
    rentals = [rental_of(slot.chip, prices)]
    lines = list(steps_of(workload, [slot], row, rentals, duty_fraction))
    first = table.iloc[0]
    for column in ("more", "less"):
        if now == now and first[column] == first[column]:
            subject = f"{first['figure']}, {column}"
            lines.append(explain(relative_change, subject=subject, moved=float(first[column]), standing=now))
    return tuple(lines)
