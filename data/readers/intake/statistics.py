"""Statistics of one quantity, whatever a tool calls them, put under the canonical names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS, STATISTICS

MS_PER_S = 1000.0
_WORDS = {
    "mean": "mean",
    "avg": "mean",
    "average": "mean",
    "median": "p50",
    "med": "p50",
    "min": "min",
    "minimum": "min",
    "max": "max",
    "maximum": "max",
    "std": "std",
    "stddev": "std",
    "stdev": "std",
    "std_dev": "std",
}
_PERCENTILE = re.compile(r"(p\(?)?(\d{1,3})(?:[.p](\d+))?\)?(\s*%| percentile)?")
_RARE = 1000  # requests below which a 99.9th percentile says no more than the maximum


def statistic_of(key: str) -> str | None:
    """The canonical statistic ("p99") that a tool writes as "p(99)", "99.00 percentile", "p99p9" or "med"."""
    plain = key.strip().lower().removeprefix("quantiles_")
    if plain in _WORDS:
        return _WORDS[plain]
    match = _PERCENTILE.fullmatch(plain)
    if match is None or not (match[1] or match[4]):
        return None
    name = f"p{int(match[2])}{(match[3] or '').rstrip('0')}"
    return "max" if name == "p100" else name if name in STATISTICS else None


def put_statistics(
    draft: Draft, metric: str, stats: object, place: str, *, scale: float = 1.0, unit: str = "ms"
) -> None:
    """Every statistic of `stats` that has a canonical name; anything but a mapping is no statistics.

    scale   ms per unit of the file
    """
    if not isinstance(stats, Mapping):
        return
    for key, value in stats.items():
        name = f"{metric}_{statistic_of(str(key))}_ms"
        if name in FIELDS:
            draft.put(name, value, path=f"{place}.{key}", scale=scale, unit=unit)


def put_lengths(draft: Draft, side: str, stats: object, place: str) -> None:
    """Mean and spread of token counts a request ("isl", "osl")."""
    if not isinstance(stats, Mapping):
        return
    for key, value in stats.items():
        if (stat := statistic_of(str(key))) in ("mean", "std"):
            draft.put(f"{side}_{stat}", value, path=f"{place}.{key}")


def put_samples(draft: Draft, metric: str, values_ms: Sequence[float], path: str) -> None:
    """Mean, spread and percentiles (linear between neighbours) of single requests' times in ms."""
    if not len(values_ms):
        return
    times = np.asarray(values_ms, dtype=float)
    figures = {"mean": times.mean(), "std": times.std(), "min": times.min(), "max": times.max()}
    wanted = [50, 75, 90, 95, 99] + ([99.9] if times.size >= _RARE else [])
    figures |= {f"p{str(q).replace('.', '')}": np.percentile(times, q) for q in wanted}
    for stat, value in figures.items():
        draft.put(f"{metric}_{stat}_ms", float(value), path=f"{stat} of {path}", origin="derived")
