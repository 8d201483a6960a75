"""What a comparison of measured with modelled figures says in words: each gap named, never blended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.metrics import Metric
from analysis.sentences import runs_words, shortest_of
from analysis.studies.benchmark_words import AGREES, if_even
from analysis.study import rows_of

BEYOND_MEMORY = "faster than memory allows"


def difference(ratio: float) -> str:
    """Measured over modelled as people say it: "31 % more", "8 % less", "the same"; beyond twice "2.4 times"."""
    if abs(ratio - 1.0) < AGREES:
        return "the same"
    if ratio > 2.0:
        return f"{ratio:.1f} times that"
    return f"{abs(ratio - 1.0) * 100:.0f} % {'more' if ratio > 1.0 else 'less'}"


def gap(row: Mapping[str, Any], shown: Metric) -> str:
    """One run: "model says 62 ms, measured 81 ms, 31 % more"; a speed its format forbids is doubted."""
    both = f"model says {shown.format(row['modelled'])}, measured {shown.format(row['measured'])}"
    if row["beyond_memory"]:
        return f"{both}: {BEYOND_MEMORY} at {row['weights']}, is it narrower?"
    even = f"; {if_even(row)}" if row["bandwidth_used_fraction"] > 1.0 else ""
    return f"{both}, {difference(row['measured_over_modelled'])}{even}"


def off(row: Mapping[str, Any]) -> str:
    """The same beside both figures: "31 % more"; "faster than memory allows"."""
    if row["beyond_memory"]:
        return BEYOND_MEMORY
    return difference(row["measured_over_modelled"]).replace("times that", "times as much")


def answer(table: pd.DataFrame, shown: Metric) -> str:
    """The page's sentence: the gap of one run, or the middle of many and how many lie in their interval."""
    believed = table[~table["beyond_memory"]]
    if believed.empty:
        which = "Your run is" if len(table) == 1 else f"All your {len(table):,} runs are"
        return f"{which} {BEYOND_MEMORY} in the formats stated: are they narrower?"
    if len(believed) == 1:
        return _first_up(gap(rows_of(believed)[0], shown)) + "."
    ratio = believed["measured_over_modelled"]
    middle, low, high = (difference(each) for each in (ratio.median(), ratio.min(), ratio.max()))
    inside = believed["inside"].dropna()
    held = f" {int(inside.sum()):,} of {len(inside):,} lie in its 80\u00a0% interval." if len(inside) else ""
    head = f"{shown.label.capitalize()} of your {runs_words(len(believed))}: {_than(middle)} at the median"
    span = f", from {low} to {high}" if low != high else ""
    return shortest_of(f"{head}{span}.{held}", f"{head}.{held}", f"{head}.")


def _than(words: str) -> str:
    return words.replace("the same", "as the model says").replace(" times that", " times what the model says").replace(
        " more", " more than the model says").replace(" less", " less than the model says")  # fmt: skip


def conditions(table: pd.DataFrame, left_out: int, drawn: int) -> str:
    """What the comparison holds for."""
    beyond = int(table["beyond_memory"].sum())
    doubted = f" {beyond:,} more {'is' if beyond == 1 else 'are'} {BEYOND_MEMORY}." if 0 < beyond < len(table) else ""
    undated = f" {len(table) - drawn:,} without a start time are not drawn." if drawn < len(table) else ""
    rest = f" {left_out:,} could not be compared." if left_out else ""
    machines = table["slot"].nunique()
    on = "1 machine" if machines == 1 else f"{machines} machines"
    return (
        f"Means as the files state them, not reviewed, on {on}; predicted without speculation.{doubted}{undated}{rest}"
    )


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]
