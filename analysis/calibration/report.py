"""The calibration in words: one line a group and split, goals beside, worst runs named, what is not covered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.calibration.calibrate import Calibration
from data.catalogue.accuracy_files import LEFT_OUT

WORST = 8
NOT_COVERED = (
    "Prompts computed by separate devices, experts spread over several nodes and attention groups are not fitted.",
    "Times to first token depend on bursts of the client and on host time that the runs do not state: indicative.",
    "Speeds of hosted wafer, LPU and dataflow services hide drafts and machine counts: never fitted.",
    "Wafer runs whose model has no configuration in the catalogue are left out by name.",
)


def report_text(found: Calibration, summary: pd.DataFrame, predictions: pd.DataFrame, dated: str) -> str:
    """The report as Markdown."""
    lines = [f"# Calibration of {dated}", "", "Errors are |predicted / measured - 1| in percent, on clean rows.", ""]
    lines += [
        "| group | quantity | split | rows | mean | median | p90 | goal | holds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_line(row) for row in summary.to_dict("records")]
    lines += ["", "## Parameters", "", "| file | parameter | value | 10-90 % |", "|---|---|---|---|"]
    for key, values in found.values.items():
        lines += [f"| {key} | {name} | {value:.4g} | {_span(found, name)} |" for name, value in values.items()]
    lines += ["", "## Worst runs, left out", ""]
    lines += _worst(predictions)
    lines += ["", "## Not covered", "", *(f"- {text}" for text in NOT_COVERED), ""]
    return "\n".join(lines)


def _line(row: Mapping[Any, Any]) -> str:
    split = f"{row['split']}, {row['left_out_by']}" if row["left_out_by"] else str(row["split"])
    goals = [_number(row["goal_mape_percent"]), _number(row["goal_median_percent"])]
    goal = " / ".join(text for text in goals if text)
    errors = [_number(row[f"{name}_percent"]) for name in ("mape", "median", "p90")]
    holds = _number(row["coverage_fraction"])
    return f"| {row['group']} | {row['quantity']} | {split} | {row['rows']} | {' | '.join(errors)} | {goal} | {holds} |"


def _number(value: object) -> str:
    number = float(str(value)) if value is not None and str(value) else float("nan")
    return "" if number != number else f"{number:.4g}"


def _span(found: Calibration, name: str) -> str:
    return "{:.3g} to {:.3g}".format(*found.ranges[name]) if name in found.ranges else ""


def _worst(predictions: pd.DataFrame) -> list[str]:
    """The runs furthest off in each group, by the left-out prediction."""
    known = predictions[predictions["predicted_left_out"].notna() & predictions["clean"].astype(bool)]
    factor = known["predicted_left_out"].astype(float) / known["measured"].astype(float)
    apart = pd.concat([factor, 1.0 / factor], axis=1).max(axis=1)
    lines = []
    for (group, quantity), rows in known.groupby(["group", "quantity"], sort=False):
        worst = apart[rows.index].nlargest(WORST).index
        named = "; ".join(f"{rows.loc[at, 'row_id']} {factor[at]:.2f}" for at in worst)
        lines.append(f"- {group}, {quantity} ({LEFT_OUT}, predicted over measured): {named}")
    return lines
