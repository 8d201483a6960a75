"""The figures of one slot's chip as fields to type into; what is typed stands in the address and moves every page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from analysis.metrics import metric
from analysis.studies.future import NEXT_WAFER, next_wafer
from analysis.studies.rental import rental_of
from analysis.study import Slot, Study
from app.components.controls import NARROW, pick
from app.components.slots import keep, replace_slot
from app.components.tables import Column, table
from app.state import SLOT_LIMIT
from data.catalogue.catalogue import Catalogue
from data.catalogue.chip_files import FIELD_UNITS
from data.catalogue.edited import edited, edits_of
from data.errors import WaferlineError
from data.records import Chip
from data.units import unit_label

# Fields offered: what the pages compute with. The last ones also where the catalogue has no figure.
EDITABLE = (
    ("memory_byte", "Memory"), ("bandwidth_byte_per_s", "Bandwidth"),
    ("link_bandwidth_byte_per_s", "Link, one way"),
    ("peak_bf16_flop_per_s", "BF16 peak"), ("peak_fp16_flop_per_s", "FP16 peak"), ("peak_fp8_flop_per_s", "FP8 peak"),
    ("peak_fp4_flop_per_s", "FP4 peak"), ("core_count", "Cores"), ("power_w", "Power"), ("price_usd", "Purchase"),
    ("rental_usd_per_hour", "Rental"),
)  # fmt: skip
ALWAYS = frozenset({"memory_byte", "bandwidth_byte_per_s", "power_w", "price_usd", "rental_usd_per_hour"})
PREFIXED = {"byte": 1e9, "byte/s": 1e12, "flop/s": 1e12}  # scale offered where the catalogue has no figure
PREFIXES = {1.0: "", 1e3: "k", 1e6: "M", 1e9: "G", 1e12: "T", 1e15: "P", 1e18: "E"}
WIDTH = 156


def pick_slot(slots: Sequence[Slot]) -> Slot:
    """The slot whose chip is edited, by its number; the first one where the address names none."""
    places = [slot.place for slot in slots]
    place = pick(
        "Chip of slot", places, key="edit", default=places[0], name=lambda each: str(each + 1), width=NARROW,
        help="Which of the chips compared is edited and looked into.",
    )  # fmt: skip
    return next(slot for slot in slots if slot.place == place)


def figures_table(study: Study) -> None:
    """Every figure, what the effect becomes with less and with more of it, and what stands beside."""
    shown = metric(str(study.marks["effect"])).format
    step = f"{100 * float(str(study.marks['step'])):.3g} %"
    columns = (
        Column(name="figure", header="Figure"),
        Column(name="value", header="as it stands"),
        Column(name="less", header=f"{step} less", shown=shown),
        Column(name="more", header=f"{step} more", shown=shown, strong=True),
        Column(name="verdict", header="Note"),
    )
    table(study.table, columns, alt=study.question, muted=study.table["verdict"])


def editor(catalogue: Catalogue, slots: Sequence[Slot], slot: Slot) -> None:
    """One field a figure, each in the unit its size calls for; emptied, it goes back to the catalogue's figure."""
    shipped = catalogue.chips[slot.chip.key]
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        listed = rental_of(shipped, catalogue.prices)
        for name, label in EDITABLE:
            hint = f"{listed.usd_per_hour:.3g} listed" if listed and name == "rental_usd_per_hour" else "not known"
            if getattr(slot.chip, name) is not None or getattr(shipped, name) is not None or name in ALWAYS:
                _field(slots, slot, shipped, name, label, hint)
        st.button(
            "Put in a hypothetical next wafer", key="next_wafer", on_click=_add_next_wafer, args=(catalogue, slots),
            help="A WSE-3 with twice the memory, bandwidth and peak on the same cores and power. Nobody announced it.",
        )  # fmt: skip


def _field(slots: Sequence[Slot], slot: Slot, shipped: Chip, name: str, label: str, hint: str) -> None:
    value, plain = getattr(slot.chip, name), getattr(shipped, name)
    scale = _scale(name, plain if plain is not None else value)
    key = f"figure{slot.place}_{slot.chip.key}_{name}"
    # The address is the truth: the field is set from it before it is drawn.
    st.session_state[key] = None if value is None else float(value) / scale
    st.number_input(
        f"{label}, {PREFIXES[scale]}{unit_label(FIELD_UNITS[name]) or 'in all'}", min_value=0.0, value=None,
        step=_step(st.session_state[key]), format="%.6g", key=key, width=WIDTH, placeholder=hint,
        help=None if plain is None else f"The catalogue says {plain / scale:,.6g}.",
        on_change=_typed, args=(slots, slot, shipped, name, scale, key),
    )  # fmt: skip


def _scale(name: str, value: float | None) -> float:
    """The power of a thousand in which a figure has one to four digits before the point."""
    unit = FIELD_UNITS[name]
    if unit not in PREFIXED:
        return 1.0
    if value is None:
        return PREFIXED[unit]
    return float(min(max(1000.0 ** math.floor(math.log10(value) / 3), 1.0), max(PREFIXES)))


def _step(shown: float | None) -> float:
    """A tenth of the figure's leading digit."""
    return 1.0 if not shown else 10.0 ** (math.floor(math.log10(shown)) - 1)


def _typed(slots: Sequence[Slot], slot: Slot, shipped: Chip, name: str, scale: float, key: str) -> None:
    """Take what was typed into the address; an emptied field, or the catalogue's own figure, takes the edit back."""
    typed, before = st.session_state[key], getattr(shipped, name)
    edits = dict(edits_of(slot.chip))
    edits.pop(name, None)
    if typed is not None and not (before is not None and math.isclose(typed * scale, before)):
        edits[name] = float(round(typed)) if FIELD_UNITS[name] == "1" else typed * scale
    try:
        replace_slot(slots, replace(slot, chip=edited(shipped, list(edits.items()))))
    except WaferlineError as error:
        st.toast(error.sentence())


def _add_next_wafer(catalogue: Catalogue, slots: Sequence[Slot]) -> None:
    """Put the example into the first free place, or the last one, and open it for editing."""
    taken = {slot.place for slot in slots}
    place = next((each for each in range(SLOT_LIMIT) if each not in taken), SLOT_LIMIT - 1)
    chip = next_wafer(catalogue.chips[NEXT_WAFER[0]])
    keep([*(slot for slot in slots if slot.place != place), Slot(place=place, chip=chip, device_count=None)])
    st.session_state["edit"] = place
