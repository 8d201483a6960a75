"""A sweep or a series with the points that show its fault ringed, their level, the model's line, and crosses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from analysis.diagnosis import Finding
from analysis.figures.marks import key_of_marks, label, marks
from analysis.figures.style import (
    LINE,
    Ink,
    Part,
    faded,
    layout,
    linear_axis,
    log_axis,
    next_step,
    slot_colour,
)
from analysis.metrics import Metric, metric
from analysis.study import Study, rows_of

HEIGHT = 380
MARGIN = {"l": 64, "r": 14, "t": 26, "b": 96}
WIDE_RANGE = 30.0  # beyond this ratio an axis is logarithmic
MILLI = 1e3
RING = {"size": 20, "symbol": "circle-open", "line": {"width": 2, "color": LINE}, "color": LINE}


def shows_something(study: Study) -> bool:
    """True if two points or more can be drawn; fewer the table says better."""
    drawn: pd.DataFrame = study.marks["drawn"]  # type: ignore[assignment]
    return len(drawn) > 1 and bool((drawn["y"].notna() | drawn["modelled"].notna()).any())


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Measured dots joined by a line, the model's hollow and dotted, rings round evidence, crosses for no figures."""
    drawn: pd.DataFrame = study.marks["drawn"]  # type: ignore[assignment]
    finding: Finding | None = study.marks["finding"]  # type: ignore[assignment]
    shown, across = metric(str(study.marks["quantity"])), metric(str(study.marks["across"]))
    scale, prefix = _scale(drawn, shown)
    points = drawn.assign(y=drawn["y"] * scale, modelled=drawn["modelled"] * scale)
    level = finding.level * scale if finding else math.nan
    y, log_y = _upward(points, level, shown.axis_title(prefix, vertical=True), ink)
    x, log_x = _across(points, across, ink)
    data, entries = _data(points, shown, scale)
    crosses = _crosses(points, y, log_y=log_y)
    data, entries = [*data, *crosses], [*entries, *([("no figures", "x")] if crosses else [])]
    stand_ins, legend = key_of_marks(entries, ink)
    frame = layout(HEIGHT, ink, x=x, y=y, **legend) | {"margin": MARGIN}
    if finding and math.isfinite(level):
        frame |= _level(points, level, finding.level_words, ink, log_x=log_x, log_y=log_y)
    return {"data": [*data, *stand_ins], "layout": frame}


def _scale(drawn: pd.DataFrame, shown: Metric) -> tuple[float, str]:
    """Milliseconds below a second, hundredths for shares."""
    if shown.unit == "s" and drawn["y"].max() < 1.0:
        return MILLI, "m"
    return (100.0, "") if shown.unit == "percent" else (1.0, "")


def _data(points: pd.DataFrame, shown: Metric, scale: float) -> tuple[list[Part], list[tuple[str, str]]]:
    colour = slot_colour(0)
    line = {"color": faded(colour, 0.6), "width": 1.5}
    hover = [_hover(row, shown, scale) for row in rows_of(points)]
    parts, entries = [], [("your run", "circle")]
    x, y, modelled = (points[name].tolist() for name in ("x", "y", "modelled"))
    if points["modelled"].notna().any():
        dotted = {"color": colour, "width": 1.5, "dash": "dot"}
        parts.append(marks(x, modelled, colour, "circle-open", hover, mode="lines+markers", line=dotted))
        entries.append(("prediction", "circle-open"))
    parts.append(marks(x, y, colour, "circle", hover, mode="lines+markers", line=line, cliponaxis=False))
    far = points[points["evidence"] & points["y"].notna()]
    if len(far):
        rings = marks(far["x"].tolist(), far["y"].tolist(), LINE, "circle-open", [""] * len(far), hoverinfo="skip")
        parts.append(rings | {"marker": RING})
        entries.append(("evidence", "circle-open-dot"))
    return parts, entries


def _crosses(points: pd.DataFrame, y: Part, *, log_y: bool) -> list[Part]:
    """Runs that ended without figures, at the foot of the figure under their load."""
    over = points[(points["ended"] != "") & points["y"].isna()]
    if over.empty:
        return []
    foot = 10.0 ** float(y["range"][0]) if log_y else 0.0
    hover = [f"<b>{row['x']:,.3g}</b>: {row['ended']}<br>{row['file']}, not reviewed" for row in rows_of(over)]
    return [marks(over["x"].tolist(), [foot] * len(over), LINE, "x", hover, cliponaxis=False)]


def _hover(row: dict[str, Any], shown: Metric, scale: float) -> str:
    said = f"<br>the model says {shown.format(row['modelled'] / scale)}" if math.isfinite(row["modelled"]) else ""
    return f"<b>{row['x']:,.3g}</b>: {shown.format(row['y'] / scale)}{said}<br>{row['file']}, not reviewed"


def _upward(points: pd.DataFrame, level: float, title: str, ink: Ink) -> tuple[Part, bool]:
    values = [each for each in [*points["y"], *points["modelled"], level] if math.isfinite(each) and each > 0] or [1.0]
    if not (points["y"] == 0).any() and max(values) / min(values) > WIDE_RANGE:
        return log_axis(title, min(values) / 1.6, 1.6 * max(values), ink, most=8), True
    return linear_axis(title, next_step(1.12 * max(values), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)), ink), False


def _across(points: pd.DataFrame, across: Metric, ink: Ink) -> tuple[Part, bool]:
    values = [float(each) for each in points["x"]] or [1.0]
    if across.key == "time_s":
        return linear_axis(across.axis_title(), 1.02 * max(max(values), 1.0), ink), False
    low, high = min(values) / 1.4, max(values) * 1.4
    axis = log_axis(across.axis_title(), low, high, ink)
    ticks = _ticks(values)
    return axis | {"tickvals": ticks, "ticktext": [f"{tick:,.4g}" for tick in ticks]}, True


def _ticks(values: Sequence[float]) -> list[float]:
    """The loads themselves where they are few, else powers of two."""
    once = sorted(set(values))
    if len(once) <= 10 and all(after / before > 1.35 for before, after in pairwise(once)):
        return once
    first, last = math.ceil(math.log2(once[0])), math.floor(math.log2(once[-1]))
    return [2.0**power for power in range(first, last + 1)]


def _level(points: pd.DataFrame, level: float, words: str, ink: Ink, *, log_x: bool, log_y: bool) -> Part:
    """A dashed line at the level that the evidence is held against, named above its left end."""
    dashed = {"color": LINE, "width": 1.5, "dash": "dash"}
    line = {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "xref": "paper",
        "y0": level,
        "y1": level,
        "line": dashed,
        "layer": "below",
    }
    at = float(points["x"].min()) if len(points) else 1.0
    said = label(words, at, level, ink, log_x=log_x, log_y=log_y, shift=(4, 11), anchor="left")
    return {"shapes": [line], "annotations": [said] if words else []}
