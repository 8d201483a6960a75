"""Sums over two tensors, taken piece by piece, so that a tensor of any size needs the memory of one piece."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Sums:
    """Everything the errors of one tensor are made of.

    seen              numbers read
    count             pairs of which both are finite; the rest of the sums is over these
    broken            pairs with a number that is not finite, equal infinities (masks) apart
    first_broken_at   place of the first of them among all numbers, -1 if there is none
    mean, deviation   of the reference: mean, and squared distances from it added up
    largest_error     largest absolute difference, at `largest_at`
    """

    seen: int = 0
    count: int = 0
    broken: int = 0
    first_broken_at: int = -1
    mean: float = 0.0
    deviation: float = 0.0
    squared_error: float = 0.0
    product: float = 0.0
    reference_square: float = 0.0
    candidate_square: float = 0.0
    largest_error: float = 0.0
    largest_at: int = 0

    @property
    def spread(self) -> float:
        """Variance of the reference; its mean square where all its numbers are the same."""
        if not self.count:
            return math.nan
        variance = self.deviation / self.count
        return variance if variance > 0 else self.reference_square / self.count

    def with_piece(self, reference: Floats, candidate: Floats) -> Sums:
        """The sums with one more piece; both arrays of one shape."""
        flat, other = reference.ravel(), candidate.ravel()
        finite = np.isfinite(flat) & np.isfinite(other)
        counted = self._with_broken(flat, other, finite)
        if not finite.all():
            places, flat, other = np.flatnonzero(finite), flat[finite], other[finite]
        else:
            places = None
        if not flat.size:
            return counted
        error = np.abs(other - flat)
        at = int(np.argmax(error))
        largest = float(error[at])
        if largest > self.largest_error:
            place = self.seen + (at if places is None else int(places[at]))
            counted = replace(counted, largest_error=largest, largest_at=place)
        return counted._with_moments(flat, other, _product(error, error))

    def _with_broken(self, flat: Floats, other: Floats, finite: NDArray[np.bool_]) -> Sums:
        broken = 0
        first = self.first_broken_at
        if not finite.all():
            wrong = np.flatnonzero(~finite & ~(flat == other))
            broken = len(wrong)
            first = self.seen + int(wrong[0]) if broken and first < 0 else first
        return replace(self, seen=self.seen + flat.size, broken=self.broken + broken, first_broken_at=first)

    def _with_moments(self, flat: Floats, other: Floats, squared_error: float) -> Sums:
        """Variances of two parts joined as Chan, Golub and LeVeque (1983) join them: exact also far from zero."""
        mean = float(flat.mean())
        centred = flat - mean
        total = self.count + flat.size
        apart = mean - self.mean
        joined = _product(centred, centred) + apart * apart * self.count * flat.size / total
        return replace(
            self,
            count=total,
            mean=self.mean + apart * flat.size / total,
            deviation=self.deviation + joined,
            squared_error=self.squared_error + squared_error,
            product=self.product + _product(flat, other),
            reference_square=self.reference_square + _product(flat, flat),
            candidate_square=self.candidate_square + _product(other, other),
        )


def _product(one: Floats, other: Floats) -> float:
    """Products added up in pairs: exact to the last digits, and without a matrix library's threads."""
    return float((one * other).sum())
