"""Errors of energy a token as the calibration reports them: by source, by whose speed, in sample and left out."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.calibration_energy import METRIC, SOURCES, EnergyFit, spread
from analysis.power_shares import shipped_power

GOALS = {"mape_percent": 30.0, "median_percent": 20.0}
GROUP, REGIME = "energy of a token", "energy"
SPEEDS = ("measured_speed", "own_speed")
SPLITS = {"in_sample": "in sample", "left_out": "left out"}
_SAID = {"group": GROUP, "regime": REGIME, "quantity": METRIC}
_AS_REPORTED = {
    "measured_j_per_token": "measured",
    "own_speed_in_sample": "predicted_in_sample",
    "own_speed_left_out": "predicted_left_out",
}


def error_table(fit: EnergyFit) -> pd.DataFrame:
    """Errors of energy a token in percent: for all rows and for each source, by whose speed and how it was split."""
    records = []
    for speed in SPEEDS:
        for split in SPLITS:
            off = _off(fit, speed, split)
            parts = {"all": off} | {source: off[fit.rows["source"] == source] for source in SOURCES}
            records += [
                {"speed": speed, "split": split, "source": name, "rows": len(part)} | _errors(part)
                for name, part in parts.items()
            ]
    return pd.DataFrame(records)


def _off(fit: EnergyFit, speed: str, split: str) -> pd.Series[float]:
    return (fit.rows[f"{speed}_{split}"] / fit.rows["measured_j_per_token"] - 1.0).abs() * 100.0


def _errors(off: pd.Series[float]) -> dict[str, Any]:
    return {
        "mape_percent": round(float(off.mean()), 2),
        "median_percent": round(float(off.median()), 2),
        "p90_percent": round(float(off.quantile(0.9)), 2),
    }


def summary_rows(fit: EnergyFit) -> list[dict[str, Any]]:
    """Rows of the accuracy summary: energy with the engine's own speed, in sample and with a source left out."""
    rows: list[dict[str, Any]] = []
    for split, words in SPLITS.items():
        timed = _errors(_off(fit, "measured_speed", split))
        note = f"with the measured speed {timed['mape_percent']:.1f} mean, {timed['median_percent']:.1f} median"
        said = {**_SAID, "rows": len(fit.rows), "split": words, "left_out_by": "", "note": note}
        rows.append(said | _errors(_off(fit, "own_speed", split)))
    goals = {f"goal_{name}": goal for name, goal in GOALS.items()}
    rows[-1] |= {"left_out_by": "source", "coverage_fraction": coverage(fit), "interval_ratio": fit.factor**2} | goals
    return rows


def prediction_rows(fit: EnergyFit) -> list[dict[str, Any]]:
    """Rows of the accuracy predictions: every measured energy beside its prediction with the engine's own speed."""
    table = fit.rows[["row_id", "model", "hardware", "engine", *_AS_REPORTED]].rename(columns=_AS_REPORTED)
    around = table.assign(
        low=table["predicted_left_out"] / fit.factor, high=table["predicted_left_out"] * fit.factor, clean=True, note=""
    )
    return [{str(name): value for name, value in row.items()} | _SAID for row in around.to_dict("records")]


def coverage(fit: EnergyFit) -> float:
    """Share of rows inside an interval made from the other sources' left-out rows alone."""
    ratio = fit.rows["measured_j_per_token"] / fit.rows["own_speed_left_out"]
    inside = 0
    for source in SOURCES:
        own = fit.rows["source"] == source
        factor = spread(fit.rows[~own])
        inside += int(ratio[own].between(1.0 / factor, factor).sum())
    return round(inside / len(ratio), 3)


def moved(fit: EnergyFit) -> dict[str, tuple[float, float]]:
    """Shipped and newly fitted value of every share of GPUs, and of the interval's factor."""
    shipped = shipped_power()
    names = ("busy_share", "waiting_share", "wall_factor")
    pairs = {name: (getattr(shipped.shares["gpu"], name), getattr(fit.shares, name)) for name in names}
    return pairs | {"factor": (shipped.high_factor, fit.factor)}
