"""Two logarithmic axes over one range with the line on which both are equal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis.figures.style import LINE, Ink, Part, layout, log_axis, next_step

HEIGHT = 520
MARGIN = {"l": 64, "r": 14, "t": 22, "b": 80}
EMPTY = (1.0, 10.0)


def span_of(values: Iterable[float]) -> tuple[float, float]:
    """Ends of an axis on a 1-2-5 step that hold every positive value with a little room."""
    known = [value for value in values if value > 0]
    return (next_step(min(known) / 2), next_step(1.05 * max(known))) if known else EMPTY


def square(titles: tuple[str, str], span: tuple[float, float], ink: Ink, **more: Any) -> Part:
    """The frame: horizontal and vertical title, one range for both axes."""
    across, up = (log_axis(title, *span, ink, most=7) for title in titles)
    return layout(HEIGHT, ink, x=across, y=up, margin=MARGIN, **more)


def factor_line(span: tuple[float, float], factor: float = 1.0, dash: str = "solid") -> Part:
    """The line on which the upper value is `factor` times the other, within the range."""
    low, high = span
    x = [max(low, low / factor), min(high, high / factor)]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": [value * factor for value in x],
        "line": {"color": LINE, "width": 1.5, "dash": dash},
        "showlegend": False,
        "hoverinfo": "skip",
    }
