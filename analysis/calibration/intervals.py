"""Split conformal intervals: the spread of left-out errors, groups weighed alike, and how many rows they hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.engine.arrays import Floats

LEVEL = 0.8
LEAST = 0.78  # coverage across parts below which an interval is made to hold more of the errors at hand
STEP, MOST = 0.01, 0.98


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Factors on a prediction between which 80 % of left-out measurements lie.

    coverage   share of rows inside the interval that the other parts' errors give; nan with fewer than two parts
    """

    low: float
    high: float
    coverage: float
    rows: int

    @property
    def ratio(self) -> float:
        """Upper end over lower end."""
        return self.high / self.low


def interval(
    predicted: Floats, measured: Floats, group: NDArray[np.str_], part: NDArray[np.str_], level: float = LEVEL
) -> Interval:
    """The interval that these left-out predictions ask for, and its coverage across parts. (rows,)

    group   rows that share their offset weigh together as much as any other group
    part    what was left out: the interval that judges a row has not seen the errors of its part

    Where parts differ so much that too few rows of an unseen one would lie inside, more of the errors are taken in.
    """
    known = np.isfinite(predicted) & np.isfinite(measured)
    error = np.log(measured[known] / predicted[known])
    group, part = group[known], part[known]
    coverage = across(error, group, part, level)
    while coverage < LEAST and level < MOST:
        level += STEP
        coverage = across(error, group, part, level)
    low, high = ends(error, group, level)
    return Interval(low=float(np.exp(low)), high=float(np.exp(high)), coverage=coverage, rows=error.size)


def across(error: Floats, group: NDArray[np.str_], part: NDArray[np.str_], level: float) -> float:
    """Share of rows inside the interval that the other parts' errors give; nan with fewer than two parts."""
    names = np.unique(part)
    if len(names) < 2:
        return float("nan")
    inside = np.zeros(error.size)
    for name in names:
        rest = part == name
        first, last = ends(error[~rest], group[~rest], level)
        inside[rest] = (error[rest] >= first) & (error[rest] <= last)
    return float(inside.mean())


def ends(error: Floats, group: NDArray[np.str_], level: float) -> tuple[float, float]:
    """Ends of the shortest span that holds `level` of the weight, each group weighing the same."""
    _, place, count = np.unique(group, return_inverse=True, return_counts=True)
    order = np.argsort(error)
    values, weight = error[order], (1.0 / count[place])[order]
    before = np.concatenate([[0.0], np.cumsum(weight) / weight.sum()])
    last = np.searchsorted(before[1:], before[:-1] + level - 1e-12)  # first end that holds enough from each start
    fits = last < values.size
    width = np.where(fits, values[np.minimum(last, values.size - 1)] - values, np.inf)
    first = int(np.argmin(width))
    return float(values[first]), float(values[last[first]])
