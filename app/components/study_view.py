"""A study on the page: answer, figure, table, source line, arithmetic, and its table for download."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from analysis.study import Study
from app.components.answer import answer
from app.components.card import below_figure, figure
from app.components.slots import coloured
from app.components.tables import Column, table, unbroken
from app.state import offer_download

SLOT_COLUMN = Column(name="marked_slot", header="Slot")


def with_slot_marks(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with a column `marked_slot`: each slot's name behind its coloured mark."""
    marked = [coloured(int(place), unbroken(name)) for place, name in zip(frame["place"], frame["slot"], strict=True)]
    return frame.assign(marked_slot=marked)


def show_study(
    place: DeltaGenerator,
    study: Study,
    drawing: dict[str, Any],
    columns: Sequence[Column],
    *,
    key: str,
    muted: Iterable[str] = (),
) -> None:
    """Everything of a study, in the order every page has; `columns` follow the slot's own column."""
    answer(place, study.answer, study.conditions)
    figure(drawing, key=f"{key}_figure", alt=study.answer)
    table(with_slot_marks(study.table), (SLOT_COLUMN, *columns), alt=study.question, muted=muted)
    below_figure(study, key=key)
    offer_download(key, lambda: study.table)
