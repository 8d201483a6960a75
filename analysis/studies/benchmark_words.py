"""What a comparison of runs with the model says in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

AGREES = 0.05  # closer than this, run and model are said to agree: repeats of one run differ by as much


def percent_words(residual: float) -> str:
    """A residual as people say it: "31 % slower", "8 % faster", "as modelled"."""
    if abs(residual) < AGREES:
        return "as modelled"
    return f"{abs(residual) * 100:.0f} % {'faster' if residual > 0 else 'slower'}"


def residual_words(row: Mapping[str, object]) -> str:
    """One run against the model; a speed no single token a step can reach is named as such."""
    residual, measured = _float(row["residual_fraction"]), _float(row["measured_tokens_per_s_per_user"])
    ceiling = _float(row["ceiling_tokens_per_s_per_user"])
    if measured > ceiling:
        return f"{measured / ceiling:.1f} × the ceiling of one token a step"
    if math.isnan(residual):
        return f"no prediction: {str(row['reason'] or 'not answered').split(':')[0]}"
    return f"{percent_words(residual)}, {row['binding']} binds in the model"


def answer_to(table: pd.DataFrame) -> str:
    """The page's sentence: how far the runs lie from the model, at the median and at the ends."""
    count = len(table)
    known = table["residual_fraction"].dropna()
    runs = "Your run" if count == 1 else f"Your {count} runs"
    if known.empty:
        return f"{runs} cannot be predicted: {table['reason'].iloc[0]}."
    middle, low, high = known.median(), known.min(), known.max()
    if count == 1:
        return f"{runs} is {_than(middle)}."
    return f"{runs} are {_than(middle)} at the median, from {percent_words(low)} to {percent_words(high)}."


def _than(residual: float) -> str:
    words = percent_words(residual)
    return words if words == "as modelled" else f"{words} than the model says"


def conditions_of(table: pd.DataFrame, left_out: int) -> str:
    """What the comparison holds for."""
    rest = f" {left_out} more could not be compared." if left_out else ""
    return (
        f"Speed of one user, from the mean time per output token; measured by you on {table['slot'].nunique()} "
        f"machine{'s' if table['slot'].nunique() > 1 else ''}, predicted without speculation.{rest}"
    )


def _float(value: object) -> float:
    return float(value)  # type: ignore[arg-type]
