"""Errors on runs that a fit has not seen: one part of a split left out after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.fit import Space, fitted
from analysis.calibration.runs import Runs
from analysis.engine.arrays import Floats
from analysis.parameters import Serving

QUANTITIES = ("tpot", "ttft", "e2e")


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """Predicted times of every row, seconds. (rows,)"""

    tpot_s: Floats
    ttft_s: Floats
    e2e_s: Floats


def predicted(runs: Runs, serving: Serving) -> Predicted:
    """Times of all runs under these parameters."""
    speeds = runs.loads.speeds(serving)
    return Predicted(tpot_s=speeds.tpot_s, ttft_s=speeds.ttft_s, e2e_s=speeds.e2e_s)


def left_out(space: Space, runs: Runs, part: NDArray[np.str_]) -> Predicted:
    """Times of every row by a fit that has seen no row of its part; fits use clean rows only and start cold."""
    blank = [np.full(len(part), np.nan) for _ in QUANTITIES]
    for name in np.unique(part):
        seen = np.flatnonzero(runs.clean & (part != name))
        rest = np.flatnonzero(part == name)
        times = predicted(runs.rows(rest), fitted(space, runs.rows(seen)))
        for whole, each in zip(blank, (times.tpot_s, times.ttft_s, times.e2e_s), strict=True):
            whole[rest] = each
    return Predicted(tpot_s=blank[0], ttft_s=blank[1], e2e_s=blank[2])


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Relative errors |predicted / measured - 1| of some rows, in percent."""

    rows: int
    mape_percent: float
    median_percent: float
    p90_percent: float


def errors(predictions: Floats, measured: Floats) -> Errors:
    """Mean, median and ninth decile of the relative error; rows without a prediction are left out. (rows,)"""
    error = np.abs(predictions / measured - 1.0)[np.isfinite(predictions)] * 100.0
    if error.size == 0:
        return Errors(rows=0, mape_percent=np.nan, median_percent=np.nan, p90_percent=np.nan)
    middle, high = np.percentile(error, [50, 90])
    mean = float(error.mean())
    return Errors(rows=error.size, mape_percent=mean, median_percent=float(middle), p90_percent=float(high))
