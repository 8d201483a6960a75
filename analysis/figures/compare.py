"""The home picture: one row a slot, a dot with its interval, the naive bound hollow, measured runs, the target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pandas as pd

from analysis.figures import marks as m
from analysis.figures.style import (
    ROW_HEIGHT,
    Ink,
    Part,
    layout,
    log_axis,
    next_step,
    no_axis,
    rows_height,
    slot_colour,
    tick_text,
)
from analysis.metrics import metric
from analysis.study import Study, rows_of

Row = Mapping[Any, Any]  # one slot of the table
HEADER_UP, BOUND_DOWN = 19 / ROW_HEIGHT, 17 / ROW_HEIGHT  # rows by which words stand above and below their mark
LINE_DOWN, LINE_UP = 0.5, 9 / ROW_HEIGHT  # the target's line spares the row headers
LOWEST, OVER = -0.45, 18 / ROW_HEIGHT  # where the plot ends; room over the top row for the target's name
MARGIN = {"l": 1, "r": 14, "t": 4, "b": 80}
NARROW, LETTER = 350, 7  # pixels of a phone's figure, and of one letter
INSIDE = 1.0001  # times the start of the axis, on which plotly draws nothing
FAINT = 0.4  # opacity of runs under other conditions
ROOM = 0.8  # the axis starts at or below this share of its smallest mark
BEYOND_FACTOR = 4.0  # a bound further out than this times the largest mark becomes a triangle at the edge


def figure(study: Study, colours: Ink) -> dict[str, Any]:
    """Plotly figure of a comparison; `study` comes from `analysis.studies.compare`."""
    table, runs = study.table, cast(pd.DataFrame, study.marks["runs"])
    target = cast(float, study.marks["target"])
    rows = cast(list[Row], study.marks["rows"])
    low, high = _range(rows, runs, target)
    row_of = {int(place): len(table) - 1 - at for at, place in enumerate(table["place"])}
    drawn = [(slot, row_of[int(slot["place"])]) for slot in rows]
    marks = [mark for slot, row in drawn if slot["feasible"] for mark in _marks(slot, row, high)]
    marks += [_run(run, row_of[int(run["place"])]) for run in rows_of(runs)]
    words = [word for slot, row in drawn for word in _words(slot, row, (low, high), target, colours)]
    words.append(_target_word(target, len(rows), (low, high), colours))
    bands = [m.band(*_ends(slot), row, slot_colour(int(slot["place"]))) for slot, row in drawn if _has_band(slot)]
    frame = layout(
        rows_height(len(table)), colours,
        x=log_axis(metric("tokens_per_s_per_user").axis_title(), low, high, colours),
        y=no_axis(LOWEST, len(rows) + LOWEST + OVER),
        margin=MARGIN,
        shapes=[m.row_lines(row_of.values()), m.line_beside(target, row_of.values(), LINE_DOWN, LINE_UP), *bands],
        annotations=[m.key_in_words(_key(table, has_runs=not runs.empty), colours)],
    )  # fmt: skip
    return {"data": [m.words_in_one_trace(words), *([m.in_one_trace(marks)] if marks else [])], "layout": frame}


def _range(rows: Sequence[Row], runs: pd.DataFrame, target: float) -> tuple[float, float]:
    """From a 1-2-5 below the smallest mark to one beyond four times the largest, bounds left out."""
    ends = ("", "low_", "high_")
    seen = [float(row[f"{end}tokens_per_s_per_user"]) for row in rows for end in ends]
    seen = [value for value in seen if value > 0] + [target]
    seen += [float(value) for value in runs["tokens_per_s_per_user"]]
    return 1.0 / next_step(1.0 / (ROOM * min(seen))), next_step(BEYOND_FACTOR * max(seen))


def _ends(slot: Row) -> tuple[float, float]:
    """The 80 % interval of a slot's speed; nan where it has none."""
    return float(slot["low_tokens_per_s_per_user"]), float(slot["high_tokens_per_s_per_user"])


def _has_band(slot: Row) -> bool:
    return bool(slot["feasible"]) and not math.isnan(_ends(slot)[0])


def _bound(slot: Row, high: float) -> tuple[float, float]:
    """The naive bound, and where it is drawn: beyond the axis, at its edge."""
    bound = float(slot["naive_tokens_per_s_per_user"])
    return bound, min(bound, high)


def _marks(slot: Row, row: int, high: float) -> list[Part]:
    """The naive bound hollow, the prediction a ring."""
    colour = slot_colour(int(slot["place"]))
    bound, at = _bound(slot, high)
    symbol = "triangle-right-open" if bound > at else "diamond-open"
    ring = {"size": 13, "color": colour, "symbol": "circle-open", "line": {"width": 4, "color": colour}}
    speed = [float(slot["tokens_per_s_per_user"])]
    return [
        m.marks([at], [row], colour, symbol, [str(slot["bound_hover"])], cliponaxis=False),
        m.marks(speed, [row], colour, "circle-open", [str(slot["hover"])], marker=ring, cliponaxis=False),
    ]


def _run(run: Row, row: int) -> Part:
    """A measured run: solid, faint where it was taken under other conditions."""
    colour = slot_colour(int(run["place"]))
    speed = [float(run["tokens_per_s_per_user"])]
    return m.marks(speed, [row], colour, "circle", [str(run["hover"])], opacity=1.0 if run["alike"] else FAINT)


def _words(slot: Row, row: int, ends: tuple[float, float], target: float, colours: Ink) -> list[m.Word]:
    """The row's header above it, at the left edge, and the value of the naive bound below its mark."""
    up, left = row + HEADER_UP, INSIDE * ends[0]
    header = m.Word(text=str(slot["row_header"]), x=left, y=up, colour=colours.text, anchor="left", size=13)
    if not slot["feasible"]:
        return [header]
    bound, at = _bound(slot, ends[1])
    text = tick_text(float(f"{bound:.3g}"))
    anchor: m.Anchor = "right" if bound > at else _beside(target, at, NARROW / math.log(ends[1] / ends[0]), text)
    return [header, m.Word(text=text, x=at, y=row - BOUND_DOWN, colour=colours.soft, anchor=anchor)]


def _target_word(target: float, rows: int, ends: tuple[float, float], colours: Ink) -> m.Word:
    """The target above its line, kept inside the figure near either edge."""
    share = math.log(target / ends[0]) / math.log(ends[1] / ends[0])
    anchor: m.Anchor = "left" if share < 1 / 3 else "right" if share > 2 / 3 else "center"
    up = rows + LOWEST + OVER / 2
    return m.Word(text=f"<b>target {target:,.0f}</b>", x=target, y=up, colour=colours.text, anchor=anchor)


def _beside(target: float, at: float, pixels: float, text: str) -> m.Anchor:
    """Away from the target's line where a narrow figure would put the words on it; `pixels` a factor e."""
    if abs(math.log(at / target)) * pixels > LETTER * len(text) / 2 + 3:
        return "center"
    return "left" if at >= target else "right"


def _key(table: pd.DataFrame, *, has_runs: bool) -> list[tuple[str, str]]:
    entries = [("prediction", "○"), ("naive bound", "◇")]
    if table["low_tokens_per_s_per_user"].notna().any():
        entries.insert(1, ("80 % interval", "■"))
    return [*entries, ("your run", "●")] if has_runs else entries
