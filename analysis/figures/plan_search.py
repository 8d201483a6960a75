"""All plans as marks, speed of one user across and what is wanted besides up; the frontier as a line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import key_of_marks, marks, threshold
from analysis.figures.names import Plot, near_marks
from analysis.figures.style import LINE, Ink, Part, layout, log_axis, next_step, slot_colour
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT = 440
MARGIN = {"l": 62, "r": 14, "t": 22, "b": 80}
MOST_DRAWN = 1200  # dominated plans; a browser needs a second for three times as many
SPEED = "tokens_per_s_per_user"
NAMED = 6
CLOUD = 400  # beaten plans that names keep away from
ROOM_BELOW = 2.5
Row = Mapping[str, Any]


def figure(study: Study, places: Mapping[str, int], ink: Ink) -> dict[str, Any]:
    """Speed per user against `study.marks["against"]`. places: slot of each chip that is in one."""
    key, target = str(study.marks["against"]), float(str(study.marks["target"]))
    table = study.marks["plans"]
    rows = [row for row in rows_of(table) if row[key] > 0] if isinstance(table, pd.DataFrame) and len(table) else []
    best = sorted((row for row in rows if row["frontier"]), key=lambda row: float(row[SPEED]))
    x_span, y_span = _spans([*(float(row[SPEED]) for row in rows), target], [float(row[key]) for row in rows])
    line, said = threshold(target, f"target {target:,.0f}", ink)
    said |= {"x": math.log10(target), "xanchor": "right" if target > math.sqrt(x_span[0] * x_span[1]) else "left"}
    data = [_dominated(rows, key), *_frontier(best, places, key)]
    entries = [("on the frontier", "circle-open"), ("beaten", "circle")]
    winner = study.marks["winner"]
    if isinstance(winner, dict) and winner[key] > 0:
        data.append(_chosen(winner, places, key))
        entries.append(("the answer", "star"))
    stand_ins, legend = key_of_marks(entries, ink)
    frame = layout(
        HEIGHT, ink, x=log_axis(metric(SPEED).axis_title(), *x_span, ink),
        y=log_axis(metric(key).axis_title(vertical=True), *y_span, ink, most=7), margin=MARGIN, **legend,
    )  # fmt: skip
    plot = Plot(x=x_span, y=y_span, tall=HEIGHT - MARGIN["t"] - MARGIN["b"], margins=MARGIN["l"] + MARGIN["r"])
    words = [said, *_names(best, winner, key, plot, target, _cloud(rows, key), ink)]
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": [line], "annotations": words}}


def drawn(count: int) -> int:
    """How many of so many beaten plans the figure draws."""
    return len(range(0, count, _step(count)))


def _step(count: int) -> int:
    return max(1, math.ceil(count / MOST_DRAWN))


def _spans(speeds: Sequence[float], values: Sequence[float]) -> tuple[tuple[float, float], tuple[float, float]]:
    spans = [
        (next_step(min(each) / ROOM_BELOW), next_step(1.3 * max(each))) if each else (1.0, 10.0)
        for each in ([value for value in known if value > 0] for known in (speeds, values))
    ]
    return spans[0], spans[1]


def _dominated(rows: Sequence[Row], key: str) -> Part:
    beaten = [row for row in rows if not row["frontier"]]
    kept = beaten[:: _step(len(beaten))]
    part = marks(
        [row[SPEED] for row in kept], [row[key] for row in kept], LINE, "circle", [_hover(r, key) for r in kept]
    )
    return part | {"marker": {"size": 4, "color": LINE, "opacity": 0.35}}


def _frontier(best: Sequence[Row], places: Mapping[str, int], key: str) -> list[Part]:
    x, y = [row[SPEED] for row in best], [row[key] for row in best]
    colours = [_colour(row, places) for row in best]
    line = {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": {"color": LINE, "width": 1.5, "shape": "vh"}}
    part = marks(x, y, LINE, "circle-open", [_hover(row, key) for row in best])
    part["marker"] = part["marker"] | {"size": 9, "color": colours, "line": {"width": 2, "color": colours}}
    return [line | {"hoverinfo": "skip", "showlegend": False}, part]


def _colour(row: Row, places: Mapping[str, int]) -> str:
    place = places.get(str(row["chip_key"]))
    return LINE if place is None else slot_colour(place)


def _chosen(winner: Row, places: Mapping[str, int], key: str) -> Part:
    colour = _colour(winner, places)
    part = marks([winner[SPEED]], [winner[key]], colour, "star", [_hover(winner, key)])
    return part | {"marker": {"size": 14, "color": colour, "symbol": "star"}}


def _hover(row: Row, key: str) -> str:
    """The plan, then both figures."""
    users = f"{row['users']:.0f} at once"
    formats = f"{row['weights'].upper()} weights, {row['cache'].upper()} cache"
    shown = [f"{metric(name).format(row[name])} {words}" for name, words in ((SPEED, "per user"), (key, _WORDS[key]))]
    return f"<b>{row['name']}</b>, {row['spread']}<br>{users}, {formats}<br>{', '.join(shown)}"


_WORDS = {
    "output_tokens_per_s_per_device": "a device",
    "output_tokens_per_j": "of rated power",
    "cost_usd_per_million_tokens": "",
}


def _cloud(rows: Sequence[Row], key: str) -> list[tuple[float, float]]:
    """Some of the beaten plans, for names to keep away from."""
    beaten = [(float(row[SPEED]), float(row[key])) for row in rows if not row["frontier"]]
    return beaten[:: max(1, math.ceil(len(beaten) / CLOUD))]


def _names(
    best: Sequence[Row],
    winner: object,
    key: str,
    plot: Plot,
    target: float,
    beaten: Sequence[tuple[float, float]],
    ink: Ink,
) -> list[Part]:
    """The answer and the frontier's plans by name, where there is room beside the frontier and the target's line."""
    wanted = ([winner] if isinstance(winner, dict) and winner[key] > 0 else []) + list(reversed(best))
    unlike: dict[str, Row] = {}
    for row in wanted:
        unlike.setdefault(str(row["name"]), row)
    named = [(name, (float(row[SPEED]), float(row[key]))) for name, row in unlike.items()]
    steps = [
        corner
        for before, row in zip([best[0], *best], best, strict=False)
        for corner in ((float(before[SPEED]), float(row[key])), (float(row[SPEED]), float(row[key])))
    ] if best else []  # fmt: skip
    lines = [steps, [(target, plot.y[0]), (target, plot.y[1])], *([point] for point in beaten)]
    return near_marks(named, lines, plot, ink, all_of=1)[:NAMED]
