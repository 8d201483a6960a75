"""Speed-up over draft length as a line a slot, and the acceptance that a speed-up or a speed needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import key_of_marks, label, marks
from analysis.figures.names import behind_ends, room
from analysis.figures.style import LINE, Ink, Part, layout, linear_axis, slot_colour, vendor_marker
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT, TOP, BOTTOM, LEFT = 420, 26, 80, 44
PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
LONGEST = 16.0
ROOM = 1.12  # of the highest line, above it
Row = Mapping[str, Any]
Curves = dict[int, list[Row]]
Hover = Callable[[Row], str]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Speed-up over tokens drafted: one line a slot, its best length marked; it falls again where drafts get long."""
    curves, wanted = _curves(study, "speedup"), _number(study, "wanted_speedup")
    top = ROOM * max([wanted, *_values(curves, "speedup")])
    data: list[Part] = []
    for place, rows in curves.items():
        best = _marked(study, rows)
        symbol = vendor_marker(best["vendor"])
        data.append(_line(rows, "speedup", "solid", _speed_words))
        data.append(marks([best["drafted"]], [best["speedup"]], slot_colour(place), symbol, [_speed_words(best)]))
    stand_ins, legend = key_of_marks([("as set" if study.marks["heads"] else "best length", "circle")], ink)
    level = {"x0": 0, "x1": 1, "xref": "paper", "y0": wanted, "y1": wanted}
    here = {"x0": _number(study, "drafted"), "x1": _number(study, "drafted"), "y0": 0, "y1": 1, "yref": "paper"}
    dotted = {"type": "line", "layer": "below", "line": {"color": LINE, "width": 2, "dash": "dot"}}
    said = label(f"<b>{wanted:g} ×</b>", LONGEST, wanted, ink, log_x=False, shift=(0, 9), anchor="right")
    frame = _frame(study, linear_axis(metric("speedup").axis_title(vertical=True), top, ink), ink, legend)
    words = [said, *_names(curves, "speedup", top, ink)]
    return {
        "data": [*data, *stand_ins],
        "layout": frame | {"shapes": [dotted | level, dotted | here], "annotations": words},
    }


def needs(study: Study, ink: Ink) -> tuple[str, dict[str, Any]]:
    """Title and map of what the wanted speed-up (solid) and the target (dashed) need at every draft length."""
    heads = bool(study.marks["heads"])
    solid, dashed = (_curves(study, f"needed_for_{aim}") for aim in ("speedup", "target"))
    unit = metric("yielded" if heads else "acceptance")
    values = [*_values(solid, "needed_for_speedup"), *_values(dashed, "needed_for_target"), 1.0]
    top = ROOM * max(values) if heads else 1.0
    data = []
    for name, curves, dash in (("needed_for_speedup", solid, "solid"), ("needed_for_target", dashed, "dash")):
        data += [_line(rows, name, dash, _need_words(name, unit.label)) for rows in curves.values()]
    here = marks([_number(study, "drafted")], [_number(study, "height")], LINE, "x", ["as set above"])
    stand_ins, legend = key_of_marks([("as set", "x")], ink)
    wanted, target = f"{_number(study, 'wanted_speedup'):g} ×", f"{_number(study, 'target_token_per_s'):,.0f} tok/s"
    stand_ins += [_line_in_key(text, dash) for text, dash in ((wanted, "solid"), (target, "dash"))]
    frame = _frame(study, linear_axis(unit.axis_title(vertical=True), top, ink), ink, legend)
    words = _names(solid, "needed_for_speedup", top, ink)
    return str(study.marks["needs_title"]), {
        "data": [*data, here, *stand_ins],
        "layout": frame | {"annotations": words},
    }


def _number(study: Study, name: str) -> float:
    return float(study.marks[name])  # type: ignore[arg-type]


def _curves(study: Study, column: str) -> Curves:
    """Rows of every slot that has a figure in a column, by place."""
    frame = study.marks["curves"]
    known = rows_of(frame) if isinstance(frame, pd.DataFrame) else []
    found: Curves = {}
    for row in known:
        if not math.isnan(row[column]):
            found.setdefault(int(row["place"]), []).append(row)
    return found


def _marked(study: Study, rows: Sequence[Row]) -> Row:
    """The row whose mark a line has: the best length; for heads, whose tokens go with their tree, the one set."""
    if study.marks["heads"]:
        return rows[min(int(_number(study, "drafted")), len(rows) - 1)]
    return max(rows, key=lambda row: float(row["speedup"]))


def _values(curves: Curves, column: str) -> list[float]:
    return [float(row[column]) for rows in curves.values() for row in rows]


def _line(rows: Sequence[Row], column: str, dash: str, hover: Hover) -> Part:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [row["drafted"] for row in rows],
        "y": [row[column] for row in rows],
        "line": {"color": slot_colour(int(rows[0]["place"])), "width": 2, "dash": dash},
        "hovertext": [hover(row) for row in rows],
        "hoverinfo": "text",
        "showlegend": False,
    }


def _line_in_key(name: str, dash: str) -> Part:
    line = {"color": LINE, "width": 2, "dash": dash}
    unseen = {"x": [None], "y": [None], "showlegend": True, "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "name": name, "line": line} | unseen


def _speed_words(row: Row) -> str:
    speed = metric("speculative_tokens_per_s_per_user").format(row["speculative_tokens_per_s_per_user"])
    ratio = metric("verify_ratio").format(row["verify_ratio"])
    times = metric("speedup").format(row["speedup"])
    return (
        f"{row['slot']}, {row['drafted']:.0f} drafted<br>{times} × as fast, {speed} per user"
        f"<br>verifying takes {ratio} plain steps"
    )


def _need_words(column: str, what: str) -> Hover:
    aim = "the speed-up" if column.endswith("speedup") else "the target"
    return lambda row: f"{row['slot']}, {row['drafted']:.0f} drafted<br>{aim} needs {what} {row[column]:.2g} or more"


def _names(curves: Curves, column: str, top: float, ink: Ink) -> list[Part]:
    """Slots' names behind the right ends of their lines."""
    ends = [(str(rows[-1]["slot"]), float(rows[-1][column])) for rows in curves.values()]
    return behind_ends(ends, (0.0, top), PLOT_HEIGHT, ink, log_y=False)


def _frame(study: Study, y: Part, ink: Ink, legend: Part) -> Part:
    x = linear_axis(metric("drafted").axis_title(), LONGEST, ink, steps=8)
    names = [str(rows[0]["slot"]) for rows in _curves(study, "speedup").values()]
    margin = {"l": LEFT, "r": room(names), "t": TOP, "b": BOTTOM}
    across = {"legend": legend["legend"] | {"xref": "container"}}  # a narrow plot would stack the key
    return layout(HEIGHT, ink, x=x, y=y, margin=margin, **(legend | across))
