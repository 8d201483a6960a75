"""A figure with what belongs to it, always in this order: figure, table, source line, arithmetic."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from analysis.explain import written_out
from analysis.figures.drawing import Drawing
from analysis.study import Study
from app.components.figure_first import figure_sent
from app.components.problem import unlinked
from app.exhibits import keep_drawing, keep_study
from data.sources import Source

QUIET = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "showTips": False}


def theme() -> str:
    """The reader's theme, "light" or "dark", for the ink of figures."""
    return st.context.theme.type or "light"


def figure(drawing: dict[str, Any], *, key: str, alt: str) -> None:
    """A plotly figure given as a plain dict, without tools over it; `alt` says what it shows."""
    keep_drawing(key, drawing, alt)
    st.plotly_chart(Drawing(drawing), theme=None, key=key, config=QUIET, alt=alt)
    figure_sent()


def source_text(sources: Iterable[Source]) -> str:
    """The source line: every document once, the first six by name."""
    titles = list(dict.fromkeys(each.title for each in sources))
    return f"Source: {'; '.join(titles[:6])}" + (f" and {len(titles) - 6} more." if len(titles) > 6 else ".")


def source_line(sources: Iterable[Source], remarks: Iterable[str] = ()) -> None:
    """Draw the source line; remarks (estimates, prices, how firm) follow the documents."""
    st.caption(unlinked(" ".join([source_text(sources), *(f"{each.rstrip('.')}." for each in remarks)])))


def arithmetic(study: Study, *, key: str) -> None:
    """Every step behind the answer, what it takes for granted and every document; written out once it is unfolded.

    Whether it is unfolded stands in the address, so that a link can show it.
    """
    folded = st.expander("Show the arithmetic", type="compact", key=f"{key}_arithmetic", bind="query-params")
    if not folded.open:
        return
    with folded:
        if steps := study.arithmetic():
            st.code("\n\n".join(written_out(step) for step in steps), language=None)
        if study.assumptions:
            st.markdown("**Assumed**\n" + "\n".join(f"- {unlinked(each)}" for each in study.assumptions))
        named = (f"{each.title}, {each.where}" if each.where else each.title for each in study.sources)
        st.markdown("**Sources**\n" + "\n".join(f"- {unlinked(each)}" for each in dict.fromkeys(named)))


def below_figure(study: Study, *, key: str) -> None:
    """Source line and arithmetic of a study."""
    keep_study(key, study)
    source_line(study.sources, study.remarks)
    arithmetic(study, key=key)
