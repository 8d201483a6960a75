"""Relative squared error of every tensor in the model's order, with the threshold and the first that fails."""

from __future__ import annotations

import math
from typing import Any

from analysis.figures.marks import label, marks
from analysis.figures.style import LINE, Ink, Part, layout, linear_axis, log_axis, slot_colour
from analysis.study import Study, rows_of

HEIGHT = 340
FLOOR = 1e-16  # where exact agreement is drawn: below what 64-bit floats tell apart
PASSES, FAILS = ("circle-open", 0), ("x", 1)
TITLE = "relative squared error ↓"


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Hollow circle: passes. Cross: fails. Dotted line: the threshold. A tensor that is exact stands on the floor."""
    rows = rows_of(study.table)
    limit = study.marks["threshold"]
    drawn = [_height(row["relative_error"]) for row in rows]
    shown = [*drawn, *([float(limit)] if isinstance(limit, float) else [])]
    low, high = min(shown) / 10, max(shown) * 30
    data = [_part(rows, drawn, verdict, style) for verdict, style in (("passes", PASSES), ("fails", FAILS))]
    x = linear_axis("tensor, in the model's order", len(rows) + 0.5, ink)
    frame = layout(HEIGHT, ink, x=x, y=log_axis(TITLE, low, high, ink), margin={"l": 76, "r": 14, "t": 22, "b": 48})
    notes = [*_threshold_word(limit, ink), *_first_word(rows, drawn, str(study.marks["first_bad"]), ink)]
    return {"data": data, "layout": frame | {"annotations": notes, "shapes": _threshold(limit)}}


def _height(value: float) -> float:
    return FLOOR if not value > FLOOR else min(value, 1e6) if math.isfinite(value) else 1e6


def _part(rows: list[Part], drawn: list[float], verdict: str, style: tuple[str, int]) -> Part:
    places = [at for at, row in enumerate(rows) if row["verdict"] == verdict]
    texts = [
        f"{rows[at]['tensor']}<br>relative squared error {rows[at]['relative_error']:.3g}, "
        f"cosine {rows[at]['cosine']:.6f}<br>largest error {rows[at]['largest_error']:.3g} at {rows[at]['largest_at']}"
        f"{'<br>' + rows[at]['why'] if rows[at]['why'] else ''}"
        for at in places
    ]
    colour = slot_colour(style[1])
    return marks([at + 1.0 for at in places], [drawn[at] for at in places], colour, style[0], texts)


def _threshold(limit: object) -> list[Part]:
    if not isinstance(limit, float):
        return []
    line = {"color": LINE, "width": 1.5, "dash": "dot"}
    return [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit, "line": line}]


def _threshold_word(limit: object, ink: Ink) -> list[Part]:
    if not isinstance(limit, float):
        return []
    word = label(f"allowed: below {limit:g}", 1, limit, ink, log_x=False, log_y=True, shift=(-4, 9), anchor="right")
    return [word | {"xref": "paper"}]


def _first_word(rows: list[Part], drawn: list[float], first: str, ink: Ink) -> list[Part]:
    """The first failing tensor by name, on the side that has room."""
    at = next((at for at, row in enumerate(rows) if row["tensor"] == first), None)
    if at is None:
        return []
    word = label(f"first: {first}", at + 1.0, drawn[at], ink, log_x=False, log_y=True, anchor="left", shift=(10, 12))
    late = at + 1 > len(rows) / 2
    return [word | {"xanchor": "right", "xshift": -10} if late else word]
