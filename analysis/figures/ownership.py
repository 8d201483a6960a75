"""Owning beside renting: dollars an hour by slot, and money spent month by month."""

from __future__ import annotations

import math
from typing import Any, cast

import pandas as pd

from analysis.figures import marks as m
from analysis.figures.names import behind_ends, room
from analysis.figures.style import (
    Ink,
    Part,
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

OWN, RENT = "circle-open", "diamond-open"
HOUR = metric("owning_usd_per_hour")
NAMES = (("owning_usd_per_hour", "own", OWN), ("renting_usd_per_hour", "rent", RENT))
ALONE = (1.0, 100.0)
CURVES_HEIGHT = 400
CURVES_MARGIN = {"l": 64, "r": 14, "t": 22, "b": 60}


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a slot on a log axis: ring for owning, diamond for renting."""
    rows = rows_of(study.table)
    seen = [float(row[name]) for row in rows for name, _, _ in NAMES if row[name] > 0]
    low, high = (1 / next_step(1 / (0.5 * min(seen))), next_step(1.6 * max(seen))) if seen else ALONE
    data: list[Part] = []
    shapes: list[Part] = []
    words: list[Part] = []
    for at, row in enumerate(rows):
        place = float(len(rows) - 1 - at)
        shapes.append(m.row_line(place))
        words.append(m.row_header(str(row["row_header"]), place, ink))
        data += _slot(row, place, words, ink)
    stand_ins, legend = m.key_of_marks([("owning", OWN), ("renting", RENT)], ink)
    axis = log_axis("owning or renting all devices ($/h) ←", low, high, ink)
    frame = layout(rows_height(len(rows)), ink, x=axis, y=no_axis(-0.45, len(rows) - 0.45), **legend)
    drawn = [m.in_one_trace(data)] if data else []
    return {"data": [*drawn, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _slot(row: dict[str, Any], place: float, words: list[Part], ink: Ink) -> list[Part]:
    colour = slot_colour(int(row["place"]))
    found = []
    values = {name: float(row[key]) for key, name, _ in NAMES}
    for key, name, symbol in NAMES:
        value = float(row[key])
        if math.isnan(value):
            continue
        text = f"<b>{row['slot']}</b><br>{metric(key).label}: {HOUR.format(value)}<br>{row['firmness']}"
        found.append(m.marks([value], [place], colour, symbol, [text]))
        first = value <= min(each for each in values.values() if not math.isnan(each))
        shift = (6, -17) if first else (-6, -17)
        said = f"{name} {HOUR.format(value).split('/')[0]}"
        words.append(m.label(said, value, place, ink, shift=shift, anchor="right" if first else "left"))
    return found


def months(study: Study, ink: Ink) -> dict[str, Any]:
    """Money spent by each month: solid owning, dotted renting; they cross where the purchase has paid back."""
    curves = cast(pd.DataFrame, study.marks["curves"])
    most = float(max(curves["owning_usd"].max(), curves["renting_usd"].max())) if len(curves) else 1.0
    data: list[Part] = []
    ends: list[tuple[str, float]] = []
    for row in rows_of(study.table):
        own = curves[curves["place"] == row["place"]]
        if own.empty:
            continue
        data += [_line(row, own, "owning_usd", "solid"), _line(row, own, "renting_usd", "dot")]
        ends += [(f"{row['slot']}, {word}", float(own[name].iloc[-1])) for name, word in (
            ("owning_usd", "owned"), ("renting_usd", "rented"))]  # fmt: skip
    ends = [(text, value) for text, value in ends if not math.isnan(value)]
    words = behind_ends(
        ends, (0.0, most * 1.1), CURVES_HEIGHT - CURVES_MARGIN["t"] - CURVES_MARGIN["b"], ink, log_y=False
    )
    x_axis = linear_axis("months", 12.0 * float(str(study.marks["years"])), ink)
    prefix, scale = ("M", 1e6) if most >= 1e6 else ("k", 1e3)
    y_axis = linear_axis(f"spent in all ({prefix}$)", most * 1.1, ink, scale=scale)
    frame = layout(
        CURVES_HEIGHT, ink, x=x_axis, y=y_axis, margin=CURVES_MARGIN | {"r": room([text for text, _ in ends])}
    )
    return {"data": data, "layout": frame | {"annotations": words}}


def _line(row: dict[str, Any], own: pd.DataFrame, name: str, dash: str) -> Part:
    what = "owned" if name == "owning_usd" else "rented"
    texts = [
        f"<b>{row['slot']}</b>, {what}<br>{metric('purchase_usd').format(value)} by month {month}"
        for month, value in zip(own["month"], own[name], strict=True)
    ]
    return {
        "type": "scatter", "mode": "lines", "x": list(own["month"]), "y": [float(value) for value in own[name]],
        "line": {"color": slot_colour(int(row["place"])), "width": 3, "dash": dash}, "showlegend": False,
        "hovertext": texts, "hoverinfo": "text",
    }  # fmt: skip
