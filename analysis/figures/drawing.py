"""A finished drawing as plotly's own kind of figure, handed over as it is."""

from __future__ import annotations

import zlib
from typing import Any

from plotly.basedatatypes import BaseFigure


class Drawing(BaseFigure):  # type: ignore[misc]
    """A plain-dict figure that is not copied, checked and given a default template each time a page is drawn.

    The tests put every figure through plotly's own checks once; doing so for every move of a slider costs as much as
    all the arithmetic behind the figure, and the template doubles what is sent to the browser.

    Two entries keep the browser from drawing twice. Streamlit hands plotly a fresh copy of a figure it has just drawn:
    `datarevision`, a checksum of the contents, tells plotly that nothing in it is new. And it hides a figure without a
    width until it has measured the page: a width of null leaves the measuring to plotly, at once.
    """

    def __init__(self, parts: dict[str, Any]) -> None:
        once = {"datarevision": zlib.crc32(repr(parts).encode()), "width": None}
        self.__dict__["parts"] = parts | {"layout": parts["layout"] | once}

    def to_dict(self) -> dict[str, Any]:
        """The parts as they were given, and what makes plotly draw them once."""
        parts: dict[str, Any] = self.__dict__["parts"]
        return parts
