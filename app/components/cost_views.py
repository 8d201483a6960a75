"""What the pages on cost, energy and ownership ask in common: a request, goals to start from, and prices to choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pandas as pd
import streamlit as st

from analysis.metrics import metric
from analysis.studies.rental import OWN, RENTAL_UNIT, offer_words, offers_of, rental_of
from analysis.studies.requests import PRESETS, Preset, Request
from analysis.study import Slot, Study, short_name
from app.components import controls as ask
from app.components.request_controls import Start, pick_answer, pick_cached, start_from
from app.components.slots import coloured, replace_slot
from app.components.tables import Column, metric_column, percent, three_digits
from app.state import share_label, token_label
from data.catalogue.catalogue import Catalogue
from data.catalogue.edited import edited, edits_of
from data.records import Price

THINKING = (0, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
LENGTH_WIDTH = 140
CACHED_WORDS = "Share of the prompt found in a prefix cache: free on a machine of one's own, a tenth in price lists."
SAVINGS = (0.1, 0.25, 0.5, 0.75)
USERS = 32  # a machine kept for one user alone is nobody's price
MEDIAN, TYPED = -1, -2


def hours_needed(share: float) -> str:
    """Share of all hours, %; more hours than there are say that no use reaches it."""
    return "over 100" if share > 1 else percent(share)


COLUMNS = (
    metric_column("blended_usd_per_million_tokens", "the mix", strong=True),
    metric_column("input_usd_per_million_tokens", "input"),
    metric_column("output_usd_per_million_tokens", "output"),
    metric_column("tokens_per_s_per_user", "per user"),
    Column(name="reaches", header="Fast enough"),
    metric_column("time_to_answer_s", "whole answer"),
    metric_column("output_tokens_per_s", "tok/s in all"),
    metric_column("device_usd_per_hour", "a device"),
    metric_column("break_even_usd_per_hour", "break-even"),
    Column(name="occupancy_needed_fraction", header="hours needed, %", shown=hours_needed),
    Column(name="price_after", header="Price after"),
)


ENERGY_COLUMNS = (
    metric_column("energy_j_per_token", "energy", strong=True),
    Column(name="idle_energy_fraction", header="idling, %", shown=percent),
    metric_column("energy_of_million_tokens", "a million"),
    Column(name="output_tokens_per_s", header="tok/s in all"),
    metric_column("serving_power_w", "draws serving"),
    metric_column("idle_power_w", "idle"),
    metric_column("rated_power_w", "rated"),
    metric_column("floor_j_per_token", "floor"),
    Column(name="over_floor", header="× floor", shown=three_digits),
    Column(name="basis", header="Power after"),
)
MEASURED_TITLE = "Measured energies against their prediction, the source of each left out of the fit"


def presets() -> None:
    """Goals to start from; each fills the controls below and leaves model, formats and machines alone."""
    start_from({name: _start(preset) for name, preset in PRESETS.items()}, key="preset")


def _start(preset: Preset) -> Start:
    words = (
        f"{token_label(preset.context_tokens)} in, {token_label(preset.thinking_tokens)} thinking, "
        f"{token_label(preset.answer_tokens)} out, {preset.users} at once, {preset.target_tokens_per_s} tok/s "
        f"per user wanted, busy {share_label(preset.duty_fraction)}"
    )
    sets = {
        "context": preset.context_tokens, "thinking": preset.thinking_tokens, "answer": preset.answer_tokens,
        "users": preset.users, "target": preset.target_tokens_per_s, "busy": preset.duty_fraction,
    }  # fmt: skip
    return Start(words=words, sets=sets)


def pick_request(*, cached: bool = True) -> Request:
    """Thinking, answer, cached share of the prompt, and the share of hours that the machines serve."""
    return Request(
        thinking_tokens=ask.slide(
            "Thinking, tokens", THINKING, key="thinking", default=0, name=token_label, width=LENGTH_WIDTH
        ),
        answer_tokens=pick_answer(width=LENGTH_WIDTH),
        cached_fraction=pick_cached(words=CACHED_WORDS) if cached else 0.0,
        duty_fraction=ask.pick_duty(),
    )


def pick_saving() -> float:
    """How much cheaper than the first slot the others shall be."""
    return ask.pick("Cheaper by", SAVINGS, key="saving", default=0.5, name=share_label, width=ask.NARROW,
                    help="Than the first slot: sets the break-even price of the others.")  # fmt: skip


def price_editor(catalogue: Catalogue, slots: Sequence[Slot], prices: Sequence[Price]) -> None:
    """A rental price a slot: the middle of the dated ones, one of them, or a figure typed in; it stays in the slot."""
    with st.expander("Prices of an hour", type="compact", key="prices", expanded=False):
        for slot in slots:
            with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                _one_price(catalogue, slots, slot, prices)


def _one_price(catalogue: Catalogue, slots: Sequence[Slot], slot: Slot, prices: Sequence[Price]) -> None:
    offers, rental = offers_of(slot.chip, prices, RENTAL_UNIT), rental_of(slot.chip, prices)
    own = dict(edits_of(slot.chip)).get(OWN)
    chosen = MEDIAN if own is None else TYPED
    if rental is not None and rental.offer is not None:
        chosen = offers.index(rental.offer)
    options = [MEDIAN, *range(len(offers)), *([TYPED] if chosen == TYPED else [])]
    names = {MEDIAN: _middle(catalogue, slot, prices), TYPED: "typed in"}
    names |= {at: f"{_money(each.amount)}, {offer_words(each)}" for at, each in enumerate(offers)}
    key = f"price{slot.place}_{slot.chip.key}"
    st.session_state[f"{key}_choice"], st.session_state[f"{key}_typed"] = chosen, rental and rental.usd_per_hour
    st.selectbox(
        coloured(slot.place, short_name(slot.chip)), options, format_func=names.__getitem__, key=f"{key}_choice",
        width=440, on_change=_choose, args=(catalogue, slots, slot, offers, f"{key}_choice"),
    )  # fmt: skip
    st.number_input(
        "$ a device and hour", min_value=0.0, value=None, step=0.1, format="%.4g", key=f"{key}_typed", width=168,
        placeholder="nobody prints one", on_change=_type, args=(catalogue, slots, slot, f"{key}_typed"),
    )  # fmt: skip


def _middle(catalogue: Catalogue, slot: Slot, prices: Sequence[Price]) -> str:
    """What the catalogue's own answer is: the median of on-demand prices, or that there is none."""
    rental = rental_of(catalogue.chips[slot.chip.key], prices)
    return "nobody prints a price" if rental is None else f"{_money(rental.usd_per_hour)}, {rental.firmness()}"


