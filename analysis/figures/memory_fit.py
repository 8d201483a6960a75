"""Memory of one device of every slot: weights, cache and the rest as shares of what the device has."""

from __future__ import annotations

import math
from typing import Any

from analysis.figures.marks import fill, key_of_fills, row_header, row_line, threshold
from analysis.figures.style import (
    LINE,
    Ink,
    Part,
    layout,
    linear_axis,
    no_axis,
    rows_height,
    slot_colour,
)
from analysis.metrics import metric
from analysis.study import Study

WIDEST = 2.0  # the axis ends at twice the memory; what needs more has an arrow
THICKNESS = 0.2
KEY_ROWS = 24  # pixels that a narrow screen needs for the key's third row
# Components from the left: column, name, opacity of the slot's colour, pattern.
PARTS = (
    ("attention_byte", "attention", 1.0, ""),
    ("dense_mlp_byte", "dense MLP", 0.8, ""),
    ("expert_byte", "experts", 0.6, ""),
    ("embedding_byte", "embedding, head", 0.4, ""),
    ("cache_byte", "KV cache", 1.0, "/"),
    ("activation_byte", "working memory", 0.7, "."),
    ("overhead_byte", "working memory", 0.7, "."),
)
Row = dict[str, Any]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One stacked bar a slot; the line at 100 % is the device's memory."""
    table = study.table
    rows: list[Row] = [dict(zip(table.columns, each, strict=True)) for each in table.itertuples(index=False)]
    known = [row for row in rows if not math.isnan(row["memory_byte"])]
    most = max((row["memory_needed_byte"] / row["memory_byte"] for row in known), default=1.0)
    high = min(WIDEST, max(1.25, most * 1.08))
    places = {row["slot"] + str(row["place"]): float(len(rows) - 1 - at) for at, row in enumerate(rows)}
    data: list[Part] = []
    line, said = threshold(1.0, "memory of one device", ink, log_x=False)
    shapes, words = [line], [said]
    for row in rows:
        place = places[row["slot"] + str(row["place"])]
        shapes.append(row_line(place))
        words.append(row_header(_header(row), place, ink))
        if not math.isnan(row["memory_byte"]):
            data += _bar(row, place, high)
    present = [part for part in PARTS if any(row[part[0]] > 0 for row in known)]
    keys = {name: fill(LINE, opacity, shape) for _, name, opacity, shape in present}
    stand_ins, legend = key_of_fills(list(keys.items()), ink)
    axis = linear_axis(metric("memory_used_fraction").axis_title(), high, ink, scale=0.01)
    rows_axis, height = no_axis(-0.5, len(rows) - 0.35), rows_height(len(rows)) + KEY_ROWS
    margin = {"l": 1, "r": 14, "t": 22, "b": 80 + KEY_ROWS}
    frame = layout(height, ink, x=axis, y=rows_axis, barmode="overlay", margin=margin, **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _header(row: Row) -> str:
    if math.isnan(row["memory_byte"]):
        return f"<b>{row['slot']}</b>  memory not known"
    return f"<b>{row['slot']}</b>  {row['verdict']}"


def _bar(row: Row, place: float, high: float) -> list[Part]:
    """Components end to end, cut at the end of the axis, where an arrow says how much there is."""
    colour, memory, start = slot_colour(row["place"]), row["memory_byte"], 0.0
    parts = []
    for column, words, opacity, pattern in PARTS:
        length = row[column] / memory
        shown = min(length, max(0.0, high - start))
        if shown > 0:
            parts.append(_piece(start, shown, place, fill(colour, opacity, pattern), _hover(row, column, words)))
        start += length
    if start > high:
        parts.append(_arrow(row, place, high, colour))
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


def _hover(row: Row, column: str, words: str) -> str:
    show = metric(column).format
    share = metric("weight_fraction").format(row[column] / row["memory_byte"])
    total = metric("memory_needed_byte").format(row["memory_needed_byte"])
    memory = metric("memory_byte").format(row["memory_byte"])
    named = metric(column).label if column in ("activation_byte", "overhead_byte") else words
    return f"{row['slot']}, one device<br>{named} {show(row[column])}, {share}<br>{total} in all, of {memory}"


def _arrow(row: Row, place: float, high: float, colour: str) -> Part:
    needed = metric("memory_needed_byte").format(row["memory_needed_byte"])
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [high],
        "y": [place],
        "marker": {"symbol": "triangle-right", "size": 12, "color": colour},
        "hovertext": [f"{row['slot']}, one device<br>needs {needed}"],
        "hoverinfo": "text",
        "cliponaxis": False,
        "showlegend": False,
    }
