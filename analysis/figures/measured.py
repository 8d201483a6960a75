"""Measured over modelled, one mark a run, with the model's 80 % interval behind each and the line of equality."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import key_of_marks, marks, row_header
from analysis.figures.style import (
    GRID,
    LINE,
    Ink,
    Part,
    faded,
    layout,
    log_axis,
    no_axis,
    rows_height,
    slot_colour,
    vendor_marker,
)
from analysis.metrics import Metric, metric
from analysis.study import Study, rows_of

HEIGHT, COLOURS = 400, 6
MARGIN = {"l": 56, "r": 14, "t": 22, "b": 96}
SPAN = (0.5, 2.0)  # the axis shows at least half to twice the prediction
RATIOS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)
BAR = {"width": 9}
Row = Mapping[str, Any]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """The gap over users, context, machine or time; the vertical axis is logarithmic and 1 is agreement."""
    drawn: pd.DataFrame = study.marks["drawn"]  # type: ignore[assignment]
    shown: Metric = study.marks["metric"]  # type: ignore[assignment]
    rows, over = rows_of(drawn), str(study.marks["over"])
    if over == "machine":
        return _by_machine(rows, shown, ink)
    data = [_interval(rows), *(_marks(rows, place, shown) for place in sorted({row["place"] for row in rows}))]
    stand_ins, legend = key_of_marks([("your run", "circle"), ("80 % interval", "line-ns-open")], ink)
    y = log_axis(metric("measured_over_modelled").axis_title(vertical=True), *_span(rows), ink) | _ticks(*_span(rows))
    frame = layout(HEIGHT, ink, x=_across(drawn, over, ink), y=y, **legend) | {"margin": MARGIN}
    frame["shapes"] = [_equality()]
    frame["annotations"] = [] if rows else [_nothing(ink)]
    return {"data": [*data, *stand_ins], "layout": frame}


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    ratios = [float(row["measured_over_modelled"]) for row in rows]
    low, high = min([SPAN[0], *(0.8 * each for each in ratios)]), max([SPAN[1], *(1.25 * each for each in ratios)])
    return low, high


def _ticks(low: float, high: float) -> Part:
    """Round ratios on both sides of one."""
    known = [each for each in RATIOS if low <= each <= high]
    return {"tickvals": known, "ticktext": [f"{each:g} ×" for each in known]}


def _interval(rows: Sequence[Row]) -> Part:
    """The interval of every run as a broad faint line behind its mark."""
    x: list[Any] = []
    y: list[float | None] = []
    for row in rows:
        if math.isfinite(row["low"] + row["high"]):
            x += [row["x"], row["x"], None]
            y += [row["low"] / row["modelled"], row["high"] / row["modelled"], None]
    line = {"color": faded(LINE, 0.28), **BAR}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "showlegend": False, "hoverinfo": "skip"}


def _marks(rows: Sequence[Row], place: int, shown: Metric) -> Part:
    own = [row for row in rows if row["place"] == place]
    colour = slot_colour(place) if place < COLOURS else LINE
    hover = [_hover(row, shown) for row in own]
    x, y = ([row[name] for row in own] for name in ("x", "measured_over_modelled"))
    return marks(x, y, colour, vendor_marker(own[0]["vendor"]), hover)


def _hover(row: Row, shown: Metric) -> str:
    return (
        f"{row['slot']}, {row['model']}<br>{row['load']}<br>{row['gap']}"
        f"<br>interval {shown.format(row['low'])} to {shown.format(row['high'])}<br>{row['source_file']}, not reviewed"
    )


def _equality() -> Part:
    line = {"color": LINE, "width": 1.5}
    return {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": 1, "y1": 1, "line": line, "layer": "below"}


def _across(drawn: pd.DataFrame, over: str, ink: Ink) -> Part:
    if over == "time":
        plain = {"size": 12, "color": ink.soft}
        return {"type": "date", "title": {"text": "start of the run", "font": plain}, "tickfont": plain,
                "gridcolor": GRID, "zeroline": False, "fixedrange": True, "nticks": 6}  # fmt: skip
    name = "concurrency" if over == "users" else "context_tokens"
    values = [float(each) for each in drawn["x"] if each > 0] or [1.0]
    low, high = min(values) / 1.5, max(values) * 1.5
    axis = log_axis(metric(name).axis_title(), low, high, ink)
    if over == "users":
        ticks = [2.0**power for power in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
        axis |= {"tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}
    return axis


def _by_machine(rows: Sequence[Row], shown: Metric, ink: Ink) -> dict[str, Any]:
    """One row a machine and model, named above its marks: names that long do not stand side by side on a phone."""
    count = int(max(row["x"] for row in rows)) + 1
    data: list[Part] = []
    for place in sorted({row["place"] for row in rows}):
        own = _marks(rows, place, shown)
        data.append(own | {"x": own["y"], "y": [count - 1 - at for at in own["x"]]})
    interval = _interval(rows)
    turned = [None if at is None else count - 1 - at for at in interval["x"]]
    stand_ins, legend = key_of_marks([("your run", "circle"), ("80 % interval", "line-ew-open")], ink)
    x = log_axis(metric("measured_over_modelled").axis_title(), *_span(rows), ink) | _ticks(*_span(rows))
    frame = layout(rows_height(count), ink, x=x, y=no_axis(-0.5, count - 0.4), **legend)
    frame["shapes"] = [_equality() | {"x0": 1, "x1": 1, "xref": "x", "y0": 0, "y1": 1, "yref": "paper"}]
    names = {row["x"]: row["x_name"] for row in rows}
    frame["annotations"] = [row_header(f"<b>{name}</b>", count - 1 - at, ink) for at, name in names.items()]
    return {"data": [interval | {"x": interval["y"], "y": turned}, *data, *stand_ins], "layout": frame}


def _nothing(ink: Ink) -> Part:
    return {"text": "No run says when it started.", "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper",
            "showarrow": False, "font": {"size": 13, "color": ink.soft}}  # fmt: skip
