"""What one page showed: its study, figures and tables, kept while the page is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from analysis.study import Study

_KEPT = "_exhibits"
_CURRENT = "_exhibit"


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """A table as the screen prints it: headers, rows of text, and which columns hold figures."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """One page as it was shown.

    drawings  plain plotly figures by key, each with the sentence that says what it shows
    tables    by what they say and their headers; written out when they are read
    studies   by key; each brings its arithmetic, assumptions and sources
    address   that opens the same view
    failure   why the page could not be drawn, empty where it was
    """

    page: str
    title: str
    address: str = ""
    failure: str = ""
    theme: str = "light"
    drawings: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    tables: dict[tuple[str, ...], Callable[[], ShownTable]] = field(default_factory=dict)
    studies: dict[str, Study] = field(default_factory=dict)


def begin_exhibit(page: str, title: str, theme: str) -> None:
    """Start keeping a page anew; what was kept of other pages stays for the length of the visit."""
    st.session_state[_CURRENT] = page
    _all()[page] = Exhibit(page=page, title=title, theme=theme)


def end_exhibit(address: str) -> None:
    """Note the address of the view once every widget has written itself into it."""
    if current := _current():
        _all()[current.page] = replace(current, address=address)


def keep_drawing(key: str, drawing: dict[str, Any], alt: str) -> None:
    """Keep a figure of the page being drawn; drawn again, it replaces itself."""
    if current := _current():
        current.drawings[key] = (drawing, alt)


def keep_table(title: str, headers: tuple[str, ...], written: Callable[[], ShownTable]) -> None:
    """Keep a table of the page being drawn; `written` gives its texts once a report is made."""
    if current := _current():
        current.tables[title, *headers] = written


def keep_study(key: str, study: Study) -> None:
    """Keep the study behind the page being drawn."""
    if current := _current():
        current.studies[key] = study


def keep_failure(text: str) -> None:
    """Keep why the page being drawn could not be."""
    if current := _current():
        _all()[current.page] = replace(current, failure=text)


def failure_of(state: Any, page: str) -> str:
    """Why a page of a visit could not be drawn; empty where it was."""
    kept: dict[str, Exhibit] = state[_KEPT] if _KEPT in state else {}  # noqa: SIM401 - a tester's state has no get
    return kept[page].failure if page in kept else ""


def exhibits_of(state: Any) -> tuple[Exhibit, ...]:
    """Every page of a visit that showed a study, in the order in which they were first opened."""
    kept: dict[str, Exhibit] = state[_KEPT] if _KEPT in state else {}  # noqa: SIM401 - a tester's state has no get
    return tuple(each for each in kept.values() if each.studies)


def _all() -> dict[str, Exhibit]:
    kept: dict[str, Exhibit] = st.session_state.setdefault(_KEPT, {})
    return kept


def _current() -> Exhibit | None:
    return _all().get(st.session_state.get(_CURRENT, ""))
