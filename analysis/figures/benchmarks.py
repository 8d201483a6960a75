"""Runs as solid marks over the number of users, the model's prediction for each as a hollow mark on a dotted line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.marks import key_of_marks, marks
from analysis.figures.style import Ink, Part, layout, log_axis, next_step, slot_colour, vendor_marker
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT = 400
NAME_STEP = 17  # pixels
COLOURS = 6
Row = Mapping[str, Any]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Log-log: tokens/s per user over users at once, a colour for every machine and model, six at most."""
    rows = rows_of(study.table)
    shown = [row for row in rows if row["place"] < COLOURS]
    data: list[Part] = []
    for series in _series(shown):
        data.append(_modelled(series))
        data.append(_measured(series))
    span = _speed_span(shown)
    words = _names(shown, ink)
    stand_ins, legend = key_of_marks([("your run", "circle"), ("prediction", "circle-open")], ink)
    frame = layout(
        HEIGHT,
        ink,
        x=_users_axis(shown, ink),
        y=log_axis(metric("tokens_per_s_per_user").axis_title(vertical=True), *span, ink, most=7),
        **legend,
    )
    frame["margin"] = {"l": 52, "r": 14, "t": 22, "b": 80}
    return {"data": [*data, *stand_ins], "layout": frame | {"annotations": words}}


def _series(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows that a line may join: one machine and model, equal lengths, by rising number of users."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        found.setdefault((row["place"], row["input_tokens"], row["output_tokens"], row["engine"]), []).append(row)
    return [sorted(each, key=lambda row: float(row["users"])) for each in found.values()]


def _hover(row: Row) -> str:
    speed = metric("tokens_per_s_per_user").format
    return (
        f"{row['slot']}, {row['model']}<br>{row['users']:,.0f} at once, "
        f"{row['input_tokens']:,.0f} in, {row['output_tokens']:,.0f} out"
        f"<br>measured {speed(row['measured_tokens_per_s_per_user'])}, "
        f"model says {speed(row['tokens_per_s_per_user'])}<br>{row['source_file']}, not reviewed"
    )


def _measured(series: Sequence[Row]) -> Part:
    first = series[0]
    x, y = ([row[name] for row in series] for name in ("users", "measured_tokens_per_s_per_user"))
    return marks(x, y, slot_colour(first["place"]), vendor_marker(first["vendor"]), [_hover(row) for row in series])


def _modelled(series: Sequence[Row]) -> Part:
    known = [row for row in series if not math.isnan(row["tokens_per_s_per_user"])]
    first, colour = series[0], slot_colour(series[0]["place"])
    x, y = ([row[name] for row in known] for name in ("users", "tokens_per_s_per_user"))
    line = {"color": colour, "width": 1.5, "dash": "dot"}
    symbol = vendor_marker(first["vendor"], hollow=True)
    return marks(x, y, colour, symbol, [_hover(row) for row in known], mode="lines+markers", line=line)


def _names(rows: Sequence[Row], ink: Ink) -> list[Part]:
    """Every group's name with its colour, stacked at the top right, which falling speeds leave free."""
    first = {row["place"]: row for row in reversed(rows)}
    return [
        {
            "text": f"<span style='color:{slot_colour(place)}'>●</span> <b>{first[place]['slot']}</b> "
            f"{first[place]['model']}",
            "x": 1,
            "xref": "paper",
            "xanchor": "right",
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "yshift": -NAME_STEP * at,
            "align": "right",
            "showarrow": False,
            "font": {"size": 12, "color": ink.text},
        }
        for at, place in enumerate(sorted(first))
    ]


def _users_axis(rows: Sequence[Row], ink: Ink) -> Part:
    """Powers of two, a step of room on both sides."""
    users = [float(row["users"]) for row in rows]
    first, last = math.floor(math.log2(min(users))) - 1, math.ceil(math.log2(max(users))) + 1
    axis = log_axis(metric("concurrency").axis_title(), 2.0**first, 2.0**last, ink)
    every = 1 if last - first <= 10 else 2
    ticks = [2.0**power for power in range(first + 1, last, every)]
    return axis | {"tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def _speed_span(rows: Sequence[Row]) -> tuple[float, float]:
    names = ("measured_tokens_per_s_per_user", "tokens_per_s_per_user")
    speeds = [float(row[name]) for row in rows for name in names if not math.isnan(row[name])]
    return next_step(min(speeds) / 4), next_step(1.6 * max(speeds))
