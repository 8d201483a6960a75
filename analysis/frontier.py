"""Which points of two figures, of both of which more is better, no other point beats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def on_frontier(speed: NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where no other point is at least as good both ways and better in one; unknown values are nowhere. (points,)"""
    known = np.where(np.isnan(value), -np.inf, value)
    order = np.lexsort((-known, -speed))
    best = np.maximum.accumulate(known[order]) if len(order) else known
    before = np.concatenate([[-np.inf], best[:-1]]) if len(order) else best
    marked = np.zeros(len(order), dtype=bool)
    marked[order] = (known[order] > before) & np.isfinite(known[order])
    return marked
