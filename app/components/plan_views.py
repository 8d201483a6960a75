"""Choices and the table of the plan search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from analysis.figures.plan_search import drawn
from analysis.studies.plan_grid import servers
from analysis.studies.plan_search import AGAINST, Wanted
from analysis.studies.plan_words import NOTHING_SERVES
from analysis.study import Slot, Study
from app.components.controls import WIDE, pick, pick_target
from app.components.launch_view import show_launch
from app.components.slots import coloured
from app.components.small_figures import frame_of
from app.components.tables import Column, table, three_digits, unbroken, whole
from data.catalogue.catalogue import Catalogue
from data.records import Chip

EIGHT, SIXTEEN = (("fp8", "fp8"),), (("bf16", "bf16"),)
FORMATS = {
    "8 bits or more": EIGHT + SIXTEEN,
    "16 bits": SIXTEEN,
    "4 bits or more": (("nvfp4", "fp8"), ("int4", "fp8"), *EIGHT, *SIXTEEN),
}
LACKS = (
    "The last four columns say what alone would lift a plan to the target: drafts that make so many tokens of one, "
    "fewer bits, less context, more bandwidth; or what it comes to: “512: 400” is 400 tok/s at a context of 512 tokens."
)
ALL, SLOTS = "all on sale", "the slots below"
COLUMNS = (
    Column(name="marked", header="Best of each family"),
    Column(name="split", header="Split"),
    Column(name="binds", header="Binds"),
    Column(name="users", header="users", shown=whole),
    Column(name="tokens_per_s_per_user", header="tok/s, user", shown=three_digits, strong=True),
    Column(name="output_tokens_per_s_per_device", header="tok/s, device", shown=three_digits),
    Column(name="cost_usd_per_million_tokens", header="USD/Mtok", shown=three_digits),
)
LACKING = (
    Column(name="accepted_tokens_per_step", header="drafts, ×", shown=three_digits),
    Column(name="with_bits", header="fewer bits"),
    Column(name="with_context", header="less context"),
    Column(name="with_bandwidth", header="bandwidth"),
)


@dataclass(frozen=True, kw_only=True)
class Search:
    """What the page searches: everything on sale or the slots' chips, and for what."""

    everything: bool
    wanted: Wanted

    def chips(self, catalogue: Catalogue, slots: Sequence[Slot]) -> list[Chip]:
        """The chips searched, those of the slots with the figures that the slots carry."""
        own = {slot.chip.key: slot.chip for slot in slots}
        if not self.everything:
            return list(own.values())
        return [*own.values(), *(chip for chip in servers(catalogue.chips.values()) if chip.key not in own)]


def pick_search() -> Search:
    """Target, formats, machines and what the best plan makes most of."""
    target = pick_target()
    formats = pick("Formats", list(FORMATS), key="formats", default="8 bits or more",
                   help="Weights of 8 bits come with a cache of 8 bits, weights of 4 bits too.")  # fmt: skip
    machines = pick("Machines", (ALL, SLOTS), key="machines", default=ALL)
    against = pick("Best by", list(AGAINST), key="best", default="tokens per joule")
    wanted = Wanted(target_token_per_s=target, against=AGAINST[against], formats=FORMATS[formats])
    return Search(everything=machines == ALL, wanted=wanted)


def table_of_families(study: Study, slots: Sequence[Slot]) -> None:
    """The best plan of every family, chips of the slots behind their mark."""
    places = places_of(slots)
    beaten = int((~frame_of(study, "plans")["frontier"]).sum()) if len(frame_of(study, "plans")) else 0
    if drawn(beaten) < beaten:
        st.caption(f"{drawn(beaten):,} of the {beaten:,} beaten plans are drawn; the download holds all.")
    rows = study.table
    marks = [
        coloured(places[key], unbroken(name)) if key in places else unbroken(name)
        for key, name in zip(rows["chip_key"], rows["name"], strict=True)
    ]
    split = rows["spread"].str.cat(rows["weights"].str.upper(), sep=", ").str.strip(", ")
    columns = COLUMNS + (LACKING if rows["accepted_tokens_per_step"].notna().any() else ())
    if len(columns) > len(COLUMNS):
        st.caption(LACKS)
    quiet = ("no gain", NOTHING_SERVES)
    table(rows.assign(marked=marks, split=split), columns, alt=study.question, muted=quiet)


def places_of(slots: Sequence[Slot]) -> dict[str, int]:
    """Slot of every chip that is in one."""
    return {slot.chip.key: slot.place for slot in reversed(slots)}


def start_of_plans(study: Study) -> None:
    """How one of the best plans is started; opens on the answer's, or the next that has a command."""
    found, winner = study.marks["launches"], study.marks["winner"]
    if not isinstance(found, dict) or not isinstance(winner, dict):
        return
    named = f"{winner['name']}, {winner['users']} at once"
    ordered = sorted(found, key=lambda name: name != named)
    opening = next((name for name in ordered if any(not each.refusal for each in found[name])), ordered[0])
    chosen = pick("Start", ordered, key="start", default=opening, width=2 * WIDE)
    show_launch(found[chosen], title=f"Start {chosen}", key="plans")
