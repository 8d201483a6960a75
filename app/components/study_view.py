"""A study on the page: answer, figure, table, source line, arithmetic, and its table for download."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.study import Study
from app.components.answer import answer
from app.components.card import below_figure, figure
from app.components.controls import WIDE, pick
from app.components.slots import coloured
from app.components.tables import Column, table, unbroken
from app.state import offer_download

SLOT_COLUMN = Column(name="marked_slot", header="Slot")


def with_slot_marks(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `marked_slot`: each slot's name behind its coloured mark."""
    marked = [coloured(int(place), unbroken(name)) for place, name in zip(frame["place"], frame["slot"], strict=True)]
    return frame.assign(marked_slot=marked)


def one_part(frame: pd.DataFrame, names: Sequence[str], *, key: str, label: str) -> pd.DataFrame:
    """The rows of one part of a long table, chosen from a list: "8 × H200, decode"."""
    parts = list(dict.fromkeys(", ".join(map(str, each)) for each in zip(*(frame[n] for n in names), strict=True)))
    chosen = pick(label, parts, key=key, default=parts[0], width=2 * WIDE)
    return frame[[", ".join(map(str, each)) == chosen for each in zip(*(frame[n] for n in names), strict=True)]]


def show_study(
    place: DeltaGenerator,
    study: Study,
    drawing: dict[str, Any],
    columns: Sequence[Column],
    *,
    key: str,
    muted: Iterable[str] = (),
    rows: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame,
    second: tuple[str, dict[str, Any]] | None = None,
    more: Callable[[], None] = lambda: None,
) -> None:
    """Everything of a study, in the order every page has; `columns` follow the slot's own column.

    rows     picks what the table on the page shows of a long one; the download holds all of it
    second   a title and one more drawing below the table
    more     draws what else stands above the source line
    """
    figure(drawing, key=f"{key}_figure", alt=study.answer)  # first on its way, wherever it stands
    answer(place, study.answer, study.conditions)
    table(with_slot_marks(rows(study.table)), (SLOT_COLUMN, *columns), alt=study.question, muted=muted)
    if second:
        st.subheader(second[0], anchor=False)
        figure(second[1], key=f"{key}_second", alt=second[0])
    more()
    below_figure(study, key=key)
    offer_download(key, study.download)
