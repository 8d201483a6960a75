"""The sentences of the page on renting and owning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.metrics import metric
from analysis.plans import GPU_ENGINE
from analysis.studies.compare_words import nothing_serves, tokens
from analysis.studies.rental import Purchase, Rental
from analysis.studies.requests import Request
from analysis.study import rows_of, short_name
from analysis.workload import Workload
from data.records import Chip
from data.units import format_number

Row = Mapping[Any, Any]


def hourly(value: float) -> str:
    """Money an hour: "$42.10"."""
    return metric("owning_usd_per_hour").format(value).split("/")[0]


def only_positive(values: Any) -> Any:
    """Months to pay back; nan where it never does."""
    return np.where(values > 0, values, np.nan)


def answer(workload: Workload, table: pd.DataFrame, years: float) -> str:
    """Who pays back first, or why nobody can be told, in at most 130 characters."""
    rows = [row for row in rows_of(table) if row["feasible"]]
    if not rows:
        return nothing_serves(f"{workload.architecture.name} with {tokens(workload.context_tokens)} in", table)
    both = [r for r in rows if not math.isnan(r["purchase_usd"]) and not math.isnan(r["renting_usd_per_hour"])]
    if not both:
        return "No machine here has both a purchase and a rental price; put one in to compare them."
    paid = [row for row in both if not math.isnan(row["pay_back_months"])]
    if not paid:
        return f"Renting is cheaper: running an owned {both[0]['slot']} alone costs more than its rent."
    best = min(paid, key=lambda row: float(row["pay_back_months"]))
    months, use = float(best["pay_back_months"]), float(best["break_even_use_fraction"])
    if months > 12 * years:
        return f"Renting is cheaper: {best['slot']} pays back after {months:,.0f} months of {12 * years:,.0f}."
    below = "" if math.isnan(use) or use > 1 else f"; used below {100 * use:.0f} % of the hours, rent by the hour"
    return f"Owning {best['slot']} pays back after {months:.0f} months of full rent{below}."


def conditions(request: Request, years: float, usd_per_kwh: float, facility_factor: float) -> str:
    """What is held for every machine."""
    return (
        f"Written off over {years:g} years, energy at ${usd_per_kwh:.2f} a kWh, PUE {facility_factor:g}, serving "
        f"{100 * request.duty_fraction:.3g} % of all hours. Modelled power, dated prices, no interest, nothing left at "
        "the end."
    )


def firmness(rental: Rental | None, purchase: Purchase | None) -> str:
    """How firm both prices are."""
    bought = "no purchase price" if purchase is None else f"bought: {purchase.firmness}"
    return f"{bought}; rented: {'nobody prints one' if rental is None else rental.firmness()}"


def row_header(row: Row) -> str:
    """Words above a row's marks."""
    if not row["feasible"]:
        return f"<b>{row['slot']}</b>  does not serve it"
    own, rent = float(row["owning_usd_per_hour"]), float(row["renting_usd_per_hour"])
    if math.isnan(own) and math.isnan(rent):
        return f"<b>{row['slot']}</b>  no price known"
    months = float(row["pay_back_months"])
    if math.isnan(own) or math.isnan(rent):
        return f"<b>{row['slot']}</b>  {'no purchase price' if math.isnan(own) else 'nobody prints a rent'}"
    return f"<b>{row['slot']}</b>  " + (
        "never pays back" if math.isnan(months) else f"pays back in {months:.0f} months"
    )


def remarks(
    chips: Sequence[Chip], rentals: Sequence[Rental | None], purchases: Sequence[Purchase | None]
) -> tuple[str, ...]:
    """Prices of a device and how firm each is."""
    said: dict[str, None] = {}
    for chip, rental, purchase in zip(chips, rentals, purchases, strict=True):
        name = short_name(chip)
        if purchase is not None:
            said[f"{name} ${purchase.usd:,.0f} to buy, {purchase.firmness}"] = None
        if rental is not None:
            said[rental.words(name)] = None
    return tuple(said)


def assumptions(around: float, upkeep: float, table: pd.DataFrame) -> tuple[str, ...]:
    """What owning is taken to cost beside the devices, and what the engine took for granted."""
    engine: dict[str, None] = {}
    for row in rows_of(table):
        engine |= dict.fromkeys(part.strip() for part in str(row["assumed"]).split(";") if "power" in part)
    return (
        f"servers and network make a device {format_number(around)} times as dear, whole systems excepted: assumed",
        f"repair, space, network and people take {100 * upkeep:.3g} % of the purchase a year: assumed",
        "a purchase is written off evenly, without interest, and is worth nothing at its end",
        "an owned machine that serves nothing draws its idle power",
        f"GPUs serve with {GPU_ENGINE}",
        *engine,
    )
