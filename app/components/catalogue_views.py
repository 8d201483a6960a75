"""The parts of the Catalogue page: the lists with the record that is open, and entries of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from analysis.catalogue_check import count_sentence
from app import own_entries
from app.components import own_views
from app.components.card import source_line
from app.components.chip_form import chip_form, example, model_form
from app.components.controls import controls_row, pick, search
from app.components.long_list import long_list
from app.components.records import (
    chip_list,
    disagreements,
    facts_table,
    model_counts,
    model_list,
    price_table,
    record_sources,
)
from app.components.slots import full_name
from app.components.tables import Column, table, three_digits
from app.state import offer_download
from data.catalogue.catalogue import Catalogue
from data.own.entries import KINDS
from data.records import Chip, Conflict
from data.sources import Fact, Source

FACT_COLUMNS = tuple(
    Column(name=name, header=name) for name in ("Field", "Value", "How", "Source", "Place in it", "Note")
)
COUNT_COLUMNS = tuple(Column(name=name, header=name) for name in ("Derived from the dimensions", "Value", "Exactly"))
DISAGREEING = (
    *(Column(name=name, header=name) for name in ("Field", "Chosen", "But")),
    Column(name="Apart, %", header="Apart, %", shown=three_digits),
    *(Column(name=name, header=name) for name in ("Says", "From", "Note")),
)
PRICE_COLUMNS = tuple(
    Column(name=name, header=name) for name in ("Amount", "Per", "Provider", "Date", "Source", "Note")
)
FIGURES = {"Parameters, billion": "%.3g", "Read per token, billion": "%.3g", "KV per token, kB": "%.1f"}
NEWEST = 12  # prices shown; the others are in the download


def _having(words: str, texts: Sequence[str]) -> list[int]:
    wanted = words.lower().split()
    return [at for at, text in enumerate(texts) if all(word in text.lower() for word in wanted)]


def browse_chips(catalogue: Catalogue) -> None:
    """List of chips with a filter, then one chip: figures with sources, disagreements, prices."""
    ordered = sorted(catalogue.chips.values(), key=lambda each: (each.vendor.lower(), each.name.lower()))
    opening = next((each for each in ordered if each.key == "h200-sxm"), ordered[0])
    with controls_row():
        words = search("Filter the list", key="find", hint="wafer, HBM3e, Apple, own")
        chip = pick("Open", ordered, key="chip", default=opening, name=full_name, width=300)
    texts = [f"{each.key} {full_name(each)} {each.kind} {each.generation} {each.memory_type}" for each in ordered]
    found = [ordered[at] for at in _having(words, texts)]
    frame = chip_list(found)
    long_list(frame, key="chip_list", opens=found, into="chip",
              alt="Chips with memory, bandwidth, peaks, power and how firm the figures are")  # fmt: skip
    offer_download("chips", lambda: frame)
    _open_chip(catalogue, chip)


def _open_chip(catalogue: Catalogue, chip: Chip) -> None:
    st.header(full_name(chip), anchor=False)
    firmness = f"{chip.status}, {chip.confidence} confidence, sources {chip.source_check or 'not checked'}"
    checked = f", checked {chip.audited}" if chip.audited else ""
    st.caption(f"{firmness}{checked}. {chip.note}")
    table(facts_table(chip.facts, {}), FACT_COLUMNS, alt=f"Figures of {chip.name} with their sources")
    _disagreements(chip.facts, chip.conflicts, chip.name)
    prices = price_table(catalogue.prices_of(chip.key))
    if len(prices):
        st.subheader("Prices", anchor=False)
        table(prices.head(NEWEST), PRICE_COLUMNS, alt=f"Prices of {chip.name}")
        if len(prices) > NEWEST:
            st.caption(f"The {NEWEST} newest of {len(prices)}; all are in the download under Share.")
        offer_download("prices", lambda: prices)
    source_line(_all_sources(chip.facts, [price.source for price in catalogue.prices_of(chip.key)]))


def _disagreements(facts: Mapping[str, Fact], conflicts: Sequence[Conflict], name: str) -> None:
    """The chosen figures beside what others say."""
    if conflicts:
        st.subheader("Where sources disagree", anchor=False)
        table(disagreements(facts, conflicts), DISAGREEING, alt=f"Figures of {name} on which sources disagree")


def _all_sources(facts: Mapping[str, Fact], more: Iterable[Source]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys([*record_sources(facts), *more]))


def browse_models(catalogue: Catalogue) -> None:
    """List of models with a filter, then one model: what follows from its dimensions, and every dimension."""
    ordered = sorted(catalogue.architectures.values(), key=lambda each: each.name.lower())
    opening = next((each for each in ordered if each.key == "glm-4.6"), ordered[0])
    with controls_row():
        words = search("Filter the list", key="find", hint="mixture, llama, fp8, own")
        model = pick("Open", ordered, key="model", default=opening, name=lambda each: each.name, width=300)
    texts = [f"{each.key} {each.name} {each.publisher_name} {each.native_weight_format}" for each in ordered]
    found = [ordered[at] for at in _having(words, texts)]
    frame = model_list(found)
    long_list(frame, key="model_list", opens=found, into="model", formats=FIGURES,
              alt="Models with layers, parameters, weights read and cache per token")  # fmt: skip
    offer_download("models", lambda: frame)
    st.header(model.name, anchor=False)
    checked = f", checked {model.audited}" if model.audited else ""
    st.caption(f"{model.publisher_name}. Configuration: {model.configuration_kind}{checked}. {model.note}")
    st.markdown(count_sentence(model))
    table(model_counts(model), COUNT_COLUMNS, alt=f"Parameters and cache of {model.name}")
    table(facts_table(model.facts, {}), FACT_COLUMNS, alt=f"Dimensions of {model.name} with their sources")
    _disagreements(model.facts, model.conflicts, model.name)
    source_line(record_sources(model.facts))


def add_own(catalogue: Catalogue) -> None:
    """Forms and files for entries of one's own, and those that are there."""
    own_views.told()
    own_views.own_list(KINDS)
    st.subheader("A chip", anchor=False)
    chip_form(catalogue)
    st.subheader("A model", anchor=False)
    model_form()
    st.subheader("A file of the catalogue", anchor=False)
    own_views.drop_files("YAML of a chip, a model, prices or claims", "yaml", key="drop_own")
    example(catalogue)
    st.caption(f"Source: your own entries lie in {own_entries.own_folder()}, apart from the shipped files.")
