"""Series of a server over time as small multiples under one clock, with baselines, alarms and restarts."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from analysis.figures.style import GRID, LINE, Ink, Part, faded, layout, slot_colour, tick_text
from analysis.monitoring import Alarm, Watch
from analysis.study import Study

ROW, FOOT, HEAD = 96, 46, 26
SECONDS_BELOW_S = 600.0  # a clock shorter than this shows its seconds
POINTS = 300  # per line: more cannot be told apart on a screen
MILLI, PERCENT = 1e3, 100.0
# Title of a row, factor from SI, and its lines: column, name.
ROWS: tuple[tuple[str, float, tuple[tuple[str, str], ...]], ...] = (
    ("tokens/s", 1.0, (("output_tokens_per_s", "output"), ("input_tokens_per_s", "prompt"))),
    ("time between tokens, ms", MILLI, (("itl_s", "mean"), ("itl_p95_s", "p95"))),
    ("time per output token, ms", MILLI, (("tpot_s", "mean"),)),
    ("time to first token, ms", MILLI, (("ttft_s", "mean"), ("ttft_p95_s", "p95"))),
    ("requests", 1.0, (("running", "running"), ("waiting", "waiting"))),
    ("share used, %", PERCENT, (
        ("cache_used_fraction", "KV cache"), ("bandwidth_used_fraction", "bandwidth"),
        ("compute_used_fraction", "compute"),
    )),
    ("went wrong", 1.0, (("failed_requests", "failed"), ("preemptions", "preempted"))),
)  # fmt: skip


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """One row a quantity, oldest left. Shaded: the baseline. Dotted: its level. Band in orange: since a regression."""
    table = study.table
    rows = [(title, factor, _known(table, lines)) for title, factor, lines in ROWS]
    rows = [row for row in rows if row[2]]
    watches: list[Watch] = study.marks["watches"]  # type: ignore[assignment]
    alarms: list[Alarm] = study.marks["alarms"]  # type: ignore[assignment]
    axes: Part = {}
    data: list[Part] = []
    notes: list[Part] = [*_shades(watches, alarms, ink)]
    shapes: list[Part] = [*_baseline(table, watches), *_restarts(table)]
    for number, (title, factor, lines) in enumerate(rows):
        suffix = "" if number == 0 else str(number + 1)
        high = max(float(np.nanmax(table[name])) for name, _ in lines) * factor
        axes[f"yaxis{suffix}"] = _axis(number, len(rows), max(high, 1e-9), ink)
        notes += _words(title, lines, number, len(rows), ink)
        for place, (name, label) in enumerate(lines):
            data.append(_line(table, name, label, factor, f"y{suffix}", place))
        shapes += _marks(table, lines, factor, f"y{suffix}", watches, alarms)
    frame = layout(HEAD + ROW * len(rows) + FOOT, ink, x=_clock(table, len(rows), ink), y=axes.pop("yaxis"),
                   margin={"l": 46, "r": 12, "t": HEAD, "b": FOOT})  # fmt: skip
    return {"data": data, "layout": frame | axes | {"annotations": notes, "shapes": shapes}}


def _known(table: pd.DataFrame, lines: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [(name, label) for name, label in lines if name in table and table[name].notna().any()]


def _domain(number: int, count: int) -> list[float]:
    """Bottom and top of a row, the first row highest, room for its title above it."""
    return [(count - 1 - number) / count, (count - number) / count - 0.26 / count]


def _axis(number: int, count: int, high: float, ink: Ink) -> Part:
    step = 10.0 ** math.floor(math.log10(high)) if high > 0 else 1.0
    step *= next(each for each in (0.5, 1, 2.5, 5, 10) if high / (step * each) <= 2.5)
    ticks = [step * each for each in range(int(high / step) + 1)]
    return {
        "domain": _domain(number, count), "range": [0, high * 1.08], "tickvals": ticks,
        "ticktext": [tick_text(each) if each else "0" for each in ticks], "tickfont": {"size": 11, "color": ink.soft},
        "gridcolor": GRID, "zeroline": False, "fixedrange": True, "anchor": "x", "automargin": False,
    }  # fmt: skip


def _clock(table: pd.DataFrame, count: int, ink: Ink) -> Part:
    dated = float(table["start_s"].iloc[0]) > 1e8
    brief = float(table["end_s"].iloc[-1] - table["start_s"].iloc[0]) < SECONDS_BELOW_S
    return {
        "type": "date", "anchor": "y" if count == 1 else f"y{count}", "gridcolor": GRID, "fixedrange": True,
        "tickfont": {"size": 11, "color": ink.soft}, "nticks": 4 if brief else 7, "automargin": False,
        "tickformat": "%H:%M:%S" if brief else "%H:%M",
        "title": {"text": "time, UTC" if dated else "time since the first scrape", "standoff": 6,
                  "font": {"size": 12, "color": ink.soft}},
    }  # fmt: skip


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")


def _line(table: pd.DataFrame, name: str, label: str, factor: float, axis: str, place: int) -> Part:
    """A line of at most 300 points, each the mean of what it stands for."""
    groups = np.arange(len(table)) * min(POINTS, len(table)) // len(table)
    values = (table[name] * factor).groupby(groups).mean()
    times = table["end_s"].groupby(groups).max()
    return {
        "type": "scatter", "mode": "lines", "name": label, "yaxis": axis,
        "x": [_moment(each) for each in times], "y": [None if math.isnan(each) else each for each in values],
        "line": {"color": slot_colour((0, 1, 5)[place]), "width": 1.6, "dash": ("solid", "dot", "dash")[place]},
        "hovertemplate": f"{label} %{{y:,.4g}}<br>%{{x|%H:%M:%S}}<extra></extra>",
    }  # fmt: skip


def _words(title: str, lines: list[tuple[str, str]], number: int, count: int, ink: Ink) -> list[Part]:
    """The row's title, its lines named in their own dashes."""
    dashes = ("━", "┅", "╍")
    several = [f"{dashes[at]} {label}" for at, (_, label) in enumerate(lines)]
    named = "   ".join(several) if len(lines) > 1 else lines[0][1]
    return [{
        "text": f"<b>{title}</b>   {named}", "x": 0, "xref": "paper", "xanchor": "left", "y": _domain(number, count)[1],
        "yref": "paper", "yanchor": "bottom", "showarrow": False, "font": {"size": 12, "color": ink.text},
    }]  # fmt: skip


