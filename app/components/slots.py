"""The row of things compared: a menu per slot with its chip and count, and Add."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from app.state import SLOT_LIMIT, Slot, keep_slots, slots_of_this_view
from data.errors import UnknownNameError, WaferlineError
from data.records import Chip

if TYPE_CHECKING:
    from data.catalogue.catalogue import Catalogue

COUNT_LIMIT = 100_000
_SERIES = re.compile(r"^(?:GeForce|Instinct|Tesla|Cloud|GroqChip/GroqCard|Radeon) (?=\S)")
_FORM = re.compile(r" (?:SXM\d?|\(.*\)|/ .*)(?=$| )")


def short_name(chip: Chip) -> str:
    """A chip's name without maker's series and form factor: "H200 SXM" -> "H200", "WSE-3 / CS-3" -> "WSE-3"."""
    text = chip.name.removeprefix(f"{chip.vendor} ")
    text = _FORM.sub("", _SERIES.sub("", text)).strip()
    return f"{chip.vendor} {text}" if text.startswith("LPU") else text


def slot_label(chip: Chip, device_count: int | None) -> str:
    """A slot in words: "8 × H200"; without a count yet "fewest × WSE-3"."""
    return f"{'fewest' if device_count is None else format(device_count, ',')} × {short_name(chip)}"


def coloured(slot: Slot, text: str) -> str:
    """Text with the slot's mark in front, as every table and menu shows it."""
    return f":{slot.colour}[●] {text}"


def read_slots(catalogue: Catalogue, default: Sequence[Slot]) -> tuple[Slot, ...]:
    """The slots of this view, by catalogue key; a link's unknown chip is left out and named, with near matches."""
    try:
        wanted = slots_of_this_view(tuple(default))
    except WaferlineError as error:
        st.warning(f"{error.sentence()} The page shows its own comparison instead.")
        return tuple(default)
    known = []
    for slot in wanted:
        try:
            chip = catalogue.chip(slot.chip)
        except UnknownNameError as error:
            st.warning(f"{error.sentence()} It is left out.")
        else:
            known.append(Slot(place=slot.place, chip=chip.key, device_count=slot.device_count))
    return tuple(known)


def _change(slots: tuple[Slot, ...], place: int) -> None:
    chip, count = st.session_state[f"slot{place}_chip"], st.session_state[f"slot{place}_count"]
    changed = Slot(place=place, chip=chip, device_count=count)
    keep_slots((*(slot for slot in slots if slot.place != place), changed))


def _remove(slots: tuple[Slot, ...], place: int) -> None:
    keep_slots(tuple(slot for slot in slots if slot.place != place))


def _add(slots: tuple[Slot, ...], chip: str) -> None:
    free = next(place for place in range(SLOT_LIMIT) if place not in {slot.place for slot in slots})
    keep_slots((*slots, Slot(place=free, chip=chip, device_count=None)))


def _slot_menu(slots: tuple[Slot, ...], slot: Slot, label: str, chips: Mapping[str, Chip]) -> None:
    keys = sorted(chips, key=lambda key: (chips[key].vendor, chips[key].name))
    # The address is the truth: the two widgets are set from it before they are drawn.
    st.session_state[f"slot{slot.place}_chip"] = slot.chip
    st.session_state[f"slot{slot.place}_count"] = slot.device_count
    with st.popover(coloured(slot, label), key=f"slot{slot.place}_menu"):
        st.selectbox(
            "Chip", keys, format_func=lambda key: f"{chips[key].vendor} {chips[key].name}", width=300,
            key=f"slot{slot.place}_chip", on_change=_change, args=(slots, slot.place),
        )  # fmt: skip
        st.number_input(
            "Devices", 1, COUNT_LIMIT, None, 1, key=f"slot{slot.place}_count", placeholder="fewest that hold it",
            help="Left empty, the count follows the model and the context.", width=300,
            on_change=_change, args=(slots, slot.place),
        )  # fmt: skip
        if len(slots) > 1:
            st.button("Remove", key=f"slot{slot.place}_remove", on_click=_remove, args=(slots, slot.place))


def slot_row(catalogue: Catalogue, slots: tuple[Slot, ...], labels: Sequence[str] | None = None) -> None:
    """Draw the slots. `labels` (one per slot, e.g. "11 × WSE-3") replace the plain ones once counts are known."""
    texts = labels or [slot_label(catalogue.chips[slot.chip], slot.device_count) for slot in slots]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for slot, text in zip(slots, texts, strict=True):
            _slot_menu(slots, slot, text, catalogue.chips)
        if len(slots) < SLOT_LIMIT:
            free = next((key for key in catalogue.chips if key not in {slot.chip for slot in slots}), slots[0].chip)
            st.button("Add", icon=":material/add:", type="tertiary", on_click=_add, args=(slots, free), key="slot_add")
