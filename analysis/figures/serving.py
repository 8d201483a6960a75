"""Throughput over the speed each person sees, a curve a slot; and the first token over the requests in flight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import pandas as pd

from analysis.figures.marks import key_of_marks, label, marks, threshold
from analysis.figures.names import Plot, near_marks
from analysis.figures.style import LINE, Ink, Part, layout, log_axis, next_step, slot_colour
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT = 420
MARGIN = {"l": 56, "r": 14, "t": 24, "b": 80}
NOTHING = (1.0, 10.0)  # axis where nothing is served
Row = dict[str, Any]


def frontier(study: Study, ink: Ink) -> dict[str, Any]:
    """Log-log: tokens/s of the whole slot over tokens/s of each person; a ring where the goals are just kept."""
    target = cast(float, study.marks["target"])
    axes = ("tokens_per_s_per_user", "output_tokens_per_s")
    line, words = threshold(target, f"at least {target:,.0f}", ink)
    drawn = _drawn(study, axes, ink, extra_x=[target], has_runs=True)
    drawn["layout"] |= {"shapes": [line], "annotations": [*drawn["layout"]["annotations"], words]}
    return drawn


def first_token(study: Study, ink: Ink) -> dict[str, Any]:
    """Log-log: mean time to the first token over requests in flight, and the goal."""
    limit = cast(float, study.marks["ttft_s"])
    known = math.isfinite(limit)
    drawn = _drawn(study, ("concurrency", "ttft_s"), ink, extra_y=[limit] if known else [])
    if known:
        frame, said = drawn["layout"], f"<b>goal {metric('ttft_s').format(limit)}</b>"
        left = 10 ** frame["xaxis"]["range"][0]
        words = label(said, left, limit, ink, log_y=True, shift=(4, 9), anchor="left")
        frame["shapes"] = [_level(limit)]
        frame["annotations"] = [*frame["annotations"], words | {"font": {"size": 12, "color": ink.text}}]
    return drawn


def _level(value: float) -> Part:
    line = {"color": LINE, "width": 2, "dash": "dot"}
    return {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": value, "y1": value, "layer": "below", "line": line}


def _drawn(
    study: Study, axes: tuple[str, str], ink: Ink, *, extra_x: Sequence[float] = (), extra_y: Sequence[float] = (),
    has_runs: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Curves, rings where the goals are kept, own runs, names and axes."""
    curve = cast(pd.DataFrame, study.marks["curve"])
    runs = rows_of(cast(pd.DataFrame, study.marks["runs"])) if has_runs else []
    rows = [row for row in rows_of(study.table) if not math.isnan(row[axes[0]])]
    data = [_curve(row, curve, axes) for row in rows] + [_ring(row, axes) for row in rows if row["keeps"]]
    data += [_run(run) for run in runs]
    spans = [_span(curve[axis], [*more, *(run[axis] for run in runs)]) for axis, more in zip(axes, (extra_x, extra_y),
                                                                                             strict=True)]  # fmt: skip
    x = log_axis(metric(axes[0]).axis_title(), *spans[0], ink)
    y = log_axis(metric(axes[1]).axis_title(vertical=True), *spans[1], ink, most=8)
    entries = [("goals just kept", "circle-open")] + ([("your run", "circle")] if runs else [])
    stand_ins, legend = key_of_marks(entries, ink)
    frame = layout(HEIGHT, ink, x=x, y=y, margin=MARGIN, **legend)
    return {
        "data": [*data, *stand_ins],
        "layout": frame | {"annotations": _names(curve, axes, spans, (extra_x, extra_y), ink)},
    }


def _span(values: pd.Series[Any], more: Sequence[float]) -> tuple[float, float]:
    known = [float(value) for value in [*values, *more] if math.isfinite(value) and value > 0]
    return (1.0 / next_step(1.0 / (0.8 * min(known))), next_step(1.3 * max(known))) if known else NOTHING


def _curve(row: Row, curve: pd.DataFrame, axes: tuple[str, str]) -> Part:
    own = [each for each in rows_of(curve[curve["place"] == row["place"]]) if not math.isnan(each[axes[1]])]
    colour = slot_colour(int(row["place"]))
    line = marks([each[axes[0]] for each in own], [each[axes[1]] for each in own], colour, "circle",
                 [_hover(each) for each in own], mode="lines+markers", line={"color": colour, "width": 2})  # fmt: skip
    return line | {"marker": {"size": 4, "color": colour}}


def _ring(row: Row, axes: tuple[str, str]) -> Part:
    colour = slot_colour(int(row["place"]))
    ring = {"size": 14, "color": colour, "symbol": "circle-open", "line": {"width": 3, "color": colour}}
    values = [row[axis] for axis in axes]
    if math.isnan(values[1]):
        return marks([], [], colour, "circle-open", [])
    return marks(values[:1], values[1:], colour, "circle-open", [_hover(row)], marker=ring)


def _run(run: Row) -> Part:
    x, y = run["tokens_per_s_per_user"], run["output_tokens_per_s"]
    return marks([x], [y], slot_colour(int(run["place"])), "circle", [str(run["hover"])])


def _hover(row: Row) -> str:
    shown = ("tokens_per_s_per_user", "output_tokens_per_s", "ttft_s")
    lines = [f"{metric(key).label}: {metric(key).format(row[key])}" for key in shown]
    return "<br>".join([f"<b>{row['slot']}</b>, {row['concurrency']:,.0f} at once", *lines])


def _names(
    curve: pd.DataFrame, axes: tuple[str, str], spans: Sequence[tuple[float, float]],
    across: tuple[Sequence[float], Sequence[float]], ink: Ink,
) -> list[Part]:  # fmt: skip
    """Every slot's name near the first mark of its curve, off the other curves and the lines at `across`."""
    plot = Plot(x=spans[0], y=spans[1], tall=HEIGHT - MARGIN["t"] - MARGIN["b"], margins=MARGIN["l"] + MARGIN["r"])
    lines, wanted = [], []
    for _, rows in curve.dropna(subset=list(axes)).groupby("place", sort=False):
        points = [(float(row[axes[0]]), float(row[axes[1]])) for row in rows_of(rows)]
        points.sort(key=lambda point: (point[0], -point[1]))
        lines.append(points)
        wanted.append((str(rows["slot"].iloc[0]), points[0]))
    lines += [[(x, spans[1][0]), (x, spans[1][1])] for x in across[0]]
    lines += [[(spans[0][0], y), (spans[0][1], y)] for y in across[1]]
    return near_marks(wanted, lines, plot, ink, all_of=len(wanted))
