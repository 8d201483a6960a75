"""Speed over the share of experts that is resident, and the visits that the most popular experts catch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import key_of_marks, label, marks
from analysis.figures.names import behind_ends, room
from analysis.figures.style import (
    LINE,
    Ink,
    Part,
    layout,
    linear_axis,
    log_axis,
    next_step,
    slot_colour,
    vendor_marker,
)
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 420, 26, 80, 48, 110
PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
SPEED = "tokens_per_s_per_user"
Row = Mapping[str, Any]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One line a slot: solid as far as its memory goes, dotted beyond; the mark is what it holds."""
    curves = _by_place(study.marks["curves"])
    target = float(study.marks["target_token_per_s"])  # type: ignore[arg-type]
    speeds = [float(row[SPEED]) for rows in curves.values() for row in rows] + [target]
    low, high = next_step(min(speeds) / 2.5), next_step(1.5 * max(speeds))
    data: list[Part] = []
    for rows in curves.values():
        inside = [row for row in rows if row["fits"]]
        data += [_line(inside, "solid"), _line([*inside[-1:], *(row for row in rows if not row["fits"])], "dot")]
        held = next(row for row in rows if row["held"])
        colour, symbol = slot_colour(int(held["place"])), vendor_marker(held["vendor"])
        data.append(marks([held["resident_fraction"]], [held[SPEED]], colour, symbol, [_words(held)]))
    stand_ins, legend = key_of_marks([("held by its memory", "circle")], ink)
    stand_ins.append(_line_in_key("needs more memory"))
    level = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": target, "y1": target, "layer": "below"}
    shapes = [level | {"line": {"color": LINE, "width": 2, "dash": "dot"}}]
    said = label(f"<b>target {target:,.0f}</b>", 0.0, target, ink, log_x=False, log_y=True, shift=(4, 9), anchor="left")
    y = log_axis(metric(SPEED).axis_title(vertical=True), low, high, ink, most=9)
    frame = _frame(_resident_axis(study, ink), y, ink, legend)
    ends = [(str(rows[-1]["slot"]), float(rows[-1][SPEED])) for rows in curves.values()]
    words = [said, *behind_ends(ends, (low, high), PLOT_HEIGHT, ink)]
    frame["margin"] |= {"r": room([name for name, _ in ends])}
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def hits(study: Study, ink: Ink) -> tuple[str, dict[str, Any]]:
    """Title and drawing of the visits caught over the share resident; the diagonal is even routing."""
    frame = study.marks["hits"]
    known = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame()
    x, y = list(known["resident_fraction"]), list(known["caught_fraction"])
    texts = [
        f"{metric('resident_fraction').format(a)} resident<br>{metric('caught_fraction').format(b)} of visits caught"
        for a, b in zip(x, y, strict=True)
    ]
    caught = {"type": "scatter", "mode": "lines", "x": x, "y": y, "hovertext": texts, "hoverinfo": "text"}
    even = {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "hoverinfo": "skip", "showlegend": False}
    data = [
        even | {"line": {"color": LINE, "width": 1, "dash": "dot"}},
        caught | {"line": {"color": LINE, "width": 3}, "showlegend": False},
        *_held_marks(study, x, y),
    ]
    stand_ins, legend = key_of_marks([("held by its memory", "circle")], ink)
    if not study.marks["even_routing"]:
        stand_ins.append(_line_in_key("even routing"))
    drawn = _frame(_resident_axis(study, ink), _share_axis("caught_fraction", ink), ink, legend)
    return str(study.marks["hits_title"]), {"data": [*data, *stand_ins], "layout": drawn}


def _held_marks(study: Study, x: Sequence[float], y: Sequence[float]) -> list[Part]:
    """Every slot's resident share on the curve."""
    parts = []
    for rows in _by_place(study.marks["curves"]).values():
        held = next(row for row in rows if row["held"])
        at = float(held["resident_fraction"])
        place = min(range(len(x)), key=lambda index: abs(x[index] - at))
        low = max(0, place - 1 if x[place] > at else place)
        high = min(low + 1, len(x) - 1)
        share = 0.0 if x[high] == x[low] else (at - x[low]) / (x[high] - x[low])
        caught = y[low] + share * (y[high] - y[low])
        parts.append(
            marks([at], [caught], slot_colour(int(held["place"])), vendor_marker(held["vendor"]), [_words(held)])
        )
    return parts


def _by_place(frame: object) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows_of(frame) if isinstance(frame, pd.DataFrame) and len(frame) else []:
        found.setdefault(int(row["place"]), []).append(row)
    return found


def _line(rows: Sequence[Row], dash: str) -> Part:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [row["resident_fraction"] for row in rows],
        "y": [row[SPEED] for row in rows],
        "line": {"color": slot_colour(int(rows[0]["place"])) if rows else LINE, "width": 2, "dash": dash},
        "hovertext": [_words(row) for row in rows],
        "hoverinfo": "text",
        "showlegend": False,
    }


def _line_in_key(name: str) -> Part:
    unseen = {"x": [None], "y": [None], "showlegend": True, "hoverinfo": "skip"}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "line": {"color": LINE, "width": 2, "dash": "dot"},
    } | unseen


def _words(row: Row) -> str:
    share, hit = (metric(name).format(row[name]) for name in ("resident_fraction", "hit_fraction"))
    speed = metric(SPEED).format(row[SPEED])
    return f"{row['slot']}, {share} resident<br>{speed} per user<br>{hit} of the bytes met are resident"


def _resident_axis(study: Study, ink: Ink) -> Part:
    """The share resident, of experts or of whole layers."""
    axis = _share_axis("resident_fraction", ink)
    title = axis["title"]
    return axis | {"title": title | {"text": title["text"].replace("experts", str(study.marks["parts"]))}}


def _share_axis(name: str, ink: Ink) -> Part:
    axis = linear_axis(metric(name).axis_title(vertical=name != "resident_fraction"), 1.0, ink, scale=0.01)
    return axis | {"range": [0, 1.02]}


def _frame(x: Part, y: Part, ink: Ink, legend: Part) -> Part:
    margin = {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM}
    across = {"legend": legend["legend"] | {"xref": "container"}}  # a narrow plot would stack the key
    return layout(HEIGHT, ink, x=x, y=y, margin=margin, **(legend | across))
