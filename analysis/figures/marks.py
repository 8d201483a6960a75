"""Words, lines, bands and marks inside a figure, as plain plotly parts.

Callers always pass values: where an annotation on a log axis wants log10, it is taken here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from analysis.figures.style import GRID, LINE, Ink, Part, faded


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


Anchor = Literal["left", "center", "right"]


@dataclass(frozen=True, kw_only=True)
class Word:
    """A text at a place of the axes; `anchor` says which end of it stands there."""

    text: str
    x: float
    y: float
    colour: str
    anchor: Anchor = "center"
    size: int = 12


_BESIDE = {"left": "middle right", "center": "middle center", "right": "middle left"}


def words_in_one_trace(words: Sequence[Word]) -> Part:
    """Texts without a mark, as one trace: a browser measures each annotation by itself, and redraws the page for it."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [word.x for word in words],
        "y": [word.y for word in words],
        "text": [word.text for word in words],
        "textposition": [_BESIDE[word.anchor] for word in words],
        "textfont": {"size": [word.size for word in words], "color": [word.colour for word in words]},
        "showlegend": False,
        "hoverinfo": "skip",
        "cliponaxis": False,
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


def row_lines(rows: Iterable[float]) -> Part:
    """The same through several rows, as one shape."""
    path = "".join(f"M0,{row:g}H1" for row in rows)
    return {"type": "path", "path": path, "xref": "paper", "line": {"color": GRID, "width": 1}, "layer": "below"}


def line_beside(x: float, rows: Iterable[float], down: float, up: float) -> Part:
    """A dashed line across the figure that leaves out what stands above each row's mark."""
    path = "".join(f"M{x:g},{row - down:g}V{row + up:g}" for row in rows)
    return {"type": "path", "path": path, "layer": "below", "line": {"color": LINE, "width": 2, "dash": "dot"}}


def fill(colour: str, opacity: float, pattern: str = "") -> Part:
    """The marker of a bar's piece: the colour at an opacity, or a pattern of it on a faint ground."""
    if not pattern:
        return {"color": faded(colour, opacity), "line": {"width": 0}}
    shape = {"shape": pattern, "fgcolor": faded(colour, opacity), "bgcolor": faded(colour, 0.15), "size": 6}
    return {"color": faded(colour, opacity), "line": {"width": 0}, "pattern": shape | {"solidity": 0.45}}


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


def in_one_trace(parts: Sequence[Part]) -> Part:
    """Marks of `marks` drawn as one trace, in their order: a browser needs longer for a trace than for a mark."""

    def each(take: Callable[[Part], Any]) -> list[Any]:
        return [take(part) for part in parts for _ in part["x"]]

    marker = {
        "size": each(lambda part: part["marker"]["size"]),
        "color": each(lambda part: part["marker"]["color"]),
        "symbol": each(lambda part: part["marker"]["symbol"]),
        "opacity": each(lambda part: part.get("opacity", 1.0)),
        "line": {
            "color": each(lambda part: part["marker"]["line"]["color"]),
            "width": each(lambda part: part["marker"]["line"]["width"]),
        },
    }
    chained = {name: [value for part in parts for value in part[name]] for name in ("x", "y", "hovertext")}
    clipped = all(part.get("cliponaxis", True) for part in parts)
    fixed = {"type": "scatter", "mode": "markers", "showlegend": False, "hoverinfo": "text", "cliponaxis": clipped}
    return {**fixed, **chained, "marker": marker}


def key_of_marks(entries: Sequence[tuple[str, str]], colours: Ink) -> tuple[list[Part], Part]:
    """A legend of grey stand-ins, (name under 16 characters, marker symbol), and the layout entries that show it."""
    marker = {"color": LINE, "size": 11, "line": {"width": 2, "color": LINE}}
    stand_ins = [
        {"type": "scatter", "mode": "markers", "name": name, "marker": marker | {"symbol": symbol}}
        for name, symbol in entries
    ]
    return _key(stand_ins, colours)


def key_in_words(entries: Sequence[tuple[str, str]], colours: Ink) -> Part:
    """The same as one line of text, (name, sign): a legend takes a browser as long as the figure above it."""
    shown = [f'<span style="font-size:16px;fill:{LINE}">{sign}</span> {name}' for name, sign in entries]
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 0, "yref": "paper", "yanchor": "middle", "yshift": -67}
    text = "\u2003".join(shown).replace("\u0020%", "\u00a0%")
    return {"text": text, **place, "showarrow": False, "font": {"size": 12, "color": colours.soft}}


def key_of_fills(entries: Sequence[tuple[str, Part]], colours: Ink) -> tuple[list[Part], Part]:
    """The same for pieces of bars: (name, the marker of a bar)."""
    return _key([{"type": "bar", "name": name, "marker": fill} for name, fill in entries], colours)


def _key(stand_ins: Sequence[Part], colours: Ink) -> tuple[list[Part], Part]:
    legend = {
        "orientation": "h",
        "x": 0,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
        "itemclick": False,
        "itemdoubleclick": False,
        "traceorder": "normal",
        "font": {"size": 12, "color": colours.soft},
        "bgcolor": "rgba(0,0,0,0)",
    }
    unseen = {"x": [None], "y": [None], "showlegend": True, "hoverinfo": "skip"}
    return [each | unseen for each in stand_ins], {"showlegend": True, "legend": legend}


def apart(positions: Sequence[float], gap: float) -> list[float]:
    """Positions in pixels moved up just enough that neighbours are at least `gap` apart, order kept."""
    placed = [0.0] * len(positions)
    taken = -math.inf
    for at in sorted(range(len(positions)), key=lambda index: positions[index]):
        taken = max(positions[at], taken + gap)
        placed[at] = taken
    return placed
