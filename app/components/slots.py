"""The row of things compared: a menu per slot with its chip and count, and Add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.study import Slot, counted
from app.components.problem import as_written, notice
from app.state import SLOT_COLOURS, SLOT_LIMIT, SlotChoice, keep_slots, slots_of_this_view
from data.catalogue.edited import edited, edits_of, figure_name, figure_text
from data.errors import WaferlineError
from data.records import Chip

if TYPE_CHECKING:
    from data.catalogue.catalogue import Catalogue

COUNT_LIMIT = 100_000
# What pages open with: a node of two GPU generations, wafers and LPUs, as many as hold the model.
OPENING: tuple[tuple[str, int | None], ...] = (("h200-sxm", 8), ("b200-sxm", 8), ("wse-3", None), ("groq-lpu-v1", None))
ADDED_FIRST = ("h100-sxm", "mi300x", "gb200", "wse-3", "tpu-v7-ironwood")  # what Add puts in, where not compared yet


def full_name(chip: Chip) -> str:
    """Maker and name, as lists show a chip."""
    return chip.name if chip.name.startswith(chip.vendor) else f"{chip.vendor} {chip.name}"


def coloured(place: int, text: str) -> str:
    """Text with the mark of slot 0 to 5 in front, as every table and menu shows it; what has no slot is grey."""
    colour = SLOT_COLOURS[place] if place < len(SLOT_COLOURS) else "gray"
    return f":{colour}[●] {text}"


def read_slots(
    catalogue: Catalogue, default: Sequence[tuple[str, int | None]] = OPENING
) -> tuple[tuple[Slot, ...], DeltaGenerator]:
    """The slots of this view, and the place of their row; `default` (chip key, count) is the page's own comparison.

    A link's unreadable part or unknown chip is left out and named, with near matches. The row is filled after the
    figure, which a person waits for.
    """
    opening = tuple(SlotChoice(place=at, chip_key=key, device_count=n) for at, (key, n) in enumerate(default))
    try:
        chosen = slots_of_this_view() or opening
    except WaferlineError as error:
        notice(f"{as_written(error.sentence())} The page shows its own comparison instead.")
        chosen = opening
    slots = _known(catalogue, chosen) or _known(catalogue, opening)
    return slots, st.container(horizontal=True, gap="small", vertical_alignment="center")


def _known(catalogue: Catalogue, chosen: Sequence[SlotChoice]) -> tuple[Slot, ...]:
    slots = []
    for choice in chosen:
        try:
            chip = edited(catalogue.chip(choice.chip_key), choice.edits)
        except WaferlineError as error:
            notice(f"{as_written(error.sentence())} It is left out.")
        else:
            slots.append(Slot(place=choice.place, chip=chip, device_count=choice.device_count))
    return tuple(slots)


def keep(slots: Sequence[Slot]) -> None:
    """Write slots into the address, edited figures with them."""
    keep_slots(
        tuple(
            SlotChoice(place=s.place, chip_key=s.chip.key, device_count=s.device_count, edits=edits_of(s.chip))
            for s in slots
        )
    )


def replace_slot(slots: Sequence[Slot], changed: Slot) -> None:
    """Write the slots into the address with one of them changed; the others keep their places and colours."""
    keep([changed if slot.place == changed.place else slot for slot in slots])


def _change(catalogue: Catalogue, slots: tuple[Slot, ...], place: int) -> None:
    """Another chip comes as the catalogue has it; another count leaves edited figures as they are."""
    chip = catalogue.chip(st.session_state[f"slot{place}_chip"])
    same = next((slot.chip for slot in slots if slot.place == place and slot.chip.key == chip.key), chip)
    replace_slot(slots, Slot(place=place, chip=same, device_count=st.session_state[f"slot{place}_count"]))


def _remove(slots: tuple[Slot, ...], place: int) -> None:
    keep([slot for slot in slots if slot.place != place])


def _add(catalogue: Catalogue, slots: tuple[Slot, ...]) -> None:
    """Put the first chip that is not compared yet into the lowest free place."""
    place = next(each for each in range(SLOT_LIMIT) if each not in {slot.place for slot in slots})
    compared = {slot.chip.key for slot in slots}
    key = next(each for each in (*ADDED_FIRST, *catalogue.chips) if each in catalogue.chips and each not in compared)
    keep([*slots, Slot(place=place, chip=catalogue.chips[key], device_count=None)])


def _slot_menu(catalogue: Catalogue, slots: tuple[Slot, ...], slot: Slot, label: str, names: Mapping[str, str]) -> None:
    key = f"slot{slot.place}"
    # The address is the truth: the two widgets are set from it before they are drawn.
    st.session_state[f"{key}_chip"] = slot.chip.key
    st.session_state[f"{key}_count"] = slot.device_count
    with st.popover(coloured(slot.place, label), key=f"{key}_menu"):
        st.selectbox(
            "Chip", list(names), width=300, format_func=names.__getitem__, key=f"{key}_chip",
            on_change=_change, args=(catalogue, slots, slot.place),
        )  # fmt: skip
        st.number_input(
            "Devices", 1, COUNT_LIMIT, None, 1, key=f"{key}_count", placeholder="fewest that hold it", width=300,
            help="Left empty, the count follows the model and the context.",
            on_change=_change, args=(catalogue, slots, slot.place),
        )  # fmt: skip
        _own_figures(catalogue, slots, slot)
        if len(slots) > 1:
            st.button("Remove", key=f"{key}_remove", on_click=_remove, args=(slots, slot.place))


def _own_figures(catalogue: Catalogue, slots: tuple[Slot, ...], slot: Slot) -> None:
    """What was edited of this chip, beside the catalogue's figure, and the way back."""
    edits = edits_of(slot.chip)
    if not edits:
        return
    shipped = catalogue.chips[slot.chip.key]
    for name, value in edits:
        before = getattr(shipped, name)
        instead = f"catalogue {figure_text(name, before)}" if before is not None else "not in the catalogue"
        st.caption(f"Edited: {figure_name(name)} {figure_text(name, value)}, {instead}")
    plain = Slot(place=slot.place, chip=shipped, device_count=slot.device_count)
    st.button(
        "Back to the catalogue's figures", key=f"slot{slot.place}_plain", on_click=replace_slot, args=(slots, plain)
    )


def slot_row(
    place: DeltaGenerator, catalogue: Catalogue, slots: tuple[Slot, ...], labels: Sequence[str] | None = None
) -> None:
    """Draw the slots. `labels` (one per slot, e.g. "11 × WSE-3") replace the plain ones once counts are known."""
    texts = labels or [counted(slot.chip, slot.device_count) for slot in slots]
    ordered = sorted(catalogue.chips.values(), key=lambda chip: (chip.vendor, chip.name))
    names = {chip.key: full_name(chip) for chip in ordered}
    with place:
        for slot, text in zip(slots, texts, strict=True):
            _slot_menu(catalogue, slots, slot, text, names)
        if len(slots) < SLOT_LIMIT:
            st.button(
                "Add", icon=":material/add:", type="tertiary", key="slot_add", on_click=_add, args=(catalogue, slots)
            )
