"""The arithmetic of renting and owning, slot by slot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.explain import explain
from analysis.models.ownership import break_even_use, owning_cost, pay_back_time, power_cost, written_off
from analysis.scales import YEAR_S
from analysis.study import Step, rows_of

Row = Mapping[Any, Any]


def steps_of(table: pd.DataFrame, life_s: float) -> tuple[Step, ...]:
    """Every line of the slots that serve and have a purchase price, in their order."""
    steps: list[Step] = []
    for row in rows_of(table):
        if row["feasible"] and not math.isnan(row["owning_usd_per_s"]):
            steps += _owning(row, life_s)
            steps += [] if math.isnan(row["rental_usd_per_s"]) else _against_renting(row)
    return tuple(steps)


def _owning(row: Row, life_s: float) -> list[Step]:
    spread, power = float(row["written_off_usd_per_s"]), float(row["power_usd_per_s"])
    energy = {name: float(row[name]) for name in ("wall_w", "facility_factor", "energy_usd_per_j")}
    upkeep = {"upkeep_fraction": float(row["upkeep_fraction"]), "life_years": life_s / YEAR_S}
    return [
        explain(written_off, subject=str(row["slot"]), purchase_usd=float(row["purchase_usd"]), life_s=life_s),
        explain(power_cost, subject="", **energy),
        explain(owning_cost, subject="", written_off_usd_per_s=spread, power_usd_per_s=power, **upkeep),
    ]


def _against_renting(row: Row) -> list[Step]:
    rental, purchase = float(row["rental_usd_per_s"]), float(row["purchase_usd"])
    running = float(row["owning_usd_per_s"] - row["written_off_usd_per_s"])
    parts = {name: float(row[name]) for name in ("fixed_usd_per_s", "idle_usd_per_s", "serving_usd_per_s")}
    return [
        explain(pay_back_time, purchase_usd=purchase, rental_usd_per_s=rental, running_usd_per_s=running),
        explain(break_even_use, subject="", rental_usd_per_s=rental, **parts),
    ]
