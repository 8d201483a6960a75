"""Edited copies of chips: marked, sourced as the person's own, and refused where a figure cannot be."""

from __future__ import annotations

import math

import pytest

from analysis.study import short_name
from data.catalogue.catalogue import load_catalogue
from data.catalogue.edited import edited, edits_of, figure_name, figure_text, is_another_machine
from data.errors import UnknownNameError, WaferlineError

CHIP = load_catalogue().chip("h200-sxm")


def test_an_edited_chip_keeps_its_key_and_says_that_it_is_edited() -> None:
    """The datasheet's 4.8 TB/s becomes 9.6 TB/s; everything else stays."""
    chip = edited(CHIP, [("bandwidth_byte_per_s", 9.6e12)])
    assert (chip.key, chip.generation, chip.memory_byte) == (CHIP.key, CHIP.generation, CHIP.memory_byte)
    assert chip.bandwidth_byte_per_s == 9.6e12
    assert short_name(chip) == "H200 (edited)"
    fact = chip.facts["bandwidth_byte_per_s"]
    assert fact.kind == "estimate"
    assert fact.sources[0].kind == "person"
    assert fact.sources[0].title == "your own figures for H200 SXM"
    assert "4.8" in fact.note


def test_editing_twice_marks_once() -> None:
    chip = edited(edited(CHIP, [("power_w", 900.0)]), [("memory_byte", 2e11)])
    assert chip.name.count("(edited)") == 1
    assert dict(edits_of(chip)) == {"power_w": 900.0, "memory_byte": 2e11}


def test_nothing_edited_is_the_same_chip() -> None:
    assert edited(CHIP, []) is CHIP
    assert edits_of(CHIP) == ()


def test_memory_the_driver_reports_follows_in_proportion() -> None:
    """Twice the memory, twice what the driver reports of it."""
    assert CHIP.memory_byte is not None
    assert CHIP.memory_visible_byte is not None
    chip = edited(CHIP, [("memory_byte", 2 * CHIP.memory_byte)])
    assert chip.usable_memory_byte == pytest.approx(2 * CHIP.memory_visible_byte)


def test_a_price_can_be_put_in_and_makes_no_other_machine() -> None:
    wafer = load_catalogue().chip("wse-3")
    assert wafer.rental_usd_per_hour is None
    priced = edited(wafer, [("rental_usd_per_hour", 100.0)])
    assert priced.rental_usd_per_hour == 100.0
    assert priced.name == wafer.name
    assert edits_of(priced) == (("rental_usd_per_hour", 100.0),)
    assert is_another_machine(edited(priced, [("power_w", 1.0)]))
    assert not is_another_machine(priced)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan, 1e30])
def test_an_impossible_figure_is_refused(value: float) -> None:
    with pytest.raises(WaferlineError, match="not a possible figure"):
        edited(CHIP, [("memory_byte", value)])


def test_a_count_is_whole() -> None:
    with pytest.raises(WaferlineError, match="not a whole number"):
        edited(load_catalogue().chip("wse-3"), [("core_count", 900_000.5)])


def test_an_unknown_figure_shows_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="bandwidth_byte_per_s"):
        edited(CHIP, [("bandwith_byte_per_s", 1e12)])


@pytest.mark.parametrize("name", ["facts", "name", "key", "__class__", "available"])
def test_only_figures_can_be_edited(name: str) -> None:
    with pytest.raises(UnknownNameError):
        edited(CHIP, [(name, 1.0)])


def test_a_figure_said_twice_is_refused() -> None:
    with pytest.raises(WaferlineError, match="twice"):
        edited(CHIP, [("power_w", 900.0), ("power_w", 800.0)])


def test_figures_in_words() -> None:
    assert figure_name("bandwidth_byte_per_s") == "bandwidth"
    assert figure_name("peak_fp8_flop_per_s") == "peak fp8"
    assert figure_text("rental_usd_per_hour", 2.5) == "$2.50/h"
