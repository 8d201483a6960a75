"""The head of every page: the answer as its title, the conditions below it."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.figure_first import give_way
from app.components.problem import unlinked
from app.state import profile_said

TITLE_WIDTH = 1040


def answer_place() -> DeltaGenerator:
    """The place for the answer, kept above the controls and filled once they have been read."""
    return st.container(gap="xsmall")


def answer(place: DeltaGenerator, text: str, conditions: str) -> None:
    """Fill the head of the page: a sentence with its number, then what it holds for and with which profile."""
    conditions = " ".join(part for part in (conditions, profile_said()) if part)
    give_way()
    with place:
        st.title(unlinked(text), anchor=False, width=TITLE_WIDTH)
        if conditions:
            st.caption(unlinked(conditions))
