"""The two halves of the Catalogue page: the list to choose from and the record that is open."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.components.card import source_line
from app.components.controls import controls_row, pick, search
from app.components.records import (
    chip_facts,
    chip_list,
    facts_table,
    model_counts,
    model_list,
    record_sources,
)
from app.components.slots import full_name
from app.components.tables import Column, table
from app.state import offer_download
from data.records import Architecture, Chip

LIST_HEIGHT = 320
FACT_COLUMNS = tuple(
    Column(name=name, header=name) for name in ("Field", "Value", "How", "Source", "Place in it", "Note")
)
COUNT_COLUMNS = tuple(Column(name=name, header=name) for name in ("Derived from the dimensions", "Value", "Exactly"))
FIGURES = {"Parameters, billion": "%.3g", "Read per token, billion": "%.3g", "KV per token, kB": "%.1f"}


def _having(words: str, texts: Sequence[str]) -> list[int]:
    wanted = words.lower().split()
    return [at for at, text in enumerate(texts) if all(word in text.lower() for word in wanted)]


def _show_list(frame: pd.DataFrame, alt: str) -> None:
    formats = {
        name: st.column_config.NumberColumn(format=FIGURES.get(name, "localized"))
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name])
    }
    st.dataframe(frame, hide_index=True, height=LIST_HEIGHT, column_config=formats, placeholder="–", alt=alt)


def browse_chips(chips: Sequence[Chip]) -> None:
    """List of chips with a filter, then one chip with every figure and its source."""
    ordered = sorted(chips, key=lambda each: (each.vendor.lower(), each.name.lower()))
    opening = next((each for each in ordered if each.key == "h200-sxm"), ordered[0])
    with controls_row():
        words = search("Filter the list", key="find", hint="wafer, HBM3e, Apple")
        chip = pick("Open", ordered, key="chip", default=opening, name=full_name, width=300)
    texts = [f"{each.key} {full_name(each)} {each.kind} {each.generation} {each.memory_type}" for each in ordered]
    frame = chip_list([ordered[at] for at in _having(words, texts)])
    _show_list(frame, "Chips with memory, bandwidth, peaks, power and how firm the figures are")
    offer_download("chips", lambda: frame)
    st.header(full_name(chip), anchor=False)
    firmness = f"{chip.status}, {chip.confidence} confidence, sources {chip.source_check or 'not checked'}"
    checked = f", checked {chip.audited}" if chip.audited else ""
    st.caption(f"{firmness}{checked}. {chip.note}")
    table(chip_facts(chip), FACT_COLUMNS, alt=f"Figures of {chip.name} with their sources")
    source_line(record_sources(chip.facts))


def browse_models(models: Sequence[Architecture]) -> None:
    """List of models with a filter, then one model: what follows from its dimensions, and every dimension."""
    ordered = sorted(models, key=lambda each: each.name.lower())
    opening = next((each for each in ordered if each.key == "glm-4.6"), ordered[0])
    with controls_row():
        words = search("Filter the list", key="find", hint="mixture, llama, fp8")
        model = pick("Open", ordered, key="model", default=opening, name=lambda each: each.name, width=300)
    texts = [f"{each.key} {each.name} {each.publisher_name} {each.native_weight_format}" for each in ordered]
    frame = model_list([ordered[at] for at in _having(words, texts)])
    _show_list(frame, "Models with layers, parameters, weights read and cache per token")
    offer_download("models", lambda: frame)
    st.header(model.name, anchor=False)
    checked = f", checked {model.audited}" if model.audited else ""
    st.caption(f"{model.publisher_name}, configuration {model.configuration_kind}{checked}. {model.note}")
    table(model_counts(model), COUNT_COLUMNS, alt=f"Parameters and cache of {model.name}")
    table(facts_table(model.facts, {}), FACT_COLUMNS, alt=f"Dimensions of {model.name} with their sources")
    source_line(record_sources(model.facts))
