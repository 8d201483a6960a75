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
    """One run against the model; a speed that its format or one token a step cannot reach is doubted, not praised."""
    residual, measured = _float(row["residual_fraction"]), _float(row["measured_tokens_per_s_per_user"])
    ceiling = _float(row["ceiling_tokens_per_s_per_user"])
    if row["beyond_memory"]:
        return f"faster than memory allows at {row['weights']}: is it narrower?"
    if measured > ceiling:
        return f"{measured / ceiling:.1f} × the ceiling of one token a step"
    if math.isnan(residual):
        return f"no prediction: {str(row['reason'] or 'not answered').split(':')[0]}"
    if _float(row["bandwidth_used_fraction"]) > 1.0:
        return f"{percent_words(residual)}; {if_even(row)}"
    return f"{percent_words(residual)}, {row['binding']} binds in the model"


def if_even(row: Mapping[str, object]) -> str:
    """What is said of a run of a mixture that memory allows only if its sequences share experts."""
    return f"more than memory gives at {row['weights']} if experts are met evenly"


def answer_to(table: pd.DataFrame) -> str:
    """The page's sentence: how far the runs lie from the model, at the median and at the ends.

    Runs faster than memory allows say nothing of the model: they are counted apart.
    """
    beyond = table["beyond_memory"]
    if beyond.all():
        return _doubt(table)
    believed, count = table[~beyond], int((~beyond).sum())
    known = believed["residual_fraction"].dropna()
    runs = "Your run" if count == 1 else f"Your {count:,} runs"
    rest = f"; {int(beyond.sum()):,} more {_verb(int(beyond.sum()))} faster than memory allows" if beyond.any() else ""
    if known.empty:
        return f"{runs} cannot be predicted: {believed['reason'].iloc[0]}."
    middle, low, high = known.median(), known.min(), known.max()
    if count == 1:
        return f"{runs} is {_than(middle)}{rest}."
    return f"{runs} are {_than(middle)} at the median, from {percent_words(low)} to {percent_words(high)}{rest}."


def _doubt(table: pd.DataFrame) -> str:
    """The sentence where every run is faster than its stated format allows."""
    runs = "Your run" if len(table) == 1 else f"Your {len(table):,} runs"
    named = table["weights"].unique()
    at = f"with {named[0]} weights" if len(named) == 1 else "in the formats stated"
    return f"{runs} {_verb(len(table))} faster than memory allows {at}: is the format narrower?"


def _verb(count: int) -> str:
    return "is" if count == 1 else "are"


def _than(residual: float) -> str:
    words = percent_words(residual)
    return words if words == "as modelled" else f"{words} than the model says"


def conditions_of(table: pd.DataFrame, left_out: int) -> str:
    """What the comparison holds for."""
    rest = f" {left_out:,} more could not be compared." if left_out else ""
    return (
        f"Speed of one user, from the mean time per output token in the files, on {table['slot'].nunique()} "
        f"machine{'s' if table['slot'].nunique() > 1 else ''}; predicted without speculation.{rest}"
    )


def _float(value: object) -> float:
    return float(value)  # type: ignore[arg-type]
