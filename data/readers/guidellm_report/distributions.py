"""GuideLLM's distributions: a metric by request status, each with mean, median, spread and percentiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number

Distribution = Mapping[str, Any]

# The tool's p001 is the 0.1st percentile and p999 the 99.9th.
_PERCENTILES = {"p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p999"}
_PLAIN = {"mean": "mean", "std_dev": "std", "min": "min", "median": "p50", "max": "max"}
_SAME = 1e-6  # share of spread below which all values are one, but for rounding


def distribution(benchmark: Mapping[str, Any], metric: str, status: str = "successful") -> Distribution:
    """The distribution of a metric over requests of a status; empty if there is none."""
    metrics = benchmark.get("metrics")
    by_status = metrics.get(metric) if isinstance(metrics, Mapping) else None
    found = by_status.get(status) if isinstance(by_status, Mapping) else None
    return found if isinstance(found, Mapping) and as_number(found.get("count", 1)) != 0 else {}


def put_distribution(
    draft: Draft, family: str, found: Distribution, *, place: str, unit: str, scale: float = 1.0, derived: str = ""
) -> None:
    """Every statistic of a latency; `derived` says why these figures are another metric's, if they are."""
    for statistic, raw in statistics_of(found).items():
        key = next((name for name, short in _PLAIN.items() if short == statistic), f"percentiles.{statistic}")
        name = f"{family}_{statistic}_ms"
        if derived:
            value = as_number(raw)
            draft.derive(name, None if value is None else value * scale, f"{place}.{key}: {derived}")
        else:
            draft.put(name, raw, path=f"{place}.{key}", unit=unit, scale=scale)


def statistics_of(found: Distribution) -> dict[str, Any]:
    """Canonical statistic -> figure as it stands in the report; the median is the 50th percentile."""
    percentiles = found.get("percentiles")
    ranked = percentiles if isinstance(percentiles, Mapping) else {}
    values = {short: found.get(name) for name, short in _PLAIN.items()}
    values |= {short: ranked.get(name) for name, short in _PERCENTILES.items()}
    if values["p50"] is None:
        values["p50"] = ranked.get("p50")
    return {statistic: value for statistic, value in values.items() if value is not None}


def mean(found: Distribution) -> float | None:
    """The mean, or None."""
    return as_number(found.get("mean"))


def all_equal(found: Distribution) -> bool | None:
    """True if every request had the same value, None if the distribution does not say."""
    middle, spread = mean(found), as_number(found.get("std_dev"))
    if middle is None or spread is None:
        return None
    return spread <= _SAME * abs(middle)
