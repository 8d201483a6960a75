"""Methods."""

from __future__ import annotations

import streamlit as st

from app.components.page import Page

PAGE = Page(key="methods", title="Methods", group="Trust", url_path="methods", question="?", order=20)


def render() -> None:
    """Draw the page."""
    st.title("Methods", anchor=False, width=1040)
    st.caption("Source: none yet.")
