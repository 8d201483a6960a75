"""Speed before and after a change of formats, and what a step moves by component."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import fill, key_of_fills, key_of_marks, label, marks, row_header, row_line
from analysis.figures.style import (
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
    vendor_marker,
)
from analysis.metrics import metric
from analysis.study import Study, rows_of

BEFORE, AFTER, ASSUMED = (
    "tokens_per_s_per_user_before",
    "tokens_per_s_per_user_after",
    "assumed_tokens_per_s_per_user",
)
SPEED = "tokens_per_s_per_user"
THICKNESS, BAR_ROWS, KEY_ROWS = 0.3, 2, 24
GIGABYTE = 1e9
# Components from the left: opacity of grey and pattern.
FILLS = {
    "attention": (1.0, ""),
    "dense": (0.75, ""),
    "experts": (0.5, ""),
    "head": (0.25, ""),
    "cache": (1.0, "/"),
    "activations": (0.8, "."),
}
NAMES = {"dense": "dense MLP", "head": "head", "cache": "KV cache"}
Row = Mapping[str, Any]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a slot: hollow before, solid after, a hollow triangle for the gain that is only assumed."""
    rows = rows_of(study.table)
    known = [float(row[name]) for row in rows for name in (BEFORE, AFTER, ASSUMED) if not math.isnan(row[name])]
    high = next_step(1.6 * max(known, default=1000.0))
    low = beside_headers(min(known, default=100.0), high)
    data: list[Part] = []
    shapes, words = [], []
    for at, row in enumerate(rows):
        place = float(len(rows) - 1 - at)
        shapes.append(row_line(place))
        words.append(row_header(_header(row), place, ink))
        data += _marks_of(row, place)
    entries = [("before", "circle-open"), ("after", "circle")]
    assumed = any(not math.isnan(row[ASSUMED]) for row in rows)
    stand_ins, legend = key_of_marks(entries + ([("gain assumed", "triangle-right-open")] if assumed else []), ink)
    x, y = log_axis(metric(SPEED).axis_title(), low, high, ink), no_axis(-0.5, len(rows) - 0.35)
    frame = layout(rows_height(len(rows)), ink, x=x, y=y, **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _header(row: Row) -> str:
    if math.isnan(row[AFTER]):
        return f"<b>{row['slot']}</b>  {row['verdict']}"
    return f"<b>{row['slot']}  {metric(SPEED).format(row[AFTER])}</b>  {row['verdict'].split(';')[0]}"


def _marks_of(row: Row, place: float) -> list[Part]:
    colour, vendor = slot_colour(int(row["place"])), row["vendor"]
    show = metric(SPEED).format
    parts = []
    if not (math.isnan(row[BEFORE]) or math.isnan(row[AFTER])):
        line = {"color": colour, "width": 2}
        ends = {"x": [row[BEFORE], row[AFTER]], "y": [place, place], "hoverinfo": "skip", "showlegend": False}
        parts.append({"type": "scatter", "mode": "lines", "line": line, "opacity": 0.5} | ends)
    for name, symbol, text in (
        (BEFORE, vendor_marker(vendor, hollow=True), f"before: {show(row[BEFORE])}, {row['weights']}"),
        (AFTER, vendor_marker(vendor), f"after: {show(row[AFTER])}, {row['binds']} binds"),
        (ASSUMED, "triangle-right-open", f"if the assumed gain held: {show(row[ASSUMED])}"),
    ):
        if not math.isnan(row[name]):
            parts.append(marks([row[name]], [place], colour, symbol, [f"{row['slot']}<br>{text}"]))
    return parts


def bytes_moved(study: Study, ink: Ink) -> tuple[str, dict[str, Any]]:
    """Title and bars of what one step moves: before above, after below, components from the left."""
    frame = study.marks["components"]
    rows = rows_of(frame) if isinstance(frame, pd.DataFrame) else []
    totals = [sum(float(row[f"moved_byte_{side}"]) for row in rows) for side in ("before", "after")]
    high = 1.08 * max(totals)
    data: list[Part] = []
    words = []
    for place, (side, total) in enumerate(zip(("after", "before"), reversed(totals), strict=True)):
        data += _bar(rows, side, float(place))
        said = metric("moved_byte").format(total)
        words.append(row_header(f"<b>{side}</b>  {said}", float(place), ink, shift=22))
        words += _inside(rows, side, float(place), high, ink)
    used = [row["component"] for row in rows if row["moved_byte_before"] + row["moved_byte_after"] > 0]
    keys = [(NAMES.get(name, name), fill(LINE, *FILLS[name])) for name in used]
    stand_ins, legend = key_of_fills(keys, ink)
    axis = linear_axis(metric("moved_byte").axis_title("G"), high, ink, scale=GIGABYTE)
    height, margin = rows_height(BAR_ROWS) + KEY_ROWS + 20, {"l": 1, "r": 14, "t": 22, "b": 80 + KEY_ROWS}
    drawn = layout(height, ink, x=axis, y=no_axis(-0.5, 1.65), barmode="overlay", margin=margin, **legend)
    return str(study.marks["components_title"]), {
        "data": [*data, *stand_ins],
        "layout": drawn | {"annotations": words},
    }


def _bar(rows: Sequence[Row], side: str, place: float) -> list[Part]:
    parts, start = [], 0.0
    for row in rows:
        length = float(row[f"moved_byte_{side}"])
        if length > 0:
            text = f"{NAMES.get(row['component'], row['component'])}, {side}<br>{metric('moved_byte').format(length)}"
            parts.append(_piece(start, length, place, fill(LINE, *FILLS[row["component"]]), text))
        start += length
    return parts


def _piece(start: float, length: float, place: float, filling: Part, text: str) -> Part:
    return {
        "type": "bar",
        "orientation": "h",
        "x": [length],
        "base": [start],
        "y": [place],
        "width": [THICKNESS],
        "marker": filling,
        "hovertext": [text],
        "hoverinfo": "text",
        "showlegend": False,
    }


def _inside(rows: Sequence[Row], side: str, place: float, high: float, ink: Ink) -> list[Part]:
    """The share of every piece wide enough for it, below the bar."""
    words, start = [], 0.0
    total = sum(float(row[f"moved_byte_{side}"]) for row in rows)
    for row in rows:
        length = float(row[f"moved_byte_{side}"])
        if length > 0.12 * high:
            text = f"{NAMES.get(row['component'], row['component'])} {100 * length / total:.0f} %"
            words.append(label(text, start + length / 2, place, ink, log_x=False, shift=(0, -22)))
        start += length
    return words
