"""Methods: every equation behind every number, with its symbols, its units and its source."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from analysis.explain import equation_pages
from app.components.answer import answer, answer_place
from app.components.controls import controls_row, pick, search
from app.components.equations import LEVELS, matching, show_equation, topic_title
from app.components.page import Page

PAGE = Page(
    key="methods",
    title="Methods",
    group="Trust",
    url_path="methods",
    question="Which equations stand behind these numbers?",
    order=40,
)
ALL = "all"


def render() -> None:
    """Draw the page."""
    equations = equation_pages()
    topics = list(dict.fromkeys(each.topic for each in equations))
    place = answer_place()
    with controls_row():
        topic = pick("Topic", [ALL, *topics], key="topic", default=ALL, name=topic_title)
        words = search("Search", key="find", hint="ridge, all-reduce, Rajbhandari")
    shown = [each for each in matching(equations, words) if topic in (ALL, each.topic)]
    answer(place, f"{len(equations)} equations stand behind the numbers; each names its source.",
           f"{len(shown)} shown. The text is the equation's own: tests hold formula and code equal.")  # fmt: skip
    with st.expander("How the levels build on each other", type="compact", key="levels"):
        st.markdown(LEVELS)
    for name, members in groupby(shown, key=lambda each: each.topic):
        st.header(topic_title(name), anchor=False)
        for each in members:
            show_equation(each)
    st.caption("Source: the documents named under each equation; the way they are put together is our own.")
