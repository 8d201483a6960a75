"""Several small figures side by side, each under its own title; below each other on a narrow screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.study import Study
from app.components.card import figure


def figures_in_a_row(drawings: Sequence[tuple[str, dict[str, Any]]], *, key: str) -> None:
    """Draw titled figures, a column each."""
    for number, (column, (title, drawing)) in enumerate(zip(st.columns(len(drawings)), drawings, strict=True)):
        with column:
            st.markdown(f"**{title}**")
            figure(drawing, key=f"{key}_figure{number}", alt=title)


def listed(title: str, lines: object) -> None:
    """Sentences of a study's marks under a heading; nothing where there are none."""
    if isinstance(lines, list) and lines:
        st.markdown(f"**{title}**\n" + "\n".join(f"- {each}" for each in lines))


def frame_of(study: Study, mark: str) -> pd.DataFrame:
    """A table among a study's marks, empty where the study has none."""
    found = study.marks.get(mark)
    return found if isinstance(found, pd.DataFrame) else pd.DataFrame()
