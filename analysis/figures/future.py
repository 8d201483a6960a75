"""A tornado: what each figure of a chip does when it alone is moved, the largest effect on top."""

from __future__ import annotations

from typing import Any

from analysis.figures.marks import fill, key_of_fills, line_beside, row_header, row_line
from analysis.figures.style import (
    HEADER_SPARED,
    LINE,
    Ink,
    Part,
    layout,
    no_axis,
    rows_height,
    signed_axis,
    slot_colour,
)
from analysis.metrics import metric
from analysis.study import Study, rows_of

THICKNESS = 0.2
ROOM = 1.15  # the axis ends beyond the longest bar
NARROWEST = 0.01  # so that bars of nothing stay at zero
SIDES = (("less", "/"), ("more", ""))


def figure(study: Study, ink: Ink) -> dict[str, Any]:
    """Horizontal bars from zero: hatched with less of a figure, solid with more."""
    rows, colour = rows_of(study.table), slot_colour(int(str(study.marks["place"])))
    step = f"{100 * float(str(study.marks['step'])):.3g} %"
    effect = metric(str(study.marks["effect"]))
    high = ROOM * max([NARROWEST, *(float(row["reach"]) for row in rows)])
    data: list[Part] = []
    shapes: list[Part] = [_zero(len(rows))]
    words: list[Part] = []
    for at, row in enumerate(rows):
        place = float(len(rows) - 1 - at)
        shapes.append(row_line(place))
        words.append(row_header(_header(row), place, ink))
        data += [_bar(row, side, pattern, place, colour, step) for side, pattern in SIDES]
    keys = [(f"{step} {side}", fill(LINE, 1.0, pattern)) for side, pattern in SIDES]
    stand_ins, legend = key_of_fills(keys, ink)
    axis = signed_axis(f"change of {effect.label} (%)", high, ink, scale=0.01)
    frame = layout(rows_height(len(rows)), ink, x=axis, y=no_axis(-0.5, len(rows) - 0.35), barmode="overlay", **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": shapes, "annotations": words}}


def _zero(rows: int) -> Part:
    return line_beside(0.0, range(rows), *HEADER_SPARED) | {"line": {"color": LINE, "width": 1}}


def _header(row: dict[str, Any]) -> str:
    beside = str(row["verdict"]) or "  ".join(_signed(float(row[f"{side}_change"])) for side, _ in SIDES)
    return f"<b>{row['figure']}</b>  {row['value']}  {beside}"


def _signed(change: float) -> str:
    return f"{100 * change:+.2g} %".replace("-", "−") if change else "0 %"


def _bar(row: dict[str, Any], side: str, pattern: str, place: float, colour: str, step: str) -> Part:
    change = float(row[f"{side}_change"])
    return {
        "type": "bar",
        "orientation": "h",
        "x": [change if change == change else 0.0],
        "y": [place],
        "width": [THICKNESS],
        "marker": fill(colour, 1.0, pattern),
        "hovertext": [f"<b>{row['figure']}</b> {row['value']}, {step} {side}<br>{_signed(change)}"],
        "hoverinfo": "text",
        "showlegend": False,
    }
