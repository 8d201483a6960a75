"""Costs of a million tokens by slot beside what providers ask, and the price at which a machine would be cheaper."""

from __future__ import annotations

import math
from typing import Any, cast

import pandas as pd

from analysis.figures import marks as m
from analysis.figures.names import behind_ends, room
from analysis.figures.style import (
    LINE,
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

INPUT, OUTPUT, MIX = "triangle-left-open", "triangle-right-open", "circle-open"
NAMES = (("input_usd_per_million_tokens", "input"), ("output_usd_per_million_tokens", "output"))
COST = metric("blended_usd_per_million_tokens")
CURVES_HEIGHT = 400
CURVES_MARGIN = {"l": 64, "r": 14, "t": 22, "b": 60}
ALONE = (0.1, 10.0)  # axis where nothing has a price


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a slot: ring with band the mix, triangles input and output; a last row holds the providers."""
    asked = cast(pd.DataFrame, study.marks["published"])
    rows = rows_of(study.table)
    count = len(rows) + (0 if asked.empty else 1)
    low, high = _range(study.table, asked)
    data: list[Part] = []
    shapes: list[Part] = []
    words: list[Part] = []
    for at, row in enumerate(rows):
        place = float(count - 1 - at)
        shapes.append(m.row_line(place))
        words.append(m.row_header(str(row["row_header"]), place, ink))
        data += _slot(row, place, shapes, words, ink)
    if not asked.empty:
        shapes.append(m.row_line(0.0))
        words.append(m.row_header(f"<b>{len(asked)} providers</b> ask for the same mix", 0.0, ink))
        data += _providers(asked, words, ink)
    entries = [("the mix", MIX), ("input", INPUT), ("output", OUTPUT), ("80 % interval", "square")]
    stand_ins, legend = m.key_of_marks(entries, ink)
    axis = log_axis(COST.axis_title(), low, high, ink)
    frame = layout(rows_height(count), ink, x=axis, y=no_axis(-0.45, count - 0.45), **legend)
    drawn = [m.in_one_trace(data)] if data else []
    return {"data": [*drawn, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _range(table: pd.DataFrame, asked: pd.DataFrame) -> tuple[float, float]:
    columns = [COST.key, *(name for name, _ in NAMES), "low_rate_blended", "high_rate_blended"]
    seen = [float(value) for value in table[columns].to_numpy().ravel() if pd.notna(value) and value > 0]
    for name in ("input_usd", "output_usd", "blended_usd"):
        seen += [float(value) for value in asked[name]]
    return (1.0 / next_step(1.0 / (0.6 * min(seen))), next_step(1.5 * max(seen))) if seen else ALONE


def _slot(row: dict[str, Any], place: float, shapes: list[Part], words: list[Part], ink: Ink) -> list[Part]:
    colour = slot_colour(int(row["place"]))
    if math.isnan(row[COST.key]):
        return []
    low, high = float(row["high_rate_blended"]), float(row["low_rate_blended"])
    if not math.isnan(low):
        shapes.append(m.band(low, high, place, colour))
    found = []
    for (key, name), symbol in zip(NAMES, (INPUT, OUTPUT), strict=True):
        value = float(row[key])
        if not math.isnan(value):
            text = f"<b>{row['slot']}</b><br>{metric(key).label}: {metric(key).format(value)}"
            found.append(m.marks([value], [place], colour, symbol, [text]))
            words.append(m.label(f"{name} {_money(value)}", value, place, ink))
    value = float(row[COST.key])
    text = f"<b>{row['slot']}</b><br>{COST.label}: {COST.format(value)}<br>{row['price_words']}"
    ring = {"size": 13, "color": colour, "symbol": MIX, "line": {"width": 4, "color": colour}}
    return [*found, m.marks([value], [place], colour, MIX, [text], marker=ring)]


def _providers(asked: pd.DataFrame, words: list[Part], ink: Ink) -> list[Part]:
    """All price lists in one row: grey rings for the mix, triangles for the cheapest and dearest of either kind."""
    found = []
    for column, symbol in (("input_usd", INPUT), ("output_usd", OUTPUT), ("blended_usd", MIX)):
        texts = [
            f"<b>{row['provider']}</b>, {row['date']}<br>input {_money(row['input_usd'])}, "
            f"output {_money(row['output_usd'])}, the mix {_money(row['blended_usd'])}<br>{row['note']}"
            for row in rows_of(asked)
        ]
        values = [float(value) for value in asked[column]]
        found.append(m.marks(values, [0.0] * len(values), LINE, symbol, texts))
    for column, name in (("input_usd", "input"), ("output_usd", "output")):
        words.append(m.label(name, float(asked[column].median()), 0.0, ink))
    return found


def _money(value: float) -> str:
    return COST.format(value).split("/")[0]


def break_even(study: Study, ink: Ink) -> dict[str, Any]:
    """Price per device hour below which each machine is cheaper by the saving, over the share of hours it serves."""
    curves = cast(pd.DataFrame, study.marks["break_even"])
    values = [float(value) for value in curves["usd_per_hour"]]
    price = metric("break_even_usd_per_hour")
    span = (1.0 / next_step(1.0 / (0.6 * min(values))), next_step(2.0 * max(values))) if values else ALONE
    data: list[Part] = []
    words: list[Part] = []
    for row in rows_of(study.table):
        own = curves[curves["place"] == row["place"]]
        if not own.empty:
            data += _curve(row, own, words, ink)
    x = linear_axis(metric("duty_fraction").axis_title(), 1.0, ink, scale=0.01)
    y = log_axis(price.axis_title(vertical=True), *span, ink, most=8)
    last = curves.groupby("place", sort=False).last()["usd_per_hour"].to_dict()
    ends = [(str(row["slot"]), float(last[row["place"]])) for row in rows_of(study.table) if row["place"] in last]
    words += behind_ends(ends, span, CURVES_HEIGHT - CURVES_MARGIN["t"] - CURVES_MARGIN["b"], ink)
    margin = CURVES_MARGIN | {"r": room([name for name, _ in ends])}
    frame = layout(CURVES_HEIGHT, ink, x=x, y=y, margin=margin)
    return {"data": data, "layout": frame | {"annotations": words}}


def _curve(row: dict[str, Any], own: pd.DataFrame, words: list[Part], ink: Ink) -> list[Part]:
    colour = slot_colour(int(row["place"]))
    price = metric("break_even_usd_per_hour").format
    x, y = ([float(value) for value in own[name]] for name in ("occupancy", "usd_per_hour"))
    texts = [
        f"<b>{row['slot']}</b><br>serving {100 * a:.3g} % of the hours: {price(b)}" for a, b in zip(x, y, strict=True)
    ]
    line = {
        "type": "scatter", "mode": "lines", "x": x, "y": y, "line": {"color": colour, "width": 3}, "showlegend": False,
        "hovertext": texts, "hoverinfo": "text",
    }  # fmt: skip
    needed = float(row["occupancy_needed_fraction"])
    if not (0 < needed <= 1):
        return [line]
    real = float(row["device_usd_per_hour"])
    said = f"{price(real)} needs {metric('occupancy_needed_fraction').format(needed)}"
    words.append(m.label(said, needed, real, ink, log_x=False, log_y=True, shift=(0, -17)))
    return [line, m.marks([needed], [real], colour, "circle-open", [f"<b>{row['slot']}</b><br>{said}"])]
