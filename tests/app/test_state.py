"""Choices and the address they stand in: what is written is read back, and what cannot be read says so."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components.controls import CONTEXTS
from app.state import SLOT_LIMIT, SlotChoice, slots_as_text, slots_from_text, token_label
from data.catalogue.chip_files import FIELD_UNITS
from data.errors import WaferlineError

KEYS = st.sampled_from(["h200-sxm", "wse-3", "groq-lpu-v1", "tpu-v7-ironwood"])
FIELDS = st.sampled_from(sorted(FIELD_UNITS))
VALUES = st.floats(1e-12, 1e24, allow_nan=False)
EDITS = st.lists(st.tuples(FIELDS, VALUES), max_size=4)
COUNTS = st.one_of(st.none(), st.integers(1, 100_000))


@st.composite
def chosen(draw: st.DrawFn) -> tuple[SlotChoice, ...]:
    """Slots at any places, rising."""
    places = sorted(draw(st.sets(st.integers(0, SLOT_LIMIT - 1), min_size=1)))
    return tuple(
        SlotChoice(place=place, chip_key=draw(KEYS), device_count=draw(COUNTS), edits=tuple(draw(EDITS)))
        for place in places
    )


@given(chosen())
def test_slots_survive_the_address(slots: tuple[SlotChoice, ...]) -> None:
    assert slots_from_text(slots_as_text(slots)) == slots


def test_a_removed_slot_leaves_the_others_their_colours() -> None:
    """Slots 1 and 3 of three: the middle one was removed."""
    slots = slots_from_text("8.h200-sxm__fit.wse-3")
    assert [(slot.place, slot.chip_key, slot.device_count) for slot in slots] == [
        (0, "h200-sxm", 8),
        (2, "wse-3", None),
    ]


@pytest.mark.parametrize(
    "text", ["h200-sxm", "0.h200-sxm", "-3.h200-sxm", "8.", "1e9.wse-3", "²3.wse-3", "999999.wse-3"]
)
def test_an_unreadable_slot_is_named(text: str) -> None:
    with pytest.raises(WaferlineError, match="slots"):
        slots_from_text(text)


def test_edited_figures_stand_behind_the_chip() -> None:
    """SI numbers in their shortest form: 200 GB is 2e11 B."""
    slot = SlotChoice(place=0, chip_key="h200-sxm", device_count=8, edits=(("memory_byte", 2e11), ("power_w", 950.0)))
    assert slots_as_text((slot,)) == "8.h200-sxm*memory_byte=2e11*power_w=950"
    assert slots_from_text("8.h200-sxm*memory_byte=200000000000*power_w=950_fit.wse-3")[0] == slot


@pytest.mark.parametrize(
    "edit",
    ["memory_byte", "memory_byte=", "memory_byte=nan", "memory_byte=-1", "memory_byte=1e999", "memory_byte=0x10",
     "=1", "a b=1", "memory_byte=²", "**", "x" * 70 + "=1", "memory_byte=" + "9" * 40, "memory_byte=1e11;drop"],
)  # fmt: skip
def test_an_unreadable_edit_is_named(edit: str) -> None:
    with pytest.raises(WaferlineError, match="edited figure"):
        slots_from_text(f"8.h200-sxm*{edit}_8.b200-sxm")


@given(st.text(max_size=200))
def test_any_text_gives_slots_or_our_own_error(text: str) -> None:
    with contextlib.suppress(WaferlineError):
        slots_from_text(text)


def test_context_labels_are_short_and_distinct() -> None:
    """8,192 is 8 x 1,024; 200,000 is no multiple of 1,024; 1,048,576 is 1,024 x 1,024."""
    labels = [token_label(tokens) for tokens in CONTEXTS]
    assert len(set(labels)) == len(labels)
    assert token_label(8192) == "8K"
    assert token_label(200_000) == "200K"
    assert token_label(1_048_576) == "1M"
    assert token_label(512) == "512"
