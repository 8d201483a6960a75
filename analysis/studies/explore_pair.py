"""Two runs side by side: what differs in configuration first, then in results, with the noise of repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from analysis.studies.explore import RESULTS, length_groups
from data.readers.intake.fields import FIELDS
from data.readers.intake.identity import configuration
from data.records import Run

_NEITHER = ("notes", "started_at", "source_tool_version")


def pair(one: Run, other: Run, runs: Iterable[Run]) -> pd.DataFrame:
    """Rows that differ. Columns: part, field, first, second, verdict.

    runs   all runs, to find repeats of either: a difference inside their spread is called noise

    Percentiles are compared as they stand; nothing is averaged.
    """
    everything = list(runs)
    repeats = [_repeats(run, everything) for run in (one, other)]
    alike = len(set(length_groups([one, other]).values())) == 1
    rows = []
    for name in FIELDS:
        first, second = one.values.get(name), other.values.get(name)
        result = name in RESULTS or name.endswith(("_ms", "_tps", "_rps"))
        if first == second or name in _NEITHER:
            continue
        verdict = _verdict(name, first, second, repeats, alike=alike) if result else ""
        rows.append(("result" if result else "configuration", name, _shown(first), _shown(second), verdict))
    ordered = sorted(rows, key=lambda row: row[0] == "result")
    return pd.DataFrame(ordered, columns=["part", "field", "first", "second", "verdict"])


def _repeats(run: Run, runs: Sequence[Run]) -> list[Run]:
    key = configuration(run.values)
    return [one for one in runs if configuration(one.values) == key and one.outcome == run.outcome]


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,.4g}" if isinstance(value, int | float) else str(value)


def _verdict(name: str, first: object, second: object, repeats: Sequence[Sequence[Run]], *, alike: bool) -> str:
    """What the difference is worth: not comparable, within noise, beyond it, or of unknown worth."""
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return "only one run says"
    if not alike:
        return "lengths or depth differ, not comparable"
    change = f"{100 * (second - first) / first:+.1f} %" if first else ""
    spans = [_span(name, same) for same in repeats]
    if all(span is None for span in spans):
        return f"{change}, no repeats: noise unknown"
    low, high = [span or (value, value) for span, value in zip(spans, (first, second), strict=True)]
    overlap = low[0] <= high[1] and high[0] <= low[1]
    return f"{change}, {'within' if overlap else 'beyond'} the spread of repeats"


def _span(name: str, same: Sequence[Run]) -> tuple[float, float] | None:
    values = [float(value) for run in same if isinstance(value := run.values.get(name), int | float)]
    return (min(values), max(values)) if len(values) > 1 else None
