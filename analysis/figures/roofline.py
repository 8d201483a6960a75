"""Roofs of one device of every slot, the model's operators on them, uploaded runs below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import Anchor, key_of_marks, label, marks
from analysis.figures.names import balanced
from analysis.figures.style import DASHES, GRID, Ink, Part, layout, log_axis, next_step, slot_colour, vendor_marker
from analysis.metrics import metric
from analysis.study import Study, rows_of
from data.unit_printing import UNIT_SPACE

LINE_GAP = 15  # pixels between two labels
PHASE_ROWS = 3  # rows of operator names of one phase
PHASE_LIFT = {"prefill": 4, "decode": 8 + PHASE_ROWS * LINE_GAP}
PLOT_HEIGHT, BOTTOM, LEFT, RIGHT, TOP = 366, 80, 58, 118, 12 + 2 * PHASE_ROWS * LINE_GAP
NARROW = 186  # pixels of the plot on a phone, on which no two words may touch
OUT = 6  # pixels by which a name may stand left of the plot
LETTER = 6.3  # pixels of one letter at 12 px
SAME = 0.06  # of the axis: operators nearer than this share a label
PHASE_MARKS = {"decode": "-open", "prefill": "-open-dot"}
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
    margin = {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM}
    frame = layout(PLOT_HEIGHT + BOTTOM + TOP, ink, x=x, y=y, margin=margin, **legend)
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
    shapes, words = [], []
    for phase, lift in PHASE_LIFT.items():
        own = [row for row in operators if row["phase"] == phase and row["place"] == operators[0]["place"]]
        named = _clusters(own, math.log10(x_range[1] / x_range[0]))
        texts = [", ".join(names) for _, names in named]
        rows = _rows_apart([(x, text, "center") for (x, _), text in zip(named, texts, strict=True)], x_range)
        words.append(_phase_words(phase, lift, y_range[1], ink))
        for (x, _), text, row in zip(named, texts, rows, strict=True):
            up = lift + LINE_GAP * min(row, PHASE_ROWS - 1)
            at_top = label(text, x, y_range[1], ink, log_y=True, shift=(_inwards(x, text, x_range), up))
            words.append(at_top | {"yanchor": "bottom"})
            line = {"color": GRID, "width": 1, "dash": "solid" if phase == "decode" else "dot"}
            shapes.append({"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line})
    return shapes, words


def _rows_apart(words: Sequence[tuple[float, str, Anchor]], x_range: tuple[float, float]) -> list[int]:
    """A row for each of these words (place, text, end that stands there) so that none touch on a phone."""
    taken: list[list[tuple[float, float]]] = []
    rows = []
    for x, text, anchor in words:
        wide = len(text) * LETTER + 4
        left = math.log10(x / x_range[0]) / math.log10(x_range[1] / x_range[0]) * NARROW
        left -= {"left": 0.0, "center": wide / 2 - _inwards(x, text, x_range), "right": wide}[anchor]
        free = (row for row, others in enumerate(taken) if all(left >= b or left + wide <= a for a, b in others))
        row = next(free, len(taken))
        if row == len(taken):
            taken.append([])
        taken[row].append((left, left + wide))
        rows.append(row)
    return rows


def _inwards(x: float, text: str, x_range: tuple[float, float]) -> int:
    """Pixels to the right by which a name keeps clear of the phase before its row, on a phone."""
    middle = math.log10(x / x_range[0]) / math.log10(x_range[1] / x_range[0]) * NARROW
    return max(0, round(len(text) * LETTER / 2 - OUT - middle))


def _phase_words(phase: str, lift: int, top: float, ink: Ink) -> Part:
    """The phase in front of its row of operator names, in the margin."""
    words = label(f"<b>{phase}</b>", 1.0, top, ink, log_y=True, shift=(1 - LEFT, lift), anchor="left")
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
    for roof, value, pixel, wanted in zip(
        roofs, ends, pixels, balanced(pixels, LINE_GAP, PLOT_HEIGHT + LINE_GAP), strict=True
    ):
        text = f"<b>{roof['chip']}</b> {roof['number_class'].upper()}"
        shift = (6, round(wanted - pixel))
        words.append(label(text, x_range[1], value, ink, log_y=True, shift=shift, anchor="left"))
    return words


def _peak(roof: Row) -> float:
    return math.inf if math.isnan(roof["peak_flop_per_s"]) else float(roof["peak_flop_per_s"])


def _ridge_words(roofs: Sequence[Row], ink: Ink) -> list[Part]:
    """The intensity at which the highest roof of each slot turns, in the corner that no roof crosses."""
    lines = []
    for place in dict.fromkeys(roof["place"] for roof in roofs):
        known = [roof for roof in roofs if roof["place"] == place and math.isfinite(_peak(roof))]
        if known:
            lines.append(f"{known[0]['chip']} ridge {format_ridge(max(known, key=_peak)['ridge_flop_per_byte'])}")
    if not lines:
        return []
    listed = label("<br>".join(lines), 1.0, 0.0, ink, log_x=False, shift=(-4, 4), anchor="right")
    return [listed | {"xref": "paper", "yref": "paper", "yanchor": "bottom", "align": "right"}]


def format_ridge(value: float) -> str:
    """A ridge without its unit, which the axis says."""
    return metric("ridge_flop_per_byte").format(value).split(UNIT_SPACE)[0]
