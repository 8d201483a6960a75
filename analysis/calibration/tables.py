"""A calibration as two tables: errors by group and split, and every run beside its prediction."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.calibration.folds import Errors, errors
from analysis.calibration.outcomes import NO_GOAL, Outcome
from analysis.calibration.spreads import Spreads
from data.catalogue.accuracy_files import IN_SAMPLE, LEFT_OUT, PREDICTION_COLUMNS, SUMMARY_COLUMNS

OWN_GOALS: Mapping[int, tuple[float, float]] = {1: (11.5, 8.5), 3: (10.5, 8.0)}
OWN_WORDS = {1: "model, but for one own row", 3: "model, but for three own rows"}
DIGITS = 5
SET_ASIDE = "set aside"


def summary_table(outcomes: Sequence[Outcome], further: Sequence[Mapping[str, Any]] = ()) -> pd.DataFrame:
    """Errors by group, quantity and split, in percent, on clean rows. `further` are rows of other calibrations."""
    rows = [row for outcome in outcomes for row in _rows(outcome)]
    table = pd.DataFrame([*rows, *further], columns=list(SUMMARY_COLUMNS))
    return table.astype({"rows": int})


def _rows(outcome: Outcome) -> list[dict[str, Any]]:
    said = {"group": outcome.group, "regime": outcome.regime, "quantity": outcome.quantity}
    rows = []
    if np.isfinite(outcome.in_sample).any():
        rows.append(said | _errors(outcome.errors_of(""), IN_SAMPLE, "", NO_GOAL) | {"note": outcome.note})
    for at, by in enumerate(outcome.left_out):
        row = _errors(outcome.errors_of(by), LEFT_OUT, by, outcome.goals.get(by, NO_GOAL))
        around = outcome.around if at == 0 else None
        held = (
            {"coverage_fraction": round(around.coverage, 3), "interval_ratio": round(around.ratio, 3)} if around else {}
        )
        rows.append(said | row | held | {"note": outcome.note})
    if not outcome.clean.all():
        by = next(iter(outcome.left_out))
        found = errors(outcome.left_out[by], outcome.measured)
        aside = {"note": f"{int((~outcome.clean).sum())} rows set aside are counted here"}
        rows.append(said | _errors(found, LEFT_OUT, f"{by}, all rows", NO_GOAL) | aside)
    for count, found in outcome.own_rows.items():
        rows.append(said | _errors(found, LEFT_OUT, OWN_WORDS[count], OWN_GOALS[count]) | {"note": ""})
    return rows


def _errors(found: Errors, split: str, by: str, goal: tuple[float, float]) -> dict[str, Any]:
    return {
        "rows": found.rows,
        "split": split,
        "left_out_by": by,
        "mape_percent": round(found.mape_percent, 2),
        "median_percent": round(found.median_percent, 2),
        "p90_percent": round(found.p90_percent, 2),
        "goal_mape_percent": goal[0],
        "goal_median_percent": goal[1],
    }


def prediction_table(
    outcomes: Sequence[Outcome], spreads: Spreads, further: Sequence[Mapping[str, Any]] = ()
) -> pd.DataFrame:
    """Every run and quantity with its measurement, predictions and interval; figures to five digits."""
    tables = [_predictions(outcome, spreads) for outcome in outcomes]
    whole = pd.concat([*tables, pd.DataFrame(list(further), columns=list(PREDICTION_COLUMNS))], ignore_index=True)
    for name in ("measured", "predicted_in_sample", "predicted_left_out", "low", "high"):
        whole[name] = whole[name].astype(float).map(_rounded)
    return whole


def _predictions(outcome: Outcome, spreads: Spreads) -> pd.DataFrame:
    low, high = spreads.get((outcome.key, outcome.short), (math.nan, math.nan))
    if outcome.quantity == "decode_tokens_per_s":
        low, high = 1.0 / high, 1.0 / low
    centre = np.where(np.isfinite(outcome.shown), outcome.shown, outcome.in_sample)
    columns = {
        "row_id": outcome.ids, "group": outcome.group, "regime": outcome.regime, "model": outcome.models,
        "hardware": outcome.hardware, "engine": outcome.engine, "quantity": outcome.quantity,
        "measured": outcome.measured, "predicted_in_sample": outcome.in_sample, "predicted_left_out": outcome.shown,
        "low": centre * low, "high": centre * high, "clean": outcome.clean,
        "note": np.where(outcome.clean, "", SET_ASIDE),
    }  # fmt: skip
    return pd.DataFrame(columns)[list(PREDICTION_COLUMNS)]


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else math.nan
