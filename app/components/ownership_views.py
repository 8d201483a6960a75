"""What the page on renting and owning asks: the terms of owning, and a purchase price a slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from analysis.studies.ownership import Terms
from analysis.studies.rental import OWN_PURCHASE, purchase_of
from analysis.study import Slot, short_name
from app.components import controls as ask
from app.components.slots import coloured, replace_slot
from app.components.tables import Column, metric_column, percent, three_digits
from app.state import share_label
from data.catalogue.catalogue import Catalogue
from data.catalogue.edited import edited, edits_of
from data.records import Price

YEARS, PUES, UPKEEP, AROUND = (
    (2, 3, 4, 5, 6),
    (1.0, 1.1, 1.2, 1.3, 1.5, 1.8),
    (0.0, 0.02, 0.05, 0.1),
    (1.0, 1.2, 1.4, 1.6),
)
COLUMNS = (
    metric_column("owning_usd_per_hour", "own, hour", strong=True),
    metric_column("renting_usd_per_hour", "rent, hour", strong=True),
    metric_column("owning_usd_per_million_tokens", "own, tokens"),
    metric_column("renting_usd_per_million_tokens", "rent, tokens"),
    metric_column("purchase_usd", "purchase"),
    metric_column("power_usd_per_hour", "of it power"),
    Column(name="pay_back_months", header="months to pay back", shown=three_digits),
    Column(name="break_even_use_fraction", header="own above, % used", shown=percent),
)
MONTHS_TITLE = "Spent month by month, owned (solid) and rented (dotted)"


def pick_terms() -> Terms:
    """Years, energy, cooling, upkeep and what stands round a device; each assumed until changed."""
    return Terms(
        years=float(ask.pick("Years", YEARS, key="years", default=4, name=str, width=ask.NARROW)),
        usd_per_kwh=ask.number("Energy, $ a kWh", key="kwh", default=0.1, low=0.0, high=2.0, step=0.01, width=132),
        facility_factor=ask.pick("PUE", PUES, key="pue", default=1.3, name=str, width=ask.NARROW,
                                 help="Power of the building over that of its machines, cooling included."),
        upkeep_fraction=ask.pick("Upkeep a year", UPKEEP, key="upkeep", default=0.05, name=share_label, width=132,
                                 help="Repair, space, network and people, over the purchase. Assumed."),
        around_factor=ask.pick("Server × devices", AROUND, key="around", default=1.4, name=str, width=132,
                               help="Price of whole servers and their network over that of their devices. Assumed; "
                               "1 for machines sold whole."),
    )  # fmt: skip


def purchase_editor(catalogue: Catalogue, slots: Sequence[Slot], prices: Sequence[Price]) -> None:
    """A purchase price of one device a slot; emptied, it goes back to the dated ones."""
    row = st.expander("Purchase prices of a device", type="compact", key="purchases").container(horizontal=True)
    for slot in slots:
        found, key = purchase_of(slot.chip, prices), f"buy{slot.place}_{slot.chip.key}"
        st.session_state[key] = None if found is None else found.usd
        row.number_input(
            f"{coloured(slot.place, short_name(slot.chip))}, $", min_value=0.0, value=None, step=500.0, format="%.6g",
            key=key, width=196, placeholder="no price known", help=None if found is None else found.firmness,
            on_change=_bought, args=(catalogue, slots, slot, key),
        )  # fmt: skip


def _bought(catalogue: Catalogue, slots: Sequence[Slot], slot: Slot, key: str) -> None:
    price = st.session_state[key]
    edits = dict(edits_of(slot.chip))
    edits.pop(OWN_PURCHASE, None)
    if price:
        edits[OWN_PURCHASE] = float(price)
    replace_slot(slots, replace(slot, chip=edited(catalogue.chips[slot.chip.key], list(edits.items()))))
