"""Lets a browser draw a figure before the words, tables and controls round it.

What reaches a browser together is drawn together, and a table or a row of controls takes it as long as a figure, which
a person waits for. Words and tables give the figure a head start. Controls, whose values a page needs before it has a
figure, are drawn after it too where the last run has left their values behind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

Value = TypeVar("Value")
HEAD_START_S = 0.045  # in which a browser draws a figure of a dozen marks
_UNKNOWN = object()


class _Run(threading.local):
    """What one run of the script has under way; a run has a thread of its own, which may go on with the next."""

    whole = False  # the next page is drawn for the first time or from a new address
    at_once = True
    sent_at_s = -HEAD_START_S
    row: Row | None = None

    def __init__(self) -> None:
        self.rows: list[Row] = []


class Row:
    """A row of controls that may stand empty until the figure is drawn; used as a context round its controls."""

    def __init__(self, place: DeltaGenerator) -> None:
        self.place = place
        self.waiting: list[Callable[[], None]] = []
        self.at_once = _run.at_once

    def __enter__(self) -> None:
        _run.row = self
        _run.rows.append(self)
        self.place.__enter__()

    def __exit__(self, *problem: Any) -> None:
        _run.row = None
        self.place.__exit__(*problem)

    def draw(self) -> None:
        """Draw what waits; whatever this row is asked for afterwards is drawn at once."""
        waiting, self.waiting, self.at_once = self.waiting, [], True
        if waiting:
            with self.place:
                for each in waiting:
                    each()


_run = _Run()


def whole_page() -> None:
    """Note that the page about to be drawn is new, so that nothing left behind by an earlier run counts."""
    _run.whole = True


def begin_page() -> None:
    """Start a page, whole or anew after a choice made on it."""
    _run.at_once, _run.whole = _run.whole, False
    _run.row, _run.rows = None, []


def value_of(key: str, draw: Callable[[], Value], fits: Callable[[Any], bool]) -> Value:
    """What a control stands at; the control is drawn at once, or after the figure if its row allows it.

    draw   draws the control and gives its value
    fits   whether a value that was left behind is still one that the control can have
    """
    row = _run.row
    if row is None:
        return draw()
    left: Any = _UNKNOWN if row.at_once else st.session_state.get(key, _UNKNOWN)
    if left is _UNKNOWN or not fits(left):
        row.draw()
        return draw()

    def later() -> None:
        if draw() != left:
            st.rerun(scope="fragment")

    row.waiting.append(later)
    return left  # type: ignore[no-any-return]


def figure_sent() -> None:
    """Note that a figure has just been handed over."""
    _run.sent_at_s = time.monotonic()


def give_way() -> None:
    """Wait for the rest of a figure's head start, if one has just been handed over; then draw the controls."""
    left = _run.sent_at_s + HEAD_START_S - time.monotonic()
    if left > 0:
        time.sleep(left)
    draw_controls()


def draw_controls() -> None:
    """Draw every control that waits."""
    for row in _run.rows:
        row.draw()
