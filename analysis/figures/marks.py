"""Words, lines, bands and marks inside a figure, as plain plotly parts.

Callers always pass values: where an annotation on a log axis wants log10, it is taken here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from analysis.figures.style import GRID, LINE, Ink, Part


def row_header(text: str, row: float, colours: Ink, *, shift: int = 19) -> Part:
    """Words above a row's mark, at the left edge: "<b>8 × H200  87.1</b> tok/s  kernel latency binds"."""
    return {
        "text": text,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": row,
        "yref": "y",
        "yshift": shift,
        "showarrow": False,
        "align": "left",
        "font": {"size": 13, "color": colours.text},
    }


def label(
    text: str, x: float, y: float, colours: Ink, *, log_x: bool = True, log_y: bool = False,
    shift: tuple[int, int] = (0, -17), anchor: Literal["left", "center", "right"] = "center",
) -> Part:  # fmt: skip
    """Words beside a mark; x and y are values, also on a log axis."""
    return {
        "text": text,
        "x": math.log10(x) if log_x else x,
        "y": math.log10(y) if log_y else y,
        "xshift": shift[0],
        "yshift": shift[1],
        "xanchor": anchor,
        "showarrow": False,
        "font": {"size": 12, "color": colours.soft},
    }


def threshold(x: float, text: str, colours: Ink, *, log_x: bool = True) -> tuple[Part, Part]:
    """A dashed line across the figure and its words above it: a target, a ridge, a memory size."""
    line = {
        "type": "line",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"color": LINE, "width": 2, "dash": "dot"},
    }
    words = {
        "text": f"<b>{text}</b>",
        "x": math.log10(x) if log_x else x,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": colours.text},
    }
    return line, words


def row_line(row: float) -> Part:
    """A faint line through a row, from which its marks hang."""
    return {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "xref": "paper",
        "y0": row,
        "y1": row,
        "line": {"color": GRID, "width": 1},
        "layer": "below",
    }


def band(low: float, high: float, row: float, colour: str, *, thickness: float = 0.4) -> Part:
    """An interval as a translucent box round a row's mark."""
    return {
        "type": "rect",
        "x0": low,
        "x1": high,
        "y0": row - thickness / 2,
        "y1": row + thickness / 2,
        "fillcolor": colour,
        "opacity": 0.3,
        "line": {"width": 0},
        "layer": "below",
    }


def marks(x: Sequence[float], y: Sequence[float], colour: str, symbol: str, hover: Sequence[str], **more: Any) -> Part:
    """A scatter of marks; `hover` holds the whole text of each."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(x),
        "y": list(y),
        "showlegend": False,
        "marker": {"size": 11, "color": colour, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "hovertext": list(hover),
        "hoverinfo": "text",
    } | more


def key_of_marks(entries: Sequence[tuple[str, str]], colours: Ink) -> tuple[list[Part], Part]:
    """A legend of grey stand-ins, (name under 16 characters, marker symbol), and the layout entries that show it."""
    stand_ins = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "name": name,
            "hoverinfo": "skip",
            "marker": {"color": LINE, "symbol": symbol, "size": 11, "line": {"width": 2, "color": LINE}},
            "showlegend": True,
        }
        for name, symbol in entries
    ]
    legend = {
        "orientation": "h",
        "x": 0,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
        "itemclick": False,
        "itemdoubleclick": False,
        "font": {"size": 12, "color": colours.soft},
        "bgcolor": "rgba(0,0,0,0)",
    }
    return stand_ins, {"showlegend": True, "legend": legend}


def apart(positions: Sequence[float], gap: float) -> list[float]:
    """Positions in pixels moved up just enough that neighbours are at least `gap` apart, order kept."""
    placed = [0.0] * len(positions)
    taken = -math.inf
    for at in sorted(range(len(positions)), key=lambda index: positions[index]):
        taken = max(positions[at], taken + gap)
        placed[at] = taken
    return placed
