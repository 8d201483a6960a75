"""A figure with what belongs to it, always in this order: figure, table, source line, arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from analysis.explain import written_out
from analysis.study import Step, Study
from data.sources import Source

QUIET = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "showTips": False}


def theme() -> str:
    """The reader's theme, "light" or "dark", for the ink of figures."""
    return st.context.theme.type or "light"


def figure(drawing: dict[str, object], *, key: str, alt: str) -> None:
    """A plotly figure given as a plain dict, without tools over it; `alt` says what it shows."""
    st.plotly_chart(drawing, theme=None, key=key, config=QUIET, alt=alt)


def source_text(sources: Iterable[Source], assumptions: Iterable[str] = ()) -> str:
    """The source line: every document once, then what was assumed."""
    titles = list(dict.fromkeys(each.title for each in sources))
    shown = "; ".join(titles[:6]) + (f" and {len(titles) - 6} more" if len(titles) > 6 else "")
    assumed = " ".join(f"{each.rstrip('.')}." for each in assumptions)
    return f"Source: {shown}." + (f" Assumed: {assumed}" if assumed else "")


def source_line(sources: Iterable[Source], assumptions: Iterable[str] = ()) -> None:
    """Draw the source line."""
    st.caption(source_text(sources, assumptions))


def arithmetic(steps: Sequence[Step], *, key: str) -> None:
    """Every step behind the answer, folded."""
    if steps:
        with st.expander("Show the arithmetic", type="compact", key=f"{key}_arithmetic"):
            st.code("\n\n".join(written_out(step) for step in steps), language=None)


def below_figure(study: Study, *, key: str) -> None:
    """Source line and arithmetic of a study."""
    source_line(study.sources, study.assumptions)
    arithmetic(study.steps, key=key)
