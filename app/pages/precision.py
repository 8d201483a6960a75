"""Precision: what formats by component, pruning and fusion change, set against the model as it is."""

from __future__ import annotations

from analysis.figures import precision as picture
from analysis.figures.style import ink
from analysis.studies.precision import QUESTION, study
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.precision_controls import pick_change
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.components.tables import Column, metric_column

PAGE = Page(key="precision", title="Precision", group="Decide", url_path="precision", question=QUESTION, order=75)
COLUMNS = (
    metric_column("tokens_per_s_per_user_before", "before"),
    metric_column("tokens_per_s_per_user_after", "per user", strong=True),
    metric_column("output_tokens_per_s_after", "whole system"),
    metric_column("assumed_tokens_per_s_per_user", "gain assumed"),
    Column(name="verdict", header="Change"),
    Column(name="weights", header="Weights"),
    Column(name="needed", header="Devices needed"),
    Column(name="operators", header="Operators a step"),
    Column(name="binds", header="Binds"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work = ask.pick_workload(known)
    with ask.row_after_figure():
        change = pick_change(work.architecture)
    slots, row = read_slots(known)
    found = study(work, slots, change)
    drawing, second = picture.figure(found, ink(theme())), picture.bytes_moved(found, ink(theme()))
    show_study(place, found, drawing, COLUMNS, key="precision", second=second)
    slot_row(row, known, slots, list(found.table["slot"]))
