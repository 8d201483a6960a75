"""One run in two files of different formats: told by its latencies, which no second run repeats to the digit."""

from __future__ import annotations

from collections.abc import Mapping

from data.readers.intake.draft import Value
from data.readers.intake.fields import latency_names
from data.records import Run

ROUNDED = 0.0051  # ms: half of the last of two decimals, as summaries print them
RELATIVE = 1e-5  # share of a figure, for files that print six digits
LEAST_FIGURES = 4  # latencies that both files must hold
_LEAST_MS = 1.0  # a shorter time has too few digits to tell runs apart
_SAME_EXACTLY = ("completed", "failed", "concurrency", "request_rate", "model_raw")


def same_run(one: Run, other: Run) -> bool:
    """True if two runs of different formats are one: every latency that both hold agrees, counts and load too."""
    if one.source_format == other.source_format:
        return False
    if any(_differ(one.values, other.values, name) for name in _SAME_EXACTLY):
        return False
    pairs = [
        (one.values[name], other.values[name])
        for name in latency_names()
        if name in one.values and name in other.values
    ]
    figures = [(float(a), float(b)) for a, b in pairs if isinstance(a, int | float) and isinstance(b, int | float)]
    long = [(a, b) for a, b in figures if min(a, b) >= _LEAST_MS]
    return len(long) >= LEAST_FIGURES and all(abs(a - b) <= ROUNDED + RELATIVE * abs(a) for a, b in long)


def _differ(one: Mapping[str, Value], other: Mapping[str, Value], name: str) -> bool:
    return name in one and name in other and one[name] != other[name]