def _baseline(table: pd.DataFrame, watches: list[Watch]) -> list[Part]:
    if not watches:
        return []
    end = float(table["end_s"][watches[0].baseline_rows - 1])
    return [_band(float(table["start_s"][0]), end, faded(LINE, 0.10), "paper", (0, 1))]


def _shades(watches: list[Watch], alarms: list[Alarm], ink: Ink) -> list[Part]:
    """What the grey band and the orange one mean, above them."""
    said = [("baseline", 0, "left", ink.soft)] * bool(watches) + [("slower", 1, "right", slot_colour(1))] * bool(alarms)
    return [
        {"text": text, "x": at, "xref": "paper", "xanchor": side, "y": 1, "yref": "paper", "yanchor": "bottom",
         "showarrow": False, "font": {"size": 12, "color": colour}}
        for text, at, side, colour in said
    ]  # fmt: skip


def _restarts(table: pd.DataFrame) -> list[Part]:
    line = {"color": LINE, "width": 1.5, "dash": "dash"}
    moments = [_moment(each) for each in table["end_s"][table["restarted"]]]
    return [
        {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "line": line, "layer": "below"}
        for at in moments
    ]


def _marks(table: pd.DataFrame, lines: list[tuple[str, str]], factor: float, axis: str,
           watches: list[Watch], alarms: list[Alarm]) -> list[Part]:  # fmt: skip
    """Level of the baseline, and the time since a regression, on the row of its series."""
    names = {name for name, _ in lines}
    start, end = float(table["start_s"].iloc[0]), float(table["end_s"].iloc[-1])
    found: list[Part] = [
        {"type": "line", "x0": _moment(start), "x1": _moment(end), "y0": watch.level * factor,
         "y1": watch.level * factor, "yref": axis, "line": {"color": LINE, "width": 1.2, "dash": "dot"}}
        for watch in watches
        if watch.signal.key in names
    ]  # fmt: skip
    tops = {name: float(np.nanmax(table[name])) * factor for name in names}
    return found + [
        _band(float(table["start_s"][alarm.began]), end, faded(slot_colour(1), 0.18), axis, (0, max(tops.values())))
        for alarm in alarms
        if alarm.signal.key in names
    ]


def _band(start: float, end: float, colour: str, axis: str, heights: tuple[float, float]) -> Part:
    return {"type": "rect", "x0": _moment(start), "x1": _moment(end), "y0": heights[0], "y1": heights[1], "yref": axis,
            "fillcolor": colour, "line": {"width": 0}, "layer": "below"}  # fmt: skip