def _money(value: float) -> str:
    return metric("device_usd_per_hour").format(value).split("/")[0]


def _put(catalogue: Catalogue, slots: Sequence[Slot], slot: Slot, price: float | None) -> None:
    """The slot with this rental price, or with none of its own."""
    edits = dict(edits_of(slot.chip))
    edits.pop(OWN, None)
    if price:
        edits[OWN] = float(price)
    replace_slot(slots, replace(slot, chip=edited(catalogue.chips[slot.chip.key], list(edits.items()))))


def _choose(catalogue: Catalogue, slots: Sequence[Slot], slot: Slot, offers: Sequence[Price], key: str) -> None:
    chosen = st.session_state[key]
    if chosen != TYPED:
        _put(catalogue, slots, slot, None if chosen == MEDIAN else offers[chosen].amount)


def _type(catalogue: Catalogue, slots: Sequence[Slot], slot: Slot, key: str) -> None:
    _put(catalogue, slots, slot, st.session_state[key])


def price_lists(study: Study) -> pd.DataFrame:
    """What providers ask, for download."""
    return cast(pd.DataFrame, study.marks["published"])


def energy_points(study: Study) -> pd.DataFrame:
    """Measured energies beside their prediction."""
    return cast(pd.DataFrame, study.marks["points"])


def break_even_title(study: Study) -> str:
    """Words above the second figure."""
    saving, curves = share_label(float(str(study.marks["saving"]))), cast(pd.DataFrame, study.marks["break_even"])
    if curves.empty:
        return f"No break-even price: {study.table['slot'].iloc[0]}, the first, has no cost to undercut"
    return f"{saving} cheaper than {study.table['slot'].iloc[0]}: what a device may cost an hour"
