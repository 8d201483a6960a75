"""The frame around every page: settings, navigation, and what is shown when a page fails."""

from __future__ import annotations

import gc
import importlib
import sys

import streamlit as st

from app.components.card import theme
from app.components.figure_first import begin_page, draw_controls, whole_page
from app.components.navigation import FAVICON, address_of_this_view, links_are_stale, navigation_row
from app.components.page import FoundPage
from app.components.problem import show_fault, show_problem
from app.components.share import share_menu
from app.exhibits import begin_exhibit, end_exhibit
from app.local_only import stay_on_this_machine
from app.pages import find_pages
from app.state import clear_downloads
from data.errors import WaferlineError

PAGE_WIDTH = 1280
LOADED_EARLY = ("pandas", "pyarrow", "plotly", "app.cache")
# Python's own 5 ms keep what a page has drawn from being sent for as long as the page goes on computing.
SWITCH_INTERVAL_S = 0.0005
# Python's own 700, 10, 10 search for dead objects many times a run, now and then through all that sessions keep.
COLLECT_AFTER = (50_000, 20, 20)


@st.cache_resource(show_spinner=False)
def loaded_pages() -> tuple[FoundPage, ...]:
    """All pages, with every library behind them loaded once and set aside from garbage collection."""
    stay_on_this_machine()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    pages = find_pages()
    for name in LOADED_EARLY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    return pages


def draw(found: FoundPage) -> None:
    """The page, or what went wrong with it, in words."""
    try:
        found.render()
    except WaferlineError as error:
        show_problem(error)
    except Exception as error:  # noqa: BLE001 - the last net: logged in full, told in one sentence
        show_fault(error)


@st.fragment
def body(found: FoundPage) -> None:
    """All below the frame. A choice made on the page runs this alone, and the links to every page are not sent again.

    Only slots stand in those links: once they have changed, the frame is drawn anew.
    """
    if links_are_stale():
        st.rerun()
    begin_page()
    clear_downloads()
    begin_exhibit(found.page.key, found.page.title, theme())
    draw(found)
    draw_controls()
    end_exhibit(address_of_this_view())


def main() -> None:
    """One run of the script: find the page asked for, draw the row above it and the page."""
    pages = loaded_pages()
    home = min(pages, key=lambda each: (each.page.url_path != "", each.page.order)).page
    links = {
        each.page.key: st.Page(
            each.render, title=each.page.title, url_path=each.page.url_path or None, default=each.page is home
        )
        for each in pages
    }
    chosen = st.navigation(list(links.values()), position="hidden")
    found = next(each for each in pages if links[each.page.key] == chosen)
    st.set_page_config(page_title=f"{found.page.title} · Waferline", page_icon=FAVICON, layout="wide")
    with st.container(horizontal_alignment="center"), st.container(width=PAGE_WIDTH, gap="small"):
        share = navigation_row(tuple(each.page for each in pages), found.page, links)
        # Drawn from here and not by chosen.run(): widgets then belong to the frame, so that a choice made on one
        # page (model, context, slots) holds on the next.
        whole_page()
        body(found)
        with share:
            share_menu(found.page)
