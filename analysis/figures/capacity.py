"""Replicas over the load as stairs, percentiles against their limit, and a request's way as a bar."""

from __future__ import annotations

import math
from typing import Any, cast

import pandas as pd

from analysis.figures.marks import (
    apart,
    fill,
    key_of_fills,
    key_of_marks,
    label,
    line_beside,
    marks,
    row_header,
    row_line,
    threshold,
)
from analysis.figures.style import (
    HEADER_SPARED,
    LINE,
    Ink,
    Part,
    beside_headers,
    layout,
    linear_axis,
    log_axis,
    next_step,
    no_axis,
    rows_height,
    slot_colour,
)
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT = 360
MARGIN = {"l": 50, "r": 14, "t": 24, "b": 52}
PLOT_HEIGHT = HEIGHT - MARGIN["t"] - MARGIN["b"]
PERCENTILES = (("p50_s", "half", "circle-open"), ("p95_s", "95 %", "circle"), ("p99_s", "99 %", "diamond-open"))
# Parts of a request's way: name, opacity of the slot's colour, pattern.
PARTS = (
    ("network", 0.25, ""), ("tokenise", 0.5, "."), ("queue", 0.9, "/"), ("schedule", 0.4, ""), ("prompt", 0.7, ""),
    ("answer", 1.0, ""), ("after", 0.5, "x"),
)  # fmt: skip
THICKNESS = 0.22
NOTHING = (1.0, 10.0)
Row = dict[str, Any]


def stairs(study: Study, ink: Ink) -> dict[str, Any]:
    """Log-log: replicas that keep the promises over requests a second; the load asked for as a line."""
    steps, load = cast(pd.DataFrame, study.marks["stairs"]), cast(float, study.marks["load"])
    x_span = (float(steps["rate_per_s"].min()), float(steps["rate_per_s"].max())) if len(steps) else (load / 10, load)
    most = float(steps["replicas"].max()) if len(steps) else NOTHING[1]
    y_span = (0.8, next_step(2.0 * max(most, 2.0)))
    line, said = threshold(load, f"load {load:,.3g}/s", ink)
    data = [_stair(rows) for _, rows in steps.groupby("place", sort=False)]
    x = log_axis(metric("rate_per_s").axis_title(), *x_span, ink)
    y = log_axis(metric("replicas").axis_title(vertical=True), *y_span, ink, most=8)
    words = [said, *_ends(steps, y_span, ink)]
    frame = layout(HEIGHT, ink, x=x, y=y, margin=MARGIN)
    return {"data": data, "layout": frame | {"shapes": [line], "annotations": words}}


def _stair(rows: pd.DataFrame) -> Part:
    first = rows.iloc[0]
    colour = slot_colour(int(first["place"]))
    texts = [
        f"<b>{first['slot']}</b><br>{row['replicas']:,.0f} replicas up to {row['rate_per_s']:,.3g} requests/s"
        for row in rows_of(rows)
    ]
    x, y = (rows[name].astype(float).tolist() for name in ("rate_per_s", "replicas"))
    line = {"color": colour, "width": 2, "shape": "vh"}
    return marks(x, y, colour, "circle", texts, mode="lines", line=line)


def _ends(steps: pd.DataFrame, y_span: tuple[float, float], ink: Ink) -> list[Part]:
    """Every slot's name above the right end of its stairs, pushed apart where they would touch."""
    ends = [rows.iloc[-1] for _, rows in steps.groupby("place", sort=False)]
    scale = PLOT_HEIGHT / math.log10(y_span[1] / y_span[0])
    pixels = [math.log10(float(end["replicas"]) / y_span[0]) * scale for end in ends]
    return [
        label(f"<b>{end['slot']}</b>", float(end["rate_per_s"]), float(end["replicas"]), ink, log_y=True,
              shift=(-2, round(at - own) + 10), anchor="right")
        for end, own, at in zip(ends, pixels, apart(pixels, 15), strict=True)
    ]  # fmt: skip


