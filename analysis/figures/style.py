"""What every figure shares: inks for both themes, slot colours, markers, axes and the frame, as plain plotly parts.

No figure has a background of its own, so that one drawing serves both themes until the next run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Part = dict[str, Any]

# Checked for normal, deutan, protan and tritan vision. Good for marks, not for text.
SLOT_COLOURS = ("#1E97F3", "#AE4F0C", "#197A67", "#DF57AF", "#959A12", "#7C4CD0")
LINE = "#7A838E"  # mid grey that shows on both backgrounds, also after a theme change without a rerun
GRID = "rgba(122,131,142,0.22)"
FONT = "Plex, 'Source Sans', sans-serif"
ROW_HEIGHT = 60
HEADER_SPARED = (0.45, 9 / ROW_HEIGHT)  # rows below and above each mark on which a line across runs
HEADER_SHARE = 0.27  # of the width, which row headers take
FRAME_HEIGHT = 102  # axis, its title and the key of marks
MARKERS = MappingProxyType(
    {
        "NVIDIA": "circle",
        "AMD": "square",
        "Cerebras": "diamond",
        "Groq": "triangle-up",
        "Google": "pentagon",
        "Apple": "hexagon",
        "Intel": "triangle-down",
        "SambaNova": "star",
        "AWS": "bowtie",
    }
)
OTHER_MARKER = "cross"
DASHES = MappingProxyType({"bf16": "solid", "fp16": "solid", "fp8": "dash", "fp4": "dashdot"})


@dataclass(frozen=True, kw_only=True)
class Ink:
    """Text colours of one theme; both stay legible on the other background until the next run."""

    text: str
    soft: str


_INKS = {"light": Ink(text="#3F4752", soft="#5E6772"), "dark": Ink(text="#C3CAD2", soft="#9AA4B0")}


def ink(theme: str | None) -> Ink:
    """The inks of "light" or "dark"; an unknown theme reads as light."""
    return _INKS["dark" if theme == "dark" else "light"]


def slot_colour(place: int) -> str:
    """Colour of comparison slot 0 to 5."""
    return SLOT_COLOURS[place % len(SLOT_COLOURS)]


def faded(colour: str, opacity: float) -> str:
    """A hex colour as rgba with an opacity."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def vendor_marker(vendor: str, *, hollow: bool = False) -> str:
    """Marker of a vendor; hollow for what is modelled rather than measured."""
    return MARKERS.get(vendor, OTHER_MARKER) + ("-open" if hollow else "")


def tick_text(value: float) -> str:
    """A tick as people write it: 0.5, 20, 500, 1k, 2M, 5T; never 500m."""
    for scale, prefix in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= scale * (1 - 1e-9):
            return f"{value / scale:g}{prefix}"
    return f"{value:g}"


def log_ticks(low: float, high: float, most: int = 10) -> tuple[list[float], list[str]]:
    """Ticks between two positive values: 1-2-5 where they are at most `most`, else powers of ten, or every third."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ladders = [
        [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)],
        [10.0**power for power in range(first, last + 1)],
        [10.0**power for power in range(first, last + 1) if power % 3 == 0],
    ]
    within = [[each for each in ladder if low * (1 - 1e-9) <= each <= high * (1 + 1e-9)] for ladder in ladders]
    values = next((ladder for ladder in within if len(ladder) <= most), within[-1])
    return values, [tick_text(each) for each in values]


def next_step(value: float, steps: tuple[float, ...] = (1, 2, 5, 10)) -> float:
    """The next of 1, 2, 5 x 10^n at or above a positive value; log axes end there."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in steps if step * power >= value * (1 - 1e-9))


def beside_headers(lowest: float, high: float) -> float:
    """Start of a log axis ending at `high` on which the lowest value stands to the right of the row headers."""
    reach = math.log10(high / lowest) * HEADER_SHARE / (1 - HEADER_SHARE)
    return next_step(lowest / 10**reach / 2.5)


def log_axis(title: str, low: float, high: float, colours: Ink, *, most: int = 10) -> Part:
    """A log axis from low to high (both positive) whose title says "log"; `title` comes from `analysis.metrics`."""
    values, texts = log_ticks(low, high, most)
    return _axis(_with_log(title), colours) | {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": values,
        "ticktext": texts,
    }


def _with_log(title: str) -> str:
    """ "speed (tok/s) →" as "speed (tok/s, log) →"."""
    if ")" in title:
        head, tail = title.rsplit(")", 1)
        return f"{head}, log){tail}"
    head, arrow, tail = title.partition(" →")
    return f"{head} (log){arrow}{tail}"


def linear_axis(title: str, high: float, colours: Ink, *, scale: float = 1.0, steps: int = 5) -> Part:
    """An axis from zero; `scale` is the value of one printed unit (1e9 where the title says GB)."""
    step = next_step(high / scale / steps, (1, 2, 2.5, 5, 10))
    count = math.floor(high / scale / step * (1 + 1e-9))
    values = [step * scale * number for number in range(count + 1)]
    return _axis(title, colours) | {
        "range": [0, high],
        "tickvals": values,
        "ticktext": [f"{value / scale:,.10g}" for value in values],
    }


def signed_axis(title: str, high: float, colours: Ink, *, scale: float = 1.0, steps: int = 3) -> Part:
    """An axis from -high to high with zero in the middle; `scale` is the value of one printed unit."""
    step = next_step(high / scale / steps, (1, 2, 2.5, 5, 10))
    count = math.floor(high / scale / step * (1 + 1e-9))
    values = [step * scale * number for number in range(-count, count + 1)]
    texts = [f"{value / scale:+,.10g}".replace("-", "−") if value else "0" for value in values]
    return _axis(title, colours) | {"range": [-high, high], "tickvals": values, "ticktext": texts}


def _axis(title: str, colours: Ink) -> Part:
    return {
        "title": {"text": title, "font": {"size": 12, "color": colours.soft}, "standoff": 8},
        "tickfont": {"size": 12, "color": colours.soft},
        "tickangle": 0,
        "gridcolor": GRID,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": False,
    }


def no_axis(low: float, high: float) -> Part:
    """A vertical axis that is only there to place rows."""
    return {"range": [low, high], "visible": False, "fixedrange": True}


def layout(height: int, colours: Ink, *, x: Part, y: Part, **more: Any) -> Part:
    """The frame of a figure: fixed height, no background, no tools, one font; `more` overrides single entries."""
    return {
        "height": height,
        "margin": {"l": 1, "r": 14, "t": 22, "b": 80},
        "font": {"family": FONT, "size": 13, "color": colours.text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"font": {"family": FONT, "size": 12, "color": "#FFFFFF"}, "bgcolor": "#38424D", "align": "left"},
        "xaxis": x,
        "yaxis": y,
        "shapes": [],
        "annotations": [],
    } | more


def rows_height(rows: int) -> int:
    """Height of a figure with one row a slot; adding a slot is the only thing that changes it."""
    return ROW_HEIGHT * rows + FRAME_HEIGHT
