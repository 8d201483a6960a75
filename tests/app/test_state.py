"""Choices and the address they stand in: what is written is read back, and what cannot be read says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.components.controls import CONTEXTS
from app.state import SLOT_LIMIT, SlotChoice, slots_as_text, slots_from_text, token_label
from data.errors import WaferlineError

KEYS = st.sampled_from(["h200-sxm", "wse-3", "groq-lpu-v1", "tpu-v7-ironwood"])
COUNTS = st.one_of(st.none(), st.integers(1, 100_000))


@st.composite
def chosen(draw: st.DrawFn) -> tuple[SlotChoice, ...]:
    """Slots at any places, rising."""
    places = sorted(draw(st.sets(st.integers(0, SLOT_LIMIT - 1), min_size=1)))
    return tuple(SlotChoice(place=place, chip_key=draw(KEYS), device_count=draw(COUNTS)) for place in places)


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


def test_context_labels_are_short_and_distinct() -> None:
    """8,192 is 8 x 1,024; 200,000 is no multiple of 1,024; 1,048,576 is 1,024 x 1,024."""
    labels = [token_label(tokens) for tokens in CONTEXTS]
    assert len(set(labels)) == len(labels)
    assert token_label(8192) == "8K"
    assert token_label(200_000) == "200K"
    assert token_label(1_048_576) == "1M"
    assert token_label(512) == "512"