def percentiles(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a slot on a log axis of seconds: half, 95 % and 99 % of all requests; the limit as a line."""
    limit, shown = cast(float, study.marks["limit_s"]), str(study.marks["shown"])
    rows = rows_of(study.table)
    values = [float(row[name]) for row in rows for name, _, _ in PERCENTILES]
    known = [value for value in values if math.isfinite(value)] + ([limit] if math.isfinite(limit) else [])
    high = next_step(1.5 * max(known)) if known else NOTHING[1]
    low = beside_headers(min(known), high) if known else NOTHING[0]
    data: list[Part] = []
    shapes, words = [], []
    if math.isfinite(limit):
        _, said = threshold(limit, f"limit {metric('p95_s').format(limit)}", ink)
        shapes, words = [line_beside(limit, range(len(rows)), *HEADER_SPARED)], [said]
    for at, row in enumerate(rows):
        place = float(len(rows) - 1 - at)
        shapes.append(row_line(place))
        words.append(row_header(_percentile_header(row), place, ink))
        data += _percentile_marks(row, place, shown)
    stand_ins, legend = key_of_marks([(name, symbol) for _, name, symbol in PERCENTILES], ink)
    axis = log_axis(_titled(shown), low, high, ink)
    frame = layout(rows_height(len(rows)), ink, x=axis, y=no_axis(-0.45, len(rows) - 0.45), **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _titled(shown: str) -> str:
    keys = {"first token": "ttft_s", "time per token": "tpot_s", "whole answer": "e2e_s"}
    return metric(keys[shown]).axis_title()


def _percentile_header(row: Row) -> str:
    if math.isnan(row["replicas"]):
        return f"<b>{row['slot']}</b>  no number of replicas"
    return f"<b>{row['replicas']:,.0f} × ({row['slot']})</b>  95 % within {metric('p95_s').format(row['p95_s'])}"


def _percentile_marks(row: Row, place: float, shown: str) -> list[Part]:
    colour, found = slot_colour(int(row["place"])), []
    for name, words, symbol in PERCENTILES:
        if math.isfinite(row[name]):
            text = f"<b>{row['slot']}</b><br>{shown}, {words} of all requests: {metric(name).format(row[name])}"
            found.append(marks([float(row[name])], [place], colour, symbol, [text]))
    return found


def path(study: Study, ink: Ink) -> dict[str, Any]:
    """One bar a slot: mean time of every part of a request's way, end to end."""
    parts = cast(pd.DataFrame, study.marks["path"])
    rows = [row for row in rows_of(study.table) if (parts["place"] == row["place"]).any()]
    totals = parts.groupby("place")["path_s"].sum()
    high = float(totals.max()) * 1.05 if len(totals) else NOTHING[0]
    data: list[Part] = []
    shapes, words = [], []
    for at, row in enumerate(rows):
        place, own = float(len(rows) - 1 - at), rows_of(parts[parts["place"] == row["place"]])
        shapes.append(row_line(place))
        total = metric("path_s").format(float(totals[row["place"]]))
        words.append(row_header(f"<b>{row['slot']}</b>  {total}, of it {_longest(own)}", place, ink))
        data += _bar(own, place, high)
    stand_ins, legend = key_of_fills([(name, fill(LINE, opacity, shape)) for name, opacity, shape in PARTS], ink)
    axis = linear_axis(metric("path_s").axis_title(), high, ink)
    count = max(len(rows), 1)
    margin = {"l": 1, "r": 14, "t": 22, "b": 104}
    frame = layout(rows_height(count) + 24, ink, x=axis, y=no_axis(-0.5, count - 0.35), barmode="overlay",
                   margin=margin, **legend)  # fmt: skip
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _longest(own: list[Row]) -> str:
    first = max(own, key=lambda part: float(part["path_s"]))
    return f"{first['part']} {metric('path_s').format(float(first['path_s']))}"


def _bar(own: list[Row], place: float, high: float) -> list[Part]:
    start, found = 0.0, []
    told = "<br>".join(f"{part['part']} {metric('path_s').format(float(part['path_s']))}" for part in own)
    for part, (_, opacity, shape) in zip(own, PARTS, strict=True):
        length = float(part["path_s"])
        if length > 0:
            found.append(
                {
                    "type": "bar", "orientation": "h", "x": [length], "base": [start], "y": [place],
                    "width": [THICKNESS], "marker": fill(slot_colour(int(part["place"])), opacity, shape),
                    "hovertext": [f"<b>{part['slot']}</b><br>{told}"], "hoverinfo": "text", "showlegend": False,
                }
            )  # fmt: skip
        start += length
    return found
