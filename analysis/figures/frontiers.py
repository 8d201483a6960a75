"""Rate of one device over speed per user: every measured run, each group's frontier, and the model's line dotted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.figures.equality import span_of
from analysis.figures.marks import key_of_marks, threshold
from analysis.figures.style import LINE, Ink, Part, layout, log_axis, slot_colour
from analysis.metrics import metric
from analysis.study import Study, rows_of

# Who measured: marker. Vendors and others never share one; the person's own runs stand out.
SYMBOLS = {
    "independent": "circle",
    "vendor": "square",
    "community": "x-thin-open",
    "paper": "diamond",
    "your own": "star",
}
HEIGHT, NAME_STEP, COLOURS = 460, 17, 6
MARGIN = {"l": 60, "r": 14, "t": 22, "b": 80}
FAINT = 0.35  # of runs that another one beats in both
PER_USER, PER_DEVICE = "tokens_per_s_per_user", "output_tokens_per_s_per_device"


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Log-log; a colour for each group, six at most, the others grey."""
    points, lines = (_frame(study.marks[name]) for name in ("points", "lines"))
    data: list[Part] = []
    for place in sorted(set(points["place"]), reverse=True):
        members = points[points["place"] == place].sort_values(PER_USER)
        data += [_line(lines[lines["place"] == place], place), _frontier(members, place), _runs(members, place)]
    kinds = [name for name in SYMBOLS if (points["by"] == name).any()]
    stand_ins, legend = key_of_marks([(name, SYMBOLS[name]) for name in kinds], ink)
    span, least = span_of(points[PER_USER]), float(str(study.marks["least"]))
    line, word = threshold(least, "asked for", ink)
    inside = span[0] <= least <= span[1]
    x = log_axis(metric(PER_USER).axis_title(), *span, ink, most=7)
    y = log_axis(metric(PER_DEVICE).axis_title(vertical=True), *span_of(points[PER_DEVICE]), ink, most=7)
    frame = layout(HEIGHT, ink, x=x, y=y, **legend) | {"margin": MARGIN, "shapes": [line] if inside else []}
    words = [*([word] if inside else []), *_names(points, ink)]
    return {"data": [*data, *stand_ins], "layout": frame | {"annotations": words}}


def _frame(value: object) -> pd.DataFrame:
    return value if isinstance(value, pd.DataFrame) else pd.DataFrame()


def _colour(place: int) -> str:
    return slot_colour(place) if place < COLOURS else LINE


def _runs(members: pd.DataFrame, place: int) -> Part:
    """Every run of a group in one trace: who measured by symbol, beaten ones faint."""
    rows, colour = rows_of(members), _colour(place)
    own = [row["by"] == "your own" for row in rows]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [row[PER_USER] for row in rows],
        "y": [row[PER_DEVICE] for row in rows],
        "showlegend": False,
        "marker": {
            "size": [14 if mine else 8 for mine in own],
            "color": colour,
            "symbol": [SYMBOLS[row["by"]] for row in rows],
            "opacity": [1.0 if row["frontier"] or mine else FAINT for row, mine in zip(rows, own, strict=True)],
            "line": {"width": 1, "color": colour},
        },
        "hovertext": [_text(row) for row in rows],
        "hoverinfo": "text",
    }


def _text(row: dict[str, Any]) -> str:
    first = f"{metric(PER_USER).format(row[PER_USER])} per user, {metric(PER_DEVICE).format(row[PER_DEVICE])} a device"
    return "<br>".join([first, *row["hover"]])


def _frontier(members: pd.DataFrame, place: int) -> Part:
    best = members[members["frontier"]]
    return _joined(best, {"color": _colour(place), "width": 2})


def _line(line: pd.DataFrame, place: int) -> Part:
    return _joined(line, {"color": _colour(place), "width": 1.5, "dash": "dot"})


def _joined(rows: pd.DataFrame, style: Part) -> Part:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [float(value) for value in rows[PER_USER]],
        "y": [float(value) for value in rows[PER_DEVICE]],
        "line": style,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _names(points: pd.DataFrame, ink: Ink) -> list[Part]:
    """Every group's name with its colour, stacked at the top right, which falling frontiers leave free."""
    names: Sequence[tuple[int, str]] = sorted({(int(row["place"]), str(row["group"])) for row in rows_of(points)})
    return [
        {
            "text": f"<b>{name}</b> <span style='color:{_colour(place)}'>●</span>",
            "x": 1,
            "xref": "paper",
            "xanchor": "right",
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "yshift": -NAME_STEP * at - 4,
            "align": "right",
            "showarrow": False,
            "font": {"size": 12, "color": ink.text},
        }
        for at, (place, name) in enumerate(names)
    ]
