"""Memory fit: whether model and cache fit, what takes the memory, and where a wafer puts the layers."""

from __future__ import annotations

from analysis.figures import memory_fit as picture
from analysis.figures.style import ink
from analysis.studies import memory_fit
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.memory_views import layers_in_line
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.components.tables import Column, metric_column

PAGE = Page(key="memory", title="Memory fit", group="Decide", url_path="memory", question=memory_fit.QUESTION, order=40)
COLUMNS = (
    Column(name="verdict", header="Verdict"),
    metric_column("memory_needed_byte", "needs, each", strong=True),
    metric_column("memory_available_byte", "has, each"),
    metric_column("weight_byte", "weights"),
    metric_column("cache_byte", "KV cache"),
    metric_column("largest_batch", "most users"),
    metric_column("largest_context_tokens", "longest context"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work = ask.pick_workload(known)
    slots, row = read_slots(known)
    study = memory_fit.study(work, slots)
    show_study(place, study, picture.figure(study, ink(theme())), COLUMNS, key="memory",
               more=lambda: layers_in_line(study))  # fmt: skip
    slot_row(row, known, slots, list(study.table["slot"]))
