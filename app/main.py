"""The frame around every page: settings, navigation, and what is shown when a page fails."""

from __future__ import annotations

import gc
import importlib

import streamlit as st

from app.components.card import theme
from app.components.navigation import FAVICON, address_of_this_view, navigation_row
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


@st.cache_resource(show_spinner=False)
def loaded_pages() -> tuple[FoundPage, ...]:
    """All pages, with every library behind them loaded once and set aside from garbage collection."""
    stay_on_this_machine()
    pages = find_pages()
    for name in LOADED_EARLY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    return pages


def draw(found: FoundPage) -> None:
    """The page, or what went wrong with it, in words."""
    try:
        found.render()
    except WaferlineError as error:
        show_problem(error)
    except Exception as error:  # noqa: BLE001 - the last net: logged in full, told in one sentence
        show_fault(error)


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
        clear_downloads()
        begin_exhibit(found.page.key, found.page.title, theme())
        draw(found)
        end_exhibit(address_of_this_view())
        with share:
            share_menu(found.page)
