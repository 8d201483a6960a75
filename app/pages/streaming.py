"""Streaming: what is left of the speed if not all weights fit, and what must be resident for more."""

from __future__ import annotations

from analysis.figures import streaming as picture
from analysis.figures.style import ink
from analysis.studies.streaming import QUESTION, study
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.streaming_controls import pick_streaming
from app.components.study_view import show_study
from app.components.tables import Column, metric_column

PAGE = Page(key="streaming", title="Streaming", group="Decide", url_path="streaming", question=QUESTION, order=70)
OPENING = (("h200-sxm", 2), ("gb200", 1), ("wse-3", 1), ("wse-3", 8))
COLUMNS = (
    Column(name="verdict", header="Holds"),
    metric_column("tokens_per_s_per_user", "per user", strong=True),
    metric_column("stream_bound_tokens_per_s_per_user", "link alone"),
    metric_column("resident_tokens_per_s_per_user", "all resident"),
    metric_column("hit_fraction", "hit rate"),
    metric_column("hit_needed_fraction", "the link needs"),
    metric_column("missed_byte", "fetched a step"),
    metric_column("load_s", "loading it all"),
    Column(name="link", header="From"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work, target = ask.pick_workload(known), ask.pick_target()
    with ask.controls_row():
        streaming = pick_streaming()
    slots, row = read_slots(known, OPENING)
    found = study(work, slots, streaming, target_token_per_s=target)
    drawing, second = picture.figure(found, ink(theme())), picture.hits(found, ink(theme()))
    show_study(place, found, drawing, COLUMNS, key="streaming", second=second)
    slot_row(row, known, slots, list(found.table["slot"]))
