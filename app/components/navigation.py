"""The row above every page: wordmark, three menus of pages, and Share."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.page import GROUPS, Page
from app.state import shared_parameters

STATIC = Path(__file__).resolve().parents[1] / "web" / "static"
WORDMARK = str(STATIC / "wordmark.svg")
FAVICON = str(STATIC / "favicon.svg")
Links = dict[str, st.Page]
_CARRIED = "_carried"


def navigation_row(pages: tuple[Page, ...], current: Page, links: Links) -> DeltaGenerator:
    """Draw the row and give back the place where the Share menu is filled in once the page is drawn."""
    carried = st.session_state[_CARRIED] = shared_parameters()
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.image(WORDMARK, width=104, alt="Waferline", link=None)
        for group in GROUPS:
            members = [page for page in pages if page.group == group]
            if members:
                label = f"**{group}**" if group == current.group else group
                # The key holds the page, else the menu stays open over the page it led to.
                with st.popover(label, type="tertiary", key=f"nav_{group}_{current.key}"):
                    for page in members:
                        st.page_link(links[page.key], label=page.title, help=page.question, query_params=carried)
        st.space("stretch")
        return st.container(width="content")


def links_are_stale() -> bool:
    """Whether what the links carry has changed since they were drawn."""
    return bool(st.session_state.get(_CARRIED) != shared_parameters())


def address_of_this_view() -> str:
    """The address that brings another browser to exactly this view."""
    parts = urlsplit(st.context.url or "http://127.0.0.1")
    query = urlencode(st.query_params.to_dict(), doseq=True)
    return f"{parts.scheme}://{parts.netloc}{parts.path or '/'}" + (f"?{query}" if query else "")
