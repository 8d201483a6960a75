"""Power and energy columns: what the devices of every answered case draw, and joules per output token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.case import Case
from analysis.models.energy import energy_per_token, mean_power, serving_power, utilisation
from analysis.power_shares import FITTED, SYSTEM_RATED, PowerBook, PowerShares, kind_of, shipped_power
from data.errors import OutOfRangeError

Columns = dict[str, Any]  # arrays or lists, one value a case
DEVICE_POWER = "power and energy of the devices alone"
WALL_POWER = "power and energy at the wall, {factor:.3g} times the devices for hosts, fans and supplies"
SYSTEM_POWER = "power and energy of the whole system, as it is rated"
NO_MEASUREMENT = "no measured power of this kind of machine: rated power all the time"


def with_energy(table: Columns, cases: Sequence[Case], book: PowerBook | None = None) -> Columns:
    """The engine's columns with power and energy added.

    power_w                mean power of all devices over all hours, at the case's duty cycle        [W]
    energy_j_per_token     the same over output tokens; nan without an answer or a rated power       [J/token]
    energy_low_j_per_token, energy_high_j_per_token   where 80 % of left-out measurements lie; kinds measured only
    """
    believed = book or shipped_power()
    kinds = [kind_of(case.chip) for case in cases]
    shares = [believed.shares[kind] for kind in kinds]
    wall = np.array([each.wall_factor if case.at_wall else 1.0 for each, case in zip(shares, cases, strict=True)])
    duty = _duty(cases)
    mean = _mean_power(table, cases, shares, duty)
    count, rate = (np.asarray(table[name], dtype=float) for name in ("device_count", "output_tokens_per_s"))
    answered = np.where(np.isfinite(rate), 1.0, np.nan)
    energy = energy_per_token(mean, count, wall, duty, np.where(rate > 0, rate, np.nan))
    known = np.where([kind in FITTED for kind in kinds], energy, np.nan)
    said = [_words(case, kind, factor) for case, kind, factor in zip(cases, kinds, wall, strict=True)]
    known_power = np.isfinite(energy)
    return table | {
        "power_w": wall * count * mean * answered,
        "energy_j_per_token": energy,
        "energy_low_j_per_token": believed.low_factor * known,
        "energy_high_j_per_token": believed.high_factor * known,
        "assumed": [
            "; ".join(filter(None, [before, words if is_known else ""]))
            for before, words, is_known in zip(table["assumed"], said, known_power, strict=True)
        ],
    }


def _duty(cases: Sequence[Case]) -> Floats:
    """Share of the time in which each case's machine serves. Raises OutOfRangeError for one outside 0 to 1. (cases,)"""
    duty = np.array([case.duty_fraction for case in cases], dtype=float)
    if not ((duty > 0) & (duty <= 1)).all():
        raise OutOfRangeError(
            "not a share of the time", where="duty_fraction", found=duty.min(), expected="above 0 to 1"
        )
    return duty


def _mean_power(table: Columns, cases: Sequence[Case], shares: Sequence[PowerShares], duty: Floats) -> Floats:
    """Power of one device over all hours. (cases,)"""
    rated = np.array([case.chip.power_w for case in cases], dtype=float)
    idle, busy, waiting = (
        np.array([getattr(each, name) for each in shares]) for name in ("idle_share", "busy_share", "waiting_share")
    )
    memory, compute = (np.asarray(table[f"share_{name}"], dtype=float) for name in ("memory", "compute"))
    serving = serving_power(rated, idle, busy, utilisation(memory, compute, waiting))
    return np.asarray(mean_power(serving, rated, idle, duty))


def _words(case: Case, kind: str, factor: float) -> str:
    """What the energy counts."""
    scope = WALL_POWER.format(factor=factor) if case.at_wall else DEVICE_POWER
    said = [SYSTEM_POWER if kind in SYSTEM_RATED else scope]
    if kind == "deterministic":
        said.append(NO_MEASUREMENT)
    if case.duty_fraction < 1:
        said.append(f"serving {100 * case.duty_fraction:.3g} % of the time, idle for the rest")
    return "; ".join(said)
