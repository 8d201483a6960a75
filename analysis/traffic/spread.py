"""A random length or time as weighted points: what a mean hides and percentiles need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from data.errors import OutOfRangeError

Floats = NDArray[np.float64]
BODY_POINTS, TAIL_POINTS, TAIL_SHARE, TAIL_DECADES = 24, 24, 0.1, 3.0  # bins of equal share, then ever rarer ones
MOST_POINTS = 160  # a sum of two spreads is thinned to so many
MOST_UNIFORM_CV = 3.0**-0.5  # a uniform length from zero to twice its mean


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """Values in rising order and the share of each; shares add up to one."""

    values: Floats
    shares: Floats

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.values @ self.shares)

    @property
    def second_moment(self) -> float:
        """Mean of the square."""
        return float(self.values**2 @ self.shares)

    @property
    def cv(self) -> float:
        """Standard deviation over mean; 0 where everything is zero."""
        mean = self.mean
        return float(np.sqrt(max(self.second_moment / mean**2 - 1.0, 0.0))) if mean > 0 else 0.0

    def quantile(self, share: float) -> float:
        """The value that so large a share does not exceed."""
        at = int(np.searchsorted(np.cumsum(self.shares), share * (1 - 1e-12)))
        return float(self.values[min(at, len(self.values) - 1)])

    def share_within(self, limit: float) -> float:
        """Share of values at or below a limit."""
        return float(self.shares[self.values <= limit * (1 + 1e-12)].sum())

    def mapped(self, values: Floats) -> Spread:
        """Other values for the same points, in order again."""
        return weighted(values, self.shares)

    def plus(self, other: Spread) -> Spread:
        """The sum with an independent spread, thinned."""
        values = (self.values[:, None] + other.values[None, :]).ravel()
        shares = (self.shares[:, None] * other.shares[None, :]).ravel()
        return weighted(values, shares).thinned()

    def thinned(self) -> Spread:
        """At most `MOST_POINTS` points, fine in the upper tail; the mean is kept."""
        if len(self.values) <= MOST_POINTS:
            return self
        edges = _edges(MOST_POINTS // 2, MOST_POINTS // 2)
        bins = np.searchsorted(edges, np.cumsum(self.shares) - self.shares / 2, side="right")
        shares = np.bincount(bins, self.shares).astype(float)
        sums = np.bincount(bins, self.shares * self.values).astype(float)
        return Spread(values=sums[shares > 0] / shares[shares > 0], shares=shares[shares > 0])


def weighted(values: Floats, shares: Floats) -> Spread:
    """Points in rising order, shares brought to a sum of one."""
    order = np.argsort(values, kind="stable")
    return Spread(values=np.asarray(values, dtype=float)[order], shares=shares[order] / shares.sum())


def _edges(body: int = BODY_POINTS, tail: int = TAIL_POINTS) -> Floats:
    """Edges of bins in cumulative share, ever narrower towards one."""
    rare = TAIL_SHARE * 10.0 ** -np.linspace(0.0, TAIL_DECADES, tail)
    return np.concatenate([np.linspace(0.0, 1.0 - TAIL_SHARE, body + 1), 1.0 - rare[1:], [1.0]])


def fixed(value: float) -> Spread:
    """The same value every time."""
    return Spread(values=np.array([float(value)]), shares=np.array([1.0]))


def lognormal(mean: float, cv: float) -> Spread:
    """Lognormal with this mean and coefficient of variation, as conditional means of its bins; the mean is exact."""
    if cv <= 0:
        return fixed(mean)
    deviation, edges = np.sqrt(np.log1p(cv**2)), _edges()
    with np.errstate(divide="ignore"):
        parts = mean * np.diff(ndtr(ndtri(edges) - deviation))
    return Spread(values=parts / np.diff(edges), shares=np.diff(edges))


def uniform(mean: float, cv: float) -> Spread:
    """Evenly between two ends round a mean; a spread that would reach below zero is refused."""
    if cv > MOST_UNIFORM_CV:
        raise OutOfRangeError(
            "a uniform length cannot vary so much", found=f"{cv:.2f}", expected=f"at most {MOST_UNIFORM_CV:.2f}",
            remedy="Take a lognormal one.",
        )  # fmt: skip
    half, edges = cv / MOST_UNIFORM_CV * mean, _edges()
    return Spread(values=mean + half * (edges[1:] + edges[:-1] - 1.0), shares=np.diff(edges))


def seen(values: Sequence[float]) -> Spread:
    """Values as they were met, each as often as any other. Raises OutOfRangeError for none at all."""
    if not len(values):
        raise OutOfRangeError("there are no lengths", expected="at least one")
    found, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    return Spread(values=found, shares=np.asarray(counts / counts.sum(), dtype=float)).thinned()


def mixed(parts: Sequence[Spread]) -> Spread:
    """One of several spreads, each as often as any other."""
    values = np.concatenate([part.values for part in parts])
    return weighted(values, np.concatenate([part.shares for part in parts])).thinned()
