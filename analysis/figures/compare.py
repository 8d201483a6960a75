"""The home picture: one row a slot, a dot with its interval, the naive bound hollow, measured runs, the target."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import pandas as pd

from analysis.figures import marks as m
from analysis.figures.style import Ink, Part, layout, log_axis, next_step, no_axis, rows_height, slot_colour, tick_text
from analysis.metrics import metric
from analysis.study import Study, rows_of

Row = Mapping[Any, Any]  # one slot of the table
HEADER_SHIFT = 19
FAINT = 0.4  # opacity of runs under other conditions
ROOM = 0.8  # the axis starts at or below this share of its smallest mark
BEYOND_FACTOR = 4.0  # a bound further out than this times the largest mark becomes a triangle at the edge


def figure(study: Study, colours: Ink) -> dict[str, Any]:
    """Plotly figure of a comparison; `study` comes from `analysis.studies.compare`."""
    table, runs = study.table, cast(pd.DataFrame, study.marks["runs"])
    target = cast(float, study.marks["target"])
    low, high = _range(table, runs, target)
    data: list[Part] = []
    shapes: list[Part] = []
    words: list[Part] = []
    row_of = {int(place): len(table) - 1 - at for at, place in enumerate(table["place"])}
    for slot in rows_of(table):
        row = row_of[int(slot["place"])]
        shapes.append(_baseline(row))
        words.append(m.row_header(str(slot["row_header"]), row, colours, shift=HEADER_SHIFT))
        if slot["feasible"]:
            _draw_slot(slot, row, high, colours, data, shapes, words)
    data = [m.in_one_trace(data)] if data else []
    data += [_run(run, row_of[int(run["place"])]) for run in rows_of(runs)]
    line, text = m.threshold(target, f"target {target:,.0f}", colours)
    stand_ins, legend = m.key_of_marks(_key(table, has_runs=not runs.empty), colours)
    axis = log_axis(metric("tokens_per_s_per_user").axis_title(), low, high, colours)
    rows = no_axis(-0.45, len(table) - 0.45)
    drawn = {"shapes": [*shapes, line], "annotations": [*words, text]}
    frame = layout(rows_height(len(table)), colours, x=axis, y=rows, **drawn, **legend)
    return {"data": data + stand_ins, "layout": frame}


def _range(table: pd.DataFrame, runs: pd.DataFrame, target: float) -> tuple[float, float]:
    """From a 1-2-5 below the smallest mark to one beyond four times the largest, bounds left out."""
    columns = ["tokens_per_s_per_user", "low_tokens_per_s_per_user", "high_tokens_per_s_per_user"]
    seen = [float(v) for v in table[columns].to_numpy().ravel() if pd.notna(v) and v > 0] + [target]
    seen += [float(v) for v in runs["tokens_per_s_per_user"]]
    return 1.0 / next_step(1.0 / (ROOM * min(seen))), next_step(BEYOND_FACTOR * max(seen))


def _baseline(row: int) -> Part:
    return {
        "type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": row, "y1": row, "layer": "below",
        "line": {"color": "rgba(122,131,142,0.30)", "width": 1},
    }  # fmt: skip


def _draw_slot(
    slot: Row,
    row: int,
    high: float,
    colours: Ink,
    data: list[Part],
    shapes: list[Part],
    words: list[Part],
) -> None:
    colour = slot_colour(int(slot["place"]))
    low, high_end = (float(slot[f"{end}_tokens_per_s_per_user"]) for end in ("low", "high"))
    if not math.isnan(low):
        shapes.append(m.band(low, high_end, row, colour))
    bound = float(slot["naive_tokens_per_s_per_user"])
    beyond = bound > high
    at = high if beyond else bound
    symbol = "triangle-right-open" if beyond else "diamond-open"
    data.append(m.marks([at], [row], colour, symbol, [str(slot["bound_hover"])], cliponaxis=False))
    words.append(_bound_label(bound, at, row, colours, beyond=beyond))
    speed = [float(slot["tokens_per_s_per_user"])]
    ring = {"size": 13, "color": colour, "symbol": "circle-open", "line": {"width": 4, "color": colour}}
    data.append(m.marks(speed, [row], colour, "circle-open", [str(slot["hover"])], marker=ring, cliponaxis=False))


def _run(run: Row, row: int) -> Part:
    """A measured run: solid, faint where it was taken under other conditions."""
    colour = slot_colour(int(run["place"]))
    speed = [float(run["tokens_per_s_per_user"])]
    return m.marks(speed, [row], colour, "circle", [str(run["hover"])], opacity=1.0 if run["alike"] else FAINT)


def _bound_label(bound: float, at: float, row: int, colours: Ink, *, beyond: bool) -> Part:
    text = tick_text(float(f"{bound:.3g}"))
    return m.label(text, at, row, colours, anchor="right" if beyond else "center", shift=(6 if beyond else 0, -17))


def _key(table: pd.DataFrame, *, has_runs: bool) -> list[tuple[str, str]]:
    entries = [("prediction", "circle-open"), ("naive bound", "diamond-open")]
    if table["low_tokens_per_s_per_user"].notna().any():
        entries.insert(1, ("80 % interval", "square"))
    return [*entries, ("your run", "circle")] if has_runs else entries
