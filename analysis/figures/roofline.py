"""Roofs of one device of every slot, the model's operators on them, uploaded runs below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import apart, key_of_marks, label, marks
from analysis.figures.style import DASHES, GRID, Ink, Part, layout, log_axis, next_step, slot_colour, vendor_marker
from analysis.metrics import metric
from analysis.study import Study, rows_of
from data.unit_printing import UNIT_SPACE

HEIGHT, TOP, BOTTOM, RIGHT = 520, 74, 80, 118
PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
LINE_GAP = 15  # pixels between two labels
NOMINAL_WIDTH = 900  # pixels for which label rows are laid out
LETTER = 6.3  # pixels of one letter at 12 px
SAME = 0.05  # of the axis: operators nearer than this share a label
PHASE_MARKS = {"decode": "-open", "prefill": "-open-dot"}
PHASE_ROW = {"decode": 40, "prefill": 4}
Row = Mapping[str, Any]


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Log-log axes, one device: arithmetic rate over arithmetic intensity."""
    table = study.table
    roofs, runs = (_rows(study.marks[name]) for name in ("roofs", "runs"))
    x_range, y_range = _ranges(table, roofs, runs)
    operators = _rows(table)
    data = [_roof_line(roof, x_range) for roof in roofs]
    data += [_operator_marks(operators, place, phase) for place in table["place"].unique() for phase in PHASE_MARKS]
    data += [_run_mark(run, table) for run in runs]
    shapes, words = _guides(operators, x_range, y_range, ink)
    words += _roof_words(roofs, x_range, y_range, ink) + _ridge_words(roofs, ink)
    entries = [("decode", "circle-open"), ("prefill", "circle-open-dot")] + ([("your run", "circle")] if runs else [])
    stand_ins, legend = key_of_marks(entries, ink)
    x = log_axis(metric("intensity_flop_per_byte").axis_title(), *x_range, ink)
    y = log_axis(metric("rate_flop_per_s").axis_title(vertical=True), *y_range, ink, most=7)
    margin = {"l": 58, "r": RIGHT, "t": TOP, "b": BOTTOM}
    frame = layout(HEIGHT, ink, x=x, y=y, margin=margin, **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _rows(frame: object) -> list[Row]:
    table = frame if isinstance(frame, pd.DataFrame) else pd.DataFrame()
    return list(rows_of(table))


def _ranges(table: pd.DataFrame, roofs: Sequence[Row], runs: Sequence[Row]) -> tuple[tuple[float, float], ...]:
    """Axes that hold every operator, ridge and run with a little room."""
    x = [*table["intensity_flop_per_byte"], *(roof["ridge_flop_per_byte"] for roof in roofs)]
    y = [*table["attainable_flop_per_s"], *(roof["peak_flop_per_s"] for roof in roofs)]
    x += [run["intensity_flop_per_byte"] for run in runs]
    y += [run["rate_flop_per_s"] for run in runs]
    x, y = ([value for value in values if math.isfinite(value) and value > 0] for values in (x, y))
    return (next_step(min(x) / 4), next_step(2.5 * max(x))), (next_step(min(y) / 5), next_step(2 * max(y)))


def _roof_line(roof: Row, x_range: tuple[float, float]) -> Part:
    """A roof from its breakpoints alone: an even grid would round the ridge."""
    (left, right), bandwidth, ridge = x_range, roof["bandwidth_byte_per_s"], roof["ridge_flop_per_byte"]
    corner = [ridge] if left < ridge < right else []
    x = [left, *corner, right]
    peak = _peak(roof)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": [min(peak, bandwidth * value) for value in x],
        "line": {
            "color": slot_colour(roof["place"]),
            "width": 2,
            "dash": DASHES.get(roof["number_class"], "solid"),
        },
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _operator_marks(operators: Sequence[Row], place: int, phase: str) -> Part:
    chosen = [row for row in operators if row["place"] == place and row["phase"] == phase]
    symbol = vendor_marker(chosen[0]["vendor"]) + PHASE_MARKS[phase]
    texts = [
        f"{row['chip']}, {phase}: {row['operator']}"
        f"<br>{metric('intensity_flop_per_byte').format(row['intensity_flop_per_byte'])}"
        f"<br>at most {metric('attainable_flop_per_s').format(row['attainable_flop_per_s'])}, {row['binds']} binds"
        f"<br>{metric('work_flop').format(row['work_flop'])} and {metric('traffic_byte').format(row['traffic_byte'])}"
        " a step"
        for row in chosen
    ]
    x, y = ([row[name] for row in chosen] for name in ("intensity_flop_per_byte", "attainable_flop_per_s"))
    return marks(x, y, slot_colour(place), symbol, texts)


def _run_mark(run: Row, table: pd.DataFrame) -> Part:
    vendors = table.loc[table["place"] == run["place"], "vendor"]
    symbol = vendor_marker(str(vendors.iloc[0]) if len(vendors) else "")
    rate = metric("rate_flop_per_s").format(run["rate_flop_per_s"])
    text = f"{run['label']}<br>{rate} a device<br>your run, not reviewed"
    return marks([run["intensity_flop_per_byte"]], [run["rate_flop_per_s"]], slot_colour(run["place"]), symbol, [text])


def _guides(
    operators: Sequence[Row], x_range: tuple[float, float], y_range: tuple[float, float], ink: Ink
) -> tuple[list[Part], list[Part]]:
    """Faint lines at the operators of the first slot, with their names above the plot: decode over prefill."""
    span = math.log10(x_range[1] / x_range[0])
    shapes, words = [], []
    for phase, lift in PHASE_ROW.items():
        own = [row for row in operators if row["phase"] == phase and row["place"] == operators[0]["place"]]
        ends = [-1.0, -1.0]  # pixels at which each of two rows of labels is free again
        words.append(_phase_words(phase, lift, y_range[1], ink))
        for x, names in _clusters(own, span):
            text = ", ".join(names)
            centre, half = math.log10(x / x_range[0]) / span * NOMINAL_WIDTH, len(text) * LETTER / 2
            row = 0 if centre - half > ends[0] else 1
            ends[row] = centre + half
            at_top = label(text, x, y_range[1], ink, log_y=True, shift=(0, lift + 16 * row))
            words.append(at_top | {"yanchor": "bottom"})
            line = {"color": GRID, "width": 1, "dash": "solid" if phase == "decode" else "dot"}
            shapes.append({"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line})
    return shapes, words


def _phase_words(phase: str, lift: int, top: float, ink: Ink) -> Part:
    """The phase in front of its row of operator names, in the margin."""
    words = label(f"<b>{phase}</b>", 1.0, top, ink, log_y=True, shift=(-6, lift), anchor="right")
    return words | {"x": 0, "xref": "paper", "yanchor": "bottom"}


def _clusters(rows: Sequence[Row], span: float) -> list[tuple[float, list[str]]]:
    """Operators sorted by intensity, near ones under one label at their geometric middle."""
    groups: list[list[Row]] = []
    for row in sorted(rows, key=lambda each: float(each["intensity_flop_per_byte"])):
        x = row["intensity_flop_per_byte"]
        if groups and math.log10(x / groups[-1][0]["intensity_flop_per_byte"]) < SAME * span:
            groups[-1].append(row)
        else:
            groups.append([row])
    middles = [math.prod(row["intensity_flop_per_byte"] for row in group) ** (1 / len(group)) for group in groups]
    return [(x, [row["operator"] for row in group]) for x, group in zip(middles, groups, strict=True)]


def _roof_words(
    roofs: Sequence[Row], x_range: tuple[float, float], y_range: tuple[float, float], ink: Ink
) -> list[Part]:
    """Name and number class behind the right end of each roof, pushed apart where they would touch."""
    span = math.log10(y_range[1] / y_range[0])
    ends = [min(_peak(roof), roof["bandwidth_byte_per_s"] * x_range[1]) for roof in roofs]
    pixels = [math.log10(value / y_range[0]) / span * PLOT_HEIGHT for value in ends]
    words = []
    for roof, value, pixel, wanted in zip(roofs, ends, pixels, apart(pixels, LINE_GAP), strict=True):
        text = f"<b>{roof['chip']}</b> {roof['number_class'].upper()}"
        shift = (6, round(wanted - pixel))
        words.append(label(text, x_range[1], value, ink, log_y=True, shift=shift, anchor="left"))
    return words


def _peak(roof: Row) -> float:
    return math.inf if math.isnan(roof["peak_flop_per_s"]) else float(roof["peak_flop_per_s"])


def _ridge_words(roofs: Sequence[Row], ink: Ink) -> list[Part]:
    """The intensity at which the highest roof of each slot turns, under its corner."""
    words = []
    for place in dict.fromkeys(roof["place"] for roof in roofs):
        known = [roof for roof in roofs if roof["place"] == place and math.isfinite(_peak(roof))]
        if known:
            highest = max(known, key=_peak)
            text = f"ridge {format_ridge(highest['ridge_flop_per_byte'])}"
            at = (highest["ridge_flop_per_byte"], _peak(highest))
            words.append(label(text, *at, ink, log_y=True, shift=(4, -9), anchor="left"))
    return words


def format_ridge(value: float) -> str:
    """A ridge without its unit, which the axis says."""
    return metric("ridge_flop_per_byte").format(value).split(UNIT_SPACE)[0]
