"""Catalogue."""

from __future__ import annotations

import streamlit as st

from app.components.page import Page

PAGE = Page(key="catalogue", title="Catalogue", group="Trust", url_path="catalogue", question="?", order=20)


def render() -> None:
    """Draw the page."""
    st.title("Catalogue", anchor=False, width=1040)
    st.caption("Source: none yet.")
