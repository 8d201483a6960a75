"""Where names stand so that they touch neither each other nor a line: behind the ends of lines, or near a mark.

Widths come from letter counts, at the width of a phone's figure and of a wide page's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.figures.marks import apart, label
from analysis.figures.style import Ink, Part

LETTER, CAPITALS = 6.0, 12.0  # pixels of one bold letter at 12 px, and what capitals and digits add to a short name
LINE_GAP = 15  # pixels between two names
PHONE, PAGE = 362, 1140  # pixels of a figure at 390 and at 1280
HALF_TALL, CLEAR = 7, 3  # pixels of half a line of text, and what it keeps from a line
LIFTS = (13, -13, 26, -26, 39, -39)  # pixels by which a name stands above or below its mark
SIDE = 10  # pixels between a mark and a name beside it
REACHES = (0.0, 1.0, 0.5, 0.25, 0.75, 0.38, 0.62)  # share of a name that stands left of its mark
MET, OUTSIDE, FAR = 1000.0, 300.0, 0.01  # what it costs a place to lie on a name, to leave the plot, to come later
ON_LINE = 6.0  # cost from which on a name lies on a line rather than near it
Point = tuple[float, float]
Pixels = npt.NDArray[np.float64]


def width(text: str) -> float:
    """Pixels of a name."""
    return LETTER * len(text) + CAPITALS


def room(names: Sequence[str]) -> int:
    """The right margin that holds the longest of these names."""
    return math.ceil(max((width(name) for name in names), default=0.0)) + 10


def balanced(positions: Sequence[float], gap: float, highest: float) -> list[float]:
    """Positions in pixels moved up and down alike until neighbours are `gap` apart, none above `highest`."""
    up, down = apart(positions, gap), apart([-each for each in reversed(positions)], gap)[::-1]
    middles = [(one - other) / 2 for one, other in zip(up, down, strict=True)]
    limit, kept = highest, dict.fromkeys(range(len(middles)), 0.0)
    for at in sorted(kept, key=lambda index: -middles[index]):
        kept[at] = min(middles[at], limit)
        limit = kept[at] - gap
    return [kept[at] for at in range(len(middles))]


def behind_ends(
    ends: Sequence[tuple[str, float]], span: Point, tall: float, ink: Ink, *, log_y: bool = True
) -> list[Part]:
    """Names (text, value of the line's end) in the right margin; `span` is the vertical axis, `tall` its pixels."""
    low, high = (math.log10(each) for each in span) if log_y else span
    pixels = [((math.log10(value) if log_y else value) - low) / (high - low) * tall for _, value in ends]
    return [
        label(
            f"<b>{text}</b>", 1.0, value, ink, log_x=False, log_y=log_y, shift=(6, round(wanted - own)), anchor="left"
        )
        | {"xref": "paper"}
        for (text, value), own, wanted in zip(ends, pixels, balanced(pixels, LINE_GAP, tall), strict=True)
    ]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Two log axes and the pixels between the margins.

    x, y     first and last value of each axis
    tall     pixels of the vertical axis
    margins  pixels left and right of the plot together
    """

    x: Point
    y: Point
    tall: float
    margins: float

    def wide(self) -> tuple[float, float]:
        """Pixels of the horizontal axis, on a phone and on a wide page."""
        return PHONE - self.margins, PAGE - self.margins

    def at(self, points: Sequence[Point], wide: float) -> Pixels:
        """Values as pixels from the lower left corner."""
        spans = np.log10(np.array([self.x, self.y], dtype=float))
        values = np.log10(np.array(points, dtype=float).reshape(-1, 2))
        shares: Pixels = (values - spans[:, 0]) / (spans[:, 1] - spans[:, 0]) * np.array([wide, self.tall])
        return shares


def near_marks(
    wanted: Sequence[tuple[str, Point]], lines: Sequence[Sequence[Point]], plot: Plot, ink: Ink, *, all_of: int
) -> list[Part]:
    """Names near their marks, off all lines; from the `all_of`th on only where no line is in the way."""
    seen = [np.vstack([_along(plot.at(line, wide)) for line in lines if len(line)]) for wide in plot.wide()]
    taken: list[list[Point]] = [[], []]  # middle and half width of names placed so far, per width of the figure
    sizes: list[float] = []
    words = []
    for order, (text, point) in enumerate(wanted):
        half = width(text) / 2
        marks = [plot.at([point], wide)[0] for wide in plot.wide()]
        costs = [
            sum(_cost(mark + shift, half, lined, others, sizes, (wide, plot.tall))
                for mark, lined, others, wide in zip(marks, seen, taken, plot.wide(), strict=True)) + FAR * place
            for place, shift in enumerate(_shifts(half))
        ]  # fmt: skip
        best = min(range(len(costs)), key=costs.__getitem__)
        if costs[best] >= (OUTSIDE if order < all_of else ON_LINE):
            continue
        shift = _shifts(half)[best]
        sizes.append(half)
        for mark, others in zip(marks, taken, strict=True):
            others.append((float(mark[0] + shift[0]), float(mark[1] + shift[1])))
        words.append(label(f"<b>{text}</b>", *point, ink, log_y=True, shift=(round(shift[0]), round(shift[1]))))
    return words


def _shifts(half: float) -> list[Pixels]:
    """From a mark to the middle of its name, the best first."""
    over = [(half - 2 * half * reach, float(lift)) for lift in LIFTS for reach in REACHES]
    near = 2 * len(REACHES)
    return [np.array(each) for each in [*over[:near], (half + SIDE, 0.0), (-half - SIDE, 0.0), *over[near:]]]


def _along(points: Pixels) -> Pixels:
    """A line of pixels through these, a dot every few."""
    if len(points) < 2:
        return points
    steps = np.hypot(*np.diff(points, axis=0).T)
    places = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-9))])
    fine = np.linspace(0.0, places[-1], max(2, int(places[-1] / CLEAR)))
    return np.column_stack([np.interp(fine, places, points[:, axis]) for axis in (0, 1)])


def _cost(
    middle: Pixels, half: float, lined: Pixels, others: Sequence[Point], sizes: Sequence[float], size: Point
) -> float:
    """Dots of lines under a name, names under it and whether it leaves the plot."""
    x, y = float(middle[0]), float(middle[1])
    inside = (abs(lined[:, 0] - x) < half + CLEAR) & (abs(lined[:, 1] - y) < HALF_TALL + CLEAR)
    met = sum(
        abs(x - at) < half + other + 4 and abs(y - up) < 2 * HALF_TALL
        for (at, up), other in zip(others, sizes, strict=True)
    )
    out = x - half < 0 or x + half > size[0] or y - HALF_TALL < 0 or y + HALF_TALL > size[1]
    return float(np.count_nonzero(inside)) + MET * met + OUTSIDE * out
