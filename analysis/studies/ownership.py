"""Whether to rent or to buy: what either costs an hour and a million tokens, and where the two meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.cost import cost_per_token
from analysis.models.ownership import break_even_use, owning_cost, pay_back_time, power_cost, written_off
from analysis.provenance import own_figures_in, sources_of
from analysis.scales import HOUR_S, J_PER_KWH, MILLION, MONTH_S, YEAR_S
from analysis.studies import ownership_words as words
from analysis.studies.ownership_steps import steps_of
from analysis.studies.rental import Purchase, Rental, purchase_of, rental_of
from analysis.studies.requests import Request, served, wall_powers
from analysis.study import Slot, Study, rows_of
from analysis.workload import Workload
from data.records import Price

QUESTION = "Is it cheaper to rent these machines or to own them?"
FIELDS = ("power_w", "memory_byte", "bandwidth_byte_per_s")
WHOLE_SYSTEMS = ("mesh",)  # priced with everything round the chip


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What owning is taken to cost beside the devices; all of it assumed until somebody types their own.

    years             over which the purchase is written off
    usd_per_kwh       price of energy
    facility_factor   power of the building over that of its machines (PUE), cooling included
    upkeep_fraction   repair, space, network and people in a year, over the purchase
    around_factor     price of whole servers and their network over that of their devices; 1 for whole systems
    """

    years: float = 4.0
    usd_per_kwh: float = 0.10
    facility_factor: float = 1.3
    upkeep_fraction: float = 0.05
    around_factor: float = 1.4


def study(
    workload: Workload, slots: Sequence[Slot], request: Request, terms: Terms, *, prices: Sequence[Price] = ()
) -> Study:
    """Owning beside renting for up to six slots. [USD an hour, USD per million output tokens]

    The machines stand all hours and serve the share of them that the request says; rent is paid for all hours, and for
    `break_even_use_fraction` for the hours served alone.

    Table: one row a slot with keys of `analysis.metrics`. Marks: `curves` (place, slot, month, owning_usd,
    renting_usd).
    """
    rentals = [rental_of(slot.chip, prices) for slot in slots]
    purchases = [purchase_of(slot.chip, prices) for slot in slots]
    table = _table(workload, slots, request, terms, (rentals, purchases))
    chips = [slot.chip for slot in slots]
    paid = [each for each in (*rentals, *purchases) if each is not None]
    return Study(
        question=QUESTION,
        answer=words.answer(workload, table, terms.years),
        conditions=words.conditions(request, terms.years, terms.usd_per_kwh, terms.facility_factor),
        table=table,
        steps=lambda: steps_of(table, terms.years * YEAR_S),
        sources=(
            *sources_of(workload.architecture, chips, FIELDS),
            *dict.fromkeys(source for each in paid for source in each.sources),
        ),
        assumptions=words.assumptions(terms.around_factor, terms.upkeep_fraction, table),
        remarks=(*own_figures_in(chips), *words.remarks(chips, rentals, purchases)),
        marks={"curves": _curves(table, terms.years), "years": terms.years},
    )


def _table(
    workload: Workload, slots: Sequence[Slot], request: Request, terms: Terms,
    paid: tuple[Sequence[Rental | None], Sequence[Purchase | None]],
) -> pd.DataFrame:  # fmt: skip
    answers = served(workload, slots, request)
    count = answers["device_count"].astype(float).to_numpy()
    hourly = np.array([each.usd_per_hour if each else np.nan for each in paid[0]])
    around = np.array([1.0 if slot.chip.execution in WHOLE_SYSTEMS else terms.around_factor for slot in slots])
    purchase = np.array([each.usd if each else np.nan for each in paid[1]]) * around * count
    costs = _costs(slots, answers, request, terms, purchase, hourly * count / HOUR_S)
    rate = answers["output_tokens_per_s"].astype(float).to_numpy() * request.duty_fraction
    rate = np.where(rate > 0, rate, np.nan)
    table = answers.assign(
        **costs,
        purchase_usd=purchase,
        owning_usd_per_hour=costs["owning_usd_per_s"] * HOUR_S,
        renting_usd_per_hour=hourly * count,
        power_usd_per_hour=costs["power_usd_per_s"] * HOUR_S,
        owning_usd_per_million_tokens=MILLION * cost_per_token(costs["owning_usd_per_s"], 1.0, rate),
        renting_usd_per_million_tokens=MILLION * cost_per_token(hourly / HOUR_S, count, rate),
        pay_back_months=words.only_positive(costs["pay_back_s"] / MONTH_S),
        firmness=[words.firmness(*each) for each in zip(*paid, strict=True)],
    )
    return table.assign(row_header=[words.row_header(row) for row in rows_of(table)])


def _costs(
    slots: Sequence[Slot], answers: pd.DataFrame, request: Request, terms: Terms, purchase: Any, rental: Any
) -> dict[str, Any]:  # fmt: skip
    """Parts of owning in USD a second, pay-back time and break-even use. (slots,)"""
    idle, serving = wall_powers(slots, answers, request.duty_fraction)
    mean = answers["power_w"].astype(float).to_numpy()
    energy = (terms.facility_factor, terms.usd_per_kwh / J_PER_KWH)
    spread = written_off(purchase, terms.years * YEAR_S)
    power = power_cost(mean, *energy)
    owning = owning_cost(spread, terms.upkeep_fraction, terms.years, power)
    fixed = owning - power
    idle_cost, serving_cost = power_cost(idle, *energy), power_cost(serving, *energy)
    use = break_even_use(fixed, idle_cost, serving_cost, rental)
    return {
        "wall_w": mean,
        "facility_factor": np.full(len(slots), terms.facility_factor),
        "energy_usd_per_j": np.full(len(slots), terms.usd_per_kwh / J_PER_KWH),
        "upkeep_fraction": np.full(len(slots), terms.upkeep_fraction),
        "written_off_usd_per_s": spread,
        "power_usd_per_s": power,
        "fixed_usd_per_s": fixed,
        "idle_usd_per_s": idle_cost,
        "serving_usd_per_s": serving_cost,
        "owning_usd_per_s": owning,
        "rental_usd_per_s": rental,
        "break_even_use_fraction": np.where((use > 0) & (rental > serving_cost - idle_cost), use, np.nan),
        "pay_back_s": pay_back_time(purchase, rental, owning - spread),
    }


def _curves(table: pd.DataFrame, years: float) -> pd.DataFrame:
    """Money spent by the end of each month, owning and renting, of the slots that have both prices."""
    rows = []
    for row in rows_of(table):
        running = (row["owning_usd_per_s"] - row["written_off_usd_per_s"]) * MONTH_S
        rent = row["rental_usd_per_s"] * MONTH_S
        if not (np.isnan(running) or np.isnan(rent)):
            rows += [
                (row["place"], row["slot"], month, row["purchase_usd"] + month * running, month * rent)
                for month in range(int(12 * years) + 1)
            ]
    return pd.DataFrame(rows, columns=["place", "slot", "month", "owning_usd", "renting_usd"])
