"""Noise, slopes and level shifts of a few points, on logarithms, so that all effects are relative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.diagnosis.observed import Floats

NORMAL = 1.4826  # standard deviation over median distance of a normal law
# No scatter below it is believed: repeats of one published configuration differ by 0.4 % at the median and by 19 % in
# the ninth decile (shipped serving table), and few points can look smooth by luck.
FLOOR = 0.02
UNKNOWN = 0.05  # scatter taken for two points, which say nothing of it
DOUBLING = 1.95  # least span of loads over which a slope is read: a doubling, with room for odd numbers


def noise_of(x: Floats, y: Floats) -> float:
    """Scatter of single points about a smooth curve, from each point's distance to the line of its neighbours. [1]

    x, y   logarithms of load and value, by rising load; the median distance is used, so that one knee does not count
    """
    x, y = levels(x, y)
    if len(x) < 3:
        return UNKNOWN
    weight = (x[2:] - x[1:-1]) / (x[2:] - x[:-2])
    apart = y[1:-1] - (weight * y[:-2] + (1 - weight) * y[2:])
    spread = np.sqrt(1 + weight**2 + (1 - weight) ** 2)
    return max(FLOOR, float(NORMAL * np.median(np.abs(apart) / spread)))


def levels(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Each distinct x once, with the mean of its values."""
    once, place = np.unique(x, return_inverse=True)
    return once, np.bincount(place, weights=y) / np.bincount(place)


@dataclass(frozen=True, kw_only=True)
class Slope:
    """Elasticity over the last part of a sweep: relative change of a value for a relative change of load.

    first   place of the first point of that part
    """

    first: int
    value: float
    error: float
    span: float


def slope_from(x: Floats, y: Floats, first: int, noise: float) -> Slope:
    """Least-squares slope of the points from `first` on, with its standard error at this noise."""
    inside = x[first:] - x[first:].mean()
    square = float(inside @ inside)
    value = float(inside @ (y[first:] - y[first:].mean()) / square)
    return Slope(first=first, value=value, error=noise / float(np.sqrt(square)), span=float(np.exp(x[-1] - x[first])))


def flat_end(x: Floats, y: Floats, noise: float, most: float) -> Slope | None:
    """The longest last part, at least a doubling of load, whose slope is at most `most`; None if there is none."""
    found = None
    for first in range(len(x) - 2, -1, -1):
        if np.exp(x[-1] - x[first]) < DOUBLING:
            continue
        slope = slope_from(x, y, first, noise)
        if slope.value > most:
            break
        found = slope
    return found


@dataclass(frozen=True, kw_only=True)
class Shift:
    """A change of level in a series: before `at`, and from it on.

    change   difference of the medians; `error` its standard error, were all samples equal but for noise
    noise    scatter of one sample
    """

    at: int
    change: float
    error: float
    noise: float


def series_noise(y: Floats) -> float:
    """Scatter of single samples from their steps, so that slow changes do not count. [1]"""
    steps = np.abs(np.diff(y))
    return max(FLOOR / 2, float(NORMAL * np.median(steps) / np.sqrt(2.0))) if steps.size else UNKNOWN


def shift_of(y: Floats, least_part: int) -> Shift:
    """The split into two levels that explains most, each at least so many samples long."""
    noise, count = series_noise(y), len(y)
    split = np.arange(least_part, count - least_part + 1)
    before = np.cumsum(y)[split - 1] / split
    after = (y.sum() - before * split) / (count - split)
    at = int(split[np.argmax(split * (count - split) * (after - before) ** 2)])
    change = float(np.median(y[at:]) - np.median(y[:at]))
    error = float(noise * np.sqrt(1 / at + 1 / (count - at)))
    return Shift(at=at, change=change, error=error, noise=noise)
