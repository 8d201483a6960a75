"""How unevenly tokens are sent to experts, and which share of the visits the resident ones catch."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.models.streaming import chance_met, ranked_popularity
from data.errors import WaferlineError

Floats = NDArray[np.float64]
Kind = Literal["even", "ranked", "own"]
MOST_POINTS = 2048  # experts in an own curve
_BETWEEN = re.compile(r"[\s,;]+")


@dataclass(frozen=True, kw_only=True)
class Routing:
    """Which experts tokens are sent to.

    exponent   of the ranked popularity; 0 is even routing
    curve      visits of each expert as counted, the most popular first; other numbers of experts stretch it
    """

    kind: Kind = "even"
    exponent: float = 1.0
    curve: tuple[float, ...] = ()


def read_curve(text: str) -> tuple[float, ...]:
    """Visits by expert out of pasted text, the most popular first. Raises WaferlineError for what is no count."""
    parts = [part for part in _BETWEEN.split(text.strip()) if part]
    if not parts or len(parts) > MOST_POINTS:
        raise WaferlineError(
            "this is no routing curve", found=f"{len(parts):,} numbers", expected=f"1 to {MOST_POINTS:,} numbers"
        )
    counts = [_count(part) for part in parts]
    if sum(counts) <= 0:
        raise WaferlineError("a routing curve without any visit", expected="visits of each expert")
    return tuple(sorted(counts, reverse=True))


def _count(part: str) -> float:
    try:
        value = float(part)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise WaferlineError("this is no number of visits", found=part[:40], expected="numbers such as 812, 604, 397")
    return value


@lru_cache(maxsize=256)
def popularity(routing: Routing, experts: int, chosen: int) -> Floats:
    """Chance that a token is sent to each expert, the most popular first; they add up to `chosen`. (experts,)"""
    ranks = np.arange(1.0, experts + 1.0)
    if routing.kind == "own":
        shape, exponent = np.maximum(_stretched(routing.curve, experts), 1e-12), 1.0
        return _filled(1.0 / shape, exponent, chosen)
    return _filled(ranks, routing.exponent if routing.kind == "ranked" else 0.0, chosen)


def _filled(ranks: Floats, exponent: float, chosen: int) -> Floats:
    """Popularities with the norm that makes them add up, found by halving: those at 1 pass their excess on."""
    low, high = 1e-15, float(chosen * np.sum(ranks**-exponent))
    for _ in range(200):
        norm = math.sqrt(low * high)
        total = float(np.sum(ranked_popularity(chosen, ranks, exponent, norm)))
        low, high = (norm, high) if total > chosen else (low, norm)
    return np.asarray(ranked_popularity(chosen, ranks, exponent, math.sqrt(low * high)))


def _stretched(curve: tuple[float, ...], experts: int) -> Floats:
    """A curve of as many points as it has, read off at as many ranks as there are experts."""
    cumulative = np.concatenate([[0.0], np.cumsum(curve)]) / sum(curve)
    places = np.linspace(0.0, 1.0, len(curve) + 1)
    return np.diff(np.interp(np.linspace(0.0, 1.0, experts + 1), places, cumulative))


def met(popular: Floats, rows: float, resident_share: float = 0.0) -> float:
    """Experts outside the resident share, the most popular ones, that a step of so many tokens meets."""
    outside = np.clip(np.arange(1.0, len(popular) + 1.0) - resident_share * len(popular), 0.0, 1.0)
    return float(np.sum(outside * chance_met(popular, rows)))


def hit_fraction(popular: Floats, resident_share: float) -> float:
    """Share of all visits that goes to resident experts, the most popular ones. [1]"""
    return 1.0 - met(popular, 1.0, resident_share) / float(np.sum(popular))
