"""Energy of a token by slot: with idle hours, while serving, and what bytes and arithmetic alone would take."""

from __future__ import annotations

import math
from typing import Any

from analysis.figures import marks as m
from analysis.figures.style import Ink, Part, layout, log_axis, next_step, no_axis, rows_height, slot_colour
from analysis.metrics import metric
from analysis.study import Study, rows_of

WHOLE, SERVING, FLOOR = "circle-open", "diamond-open", "triangle-right-open"
ENERGY = metric("energy_j_per_token")
NAMES = (
    ("energy_j_per_token", "idle hours included", WHOLE),
    ("serving_j_per_token", "while serving", SERVING),
    ("floor_j_per_token", "bytes and arithmetic alone", FLOOR),
)
ENDS = ("energy_low_j_per_token", "energy_high_j_per_token")
ALONE = (0.1, 10.0)


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a slot on a log axis."""
    rows = rows_of(study.table)
    columns = [*(name for name, _, _ in NAMES), *ENDS]
    seen = [float(row[name]) for row in rows for name in columns if row["feasible"] and row[name] > 0]
    low, high = (1 / next_step(1 / (0.6 * min(seen))), next_step(1.5 * max(seen))) if seen else ALONE
    data: list[Part] = []
    shapes: list[Part] = []
    words: list[Part] = []
    for at, row in enumerate(rows):
        place = float(len(rows) - 1 - at)
        shapes.append(m.row_line(place))
        words.append(m.row_header(str(row["row_header"]), place, ink))
        if row["feasible"] and not math.isnan(row[ENERGY.key]):
            data += _slot(row, place, shapes, words, ink)
    entries = [("with idle hours", WHOLE), ("while serving", SERVING), ("floor", FLOOR), ("80 % interval", "square")]
    stand_ins, legend = m.key_of_marks(entries, ink)
    axis = log_axis(ENERGY.axis_title(), low, high, ink)
    frame = layout(rows_height(len(rows)), ink, x=axis, y=no_axis(-0.45, len(rows) - 0.45), **legend)
    drawn = [m.in_one_trace(data)] if data else []
    return {"data": [*drawn, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _slot(row: dict[str, Any], place: float, shapes: list[Part], words: list[Part], ink: Ink) -> list[Part]:
    colour = slot_colour(int(row["place"]))
    ends = [float(row[name]) for name in ENDS]
    if not math.isnan(ends[0]):
        shapes.append(m.band(ends[0], ends[1], place, colour))
    found = []
    for key, name, symbol in reversed(NAMES):
        value = float(row[key])
        if math.isnan(value) or value <= 0:
            continue
        text = f"<b>{row['slot']}</b><br>{name}: {ENERGY.format(value)}<br>{row['basis']}"
        ring = {"size": 13 if symbol == WHOLE else 10, "color": colour, "symbol": symbol,
                "line": {"width": 4 if symbol == WHOLE else 2, "color": colour}}  # fmt: skip
        found.append(m.marks([value], [place], colour, symbol, [text], marker=ring))
    floor = float(row["floor_j_per_token"])
    words.append(m.label(ENERGY.format(floor).split("/")[0], floor, place, ink))
    return found
