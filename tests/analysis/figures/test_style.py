"""Ticks, ends of axes and inks."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.figures.marks import apart
from analysis.figures.style import (
    SLOT_COLOURS,
    faded,
    ink,
    linear_axis,
    log_axis,
    log_ticks,
    next_step,
    tick_text,
    vendor_marker,
)


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (500, "500"), (1000, "1k"), (2e3, "2k"), (5e12, "5T"), (1e15, "1P"), (20, "20")]
)
def test_ticks_as_people_write_them(value: float, text: str) -> None:
    assert tick_text(value) == text


@given(st.floats(1e-6, 1e15), st.floats(1.1, 1e12))
def test_log_ticks_stay_inside_and_are_steps(low: float, ratio: float) -> None:
    values, texts = log_ticks(low, low * ratio)
    assert len(values) == len(texts) <= 14
    for value in values:
        assert low * (1 - 1e-6) <= value <= low * ratio * (1 + 1e-6)
        assert round(value / 10 ** math.floor(math.log10(value) + 1e-9), 6) in (1, 2, 5)


@given(st.floats(1e-6, 1e15))
def test_next_step_is_next(value: float) -> None:
    assert value * (1 - 1e-9) <= next_step(value) <= 2.5 * value * (1 + 1e-9)


def test_titles_say_log() -> None:
    axis = log_axis("tokens/s per user (tok/s) →", 10, 5000, ink("light"))
    assert axis["title"]["text"] == "tokens/s per user (tok/s, log) →"
    assert axis["range"] == [1, math.log10(5000)]
    assert log_axis("devices →", 1, 10, ink("light"))["title"]["text"] == "devices (log) →"


def test_linear_axis_starts_at_zero() -> None:
    axis = linear_axis("memory (GB)", 44e9, ink("dark"), scale=1e9)
    assert axis["range"][0] == 0
    assert axis["ticktext"] == ["0", "10", "20", "30", "40"]


def test_unknown_theme_and_vendor_have_a_default() -> None:
    assert ink(None) == ink("light") != ink("dark")
    assert vendor_marker("NVIDIA", hollow=True) == "circle-open"
    assert vendor_marker("somebody") == "cross"
    assert faded(SLOT_COLOURS[0], 0.5) == "rgba(30,151,243,0.5)"


@given(st.lists(st.floats(0, 500), min_size=1, max_size=8))
def test_labels_do_not_touch(positions: list[float]) -> None:
    placed = sorted(apart(positions, 15))
    assert all(after - before >= 15 - 1e-9 for before, after in pairwise(placed))
