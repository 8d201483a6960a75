"""A finished drawing as plotly's own kind of figure, handed over as it is."""

from __future__ import annotations

from typing import Any

from plotly.basedatatypes import BaseFigure


class Drawing(BaseFigure):  # type: ignore[misc]
    """A plain-dict figure that is not copied, checked and given a default template each time a page is drawn.

    The tests put every figure through plotly's own checks once; doing so for every move of a slider costs as much as
    all the arithmetic behind the figure, and the template doubles what is sent to the browser.
    """

    def __init__(self, parts: dict[str, Any]) -> None:
        self.__dict__["parts"] = parts

    def to_dict(self) -> dict[str, Any]:
        """The parts as they were given."""
        parts: dict[str, Any] = self.__dict__["parts"]
        return parts
