"""Bandwidth needed as lines, bandwidth there is as a mark per slot, what one stream on a wafer sees as a hollow one."""

from __future__ import annotations

import math
from typing import Any

from analysis.figures.marks import key_of_marks, label, line_beside, marks, row_header, row_line, threshold
from analysis.figures.style import (
    HEADER_SPARED,
    Ink,
    Part,
    beside_headers,
    layout,
    log_axis,
    next_step,
    no_axis,
    rows_height,
    slot_colour,
    vendor_marker,
)
from analysis.metrics import metric
from analysis.study import Study, rows_of

LEVEL = 15  # pixels between the words of two lines, which stand in steps so that they never meet
CLOSE = 1.15  # lines nearer than this ratio are drawn as one


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a slot on a log axis of bytes per second."""
    rows = rows_of(study.table)
    needs = _needs(study)
    values = [row["available_byte_per_s"] for row in rows] + [row["seen_byte_per_s"] for row in rows]
    known = [each for each in [*values, *(value for value, _ in needs)] if not math.isnan(each)]
    high = next_step(2.5 * max(known))
    low = beside_headers(min(known), high)
    shapes, words, data = [], [], []
    for order, (value, text) in enumerate(needs):
        _, said = threshold(value, text, ink)
        shapes.append(line_beside(value, range(len(rows)), *HEADER_SPARED))
        words.append(said | {"yshift": LEVEL * (len(needs) - 1 - order)})
    for at, row in enumerate(rows):
        place = float(len(rows) - 1 - at)
        shapes.append(row_line(place))
        data += _marks_of(row, place)
        words += _words_of(row, place, ink)
    seen = any(not math.isnan(row["seen_byte_per_s"]) for row in rows)
    entries = [("all devices", "circle")] + ([("one stream sees", "diamond-open")] if seen else [])
    stand_ins, legend = key_of_marks(entries, ink)
    title = metric("bandwidth_byte_per_s").axis_title()
    x, y = log_axis(title, low, high, ink), no_axis(-0.5, len(rows) - 0.35)
    margin = {"l": 1, "r": 14, "t": 22 + 2 * LEVEL, "b": 80}
    frame = layout(rows_height(len(rows)) + 2 * LEVEL, ink, x=x, y=y, margin=margin, **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _needs(study: Study) -> list[tuple[float, str]]:
    """Lines from left to right with their words; lines that coincide become one."""
    required = float(study.marks["required_byte_per_s"])  # type: ignore[arg-type]
    one, dense = (float(study.marks[name]) for name in ("one_byte_per_s", "dense_byte_per_s"))  # type: ignore[arg-type]
    show = metric("bandwidth_byte_per_s").format
    lines = [(required, f"needs {show(required)}")]
    if required > one * CLOSE:
        lines.insert(0, (one, f"one token's experts {show(one)}"))
    if dense > required * CLOSE:
        lines.append((dense, f"every expert {show(dense)}"))
    return lines


def _marks_of(row: dict[str, Any], place: float) -> list[Part]:
    if math.isnan(row["available_byte_per_s"]):
        return []
    colour, show = slot_colour(row["place"]), metric("bandwidth_byte_per_s").format
    one = show(row["bandwidth_byte_per_s"])
    hover = f"{row['slot']}<br>{show(row['available_byte_per_s'])} of all devices<br>{one} each, datasheet"
    parts = [marks([row["available_byte_per_s"]], [place], colour, vendor_marker(row["vendor"]), [hover])]
    if not math.isnan(row["seen_byte_per_s"]):
        seen = f"{row['slot']}<br>{show(row['seen_byte_per_s'])} seen by one stream<br>it is in one layer at a time"
        symbol = vendor_marker(row["vendor"], hollow=True)
        parts.append(marks([row["seen_byte_per_s"]], [place], colour, symbol, [seen]))
    return parts


def _words_of(row: dict[str, Any], place: float, ink: Ink) -> list[Part]:
    available = row["available_byte_per_s"]
    if math.isnan(available):
        return [row_header(f"<b>{row['slot']}</b>  bandwidth not known", place, ink)]
    show = metric("bandwidth_byte_per_s").format
    times = metric("bandwidth_over_need").format(row["bandwidth_over_need"])
    said = [row_header(f"<b>{row['slot']}  {show(available)}</b>  {times}× the need", place, ink)]
    if not math.isnan(row["seen_byte_per_s"]):
        said.append(label(show(row["seen_byte_per_s"]), row["seen_byte_per_s"], place, ink))
    return said
