"""A drawing reaches plotly as it is, with what makes the browser draw it once."""

from __future__ import annotations

import plotly.io

from analysis.figures.drawing import Drawing

PARTS = {"data": [{"type": "scatter", "x": [1], "y": [2]}], "layout": {"height": 100}}


def test_contents_are_handed_over_uncopied() -> None:
    parts = Drawing(PARTS).to_dict()
    assert parts["data"] is PARTS["data"]
    assert parts["layout"]["height"] == 100
    assert PARTS["layout"] == {"height": 100}


def test_the_revision_follows_the_contents() -> None:
    """plotly redraws where the revision differs and not where it is the same (plotly.js, layout.datarevision)."""
    moved = {"data": [{"type": "scatter", "x": [1], "y": [3]}], "layout": {"height": 100}}
    first, again, other = (Drawing(each).to_dict()["layout"]["datarevision"] for each in (PARTS, dict(PARTS), moved))
    assert first == again != other


def test_the_width_is_sent_as_null() -> None:
    """Left out, Streamlit hides the figure until it has measured the page; null lets plotly measure."""
    assert '"width":null' in plotly.io.to_json(Drawing(PARTS), validate=False)
