"""Scaling: what more devices give one stream, all streams and the first token, and where they give less."""

from __future__ import annotations

from analysis.figures import scaling as picture
from analysis.figures.style import ink
from analysis.studies import scaling
from analysis.study import short_name
from app import cache
from app.components import controls as ask
from app.components.answer import answer, answer_place
from app.components.card import below_figure, theme
from app.components.page import Page
from app.components.scaling_views import CAPTIONS, pick_what_if, table_of_one_slot
from app.components.slots import read_slots, slot_row
from app.components.small_figures import figures_in_a_row, frame_of, listed
from app.state import offer_download

PAGE = Page(key="scaling", title="Scaling", group="Decide", url_path="scaling", question=scaling.QUESTION, order=50)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.controls_row():
        work = ask.pick_workload(known, users=False)
        what_if = pick_what_if()
    slots, row = read_slots(known)
    study = scaling.study(work, slots, what_if)
    answer(place, study.answer, study.conditions)
    drawings = (picture.one_stream, picture.all_streams, picture.first_token)
    colours = ink(theme())
    figures_in_a_row([(title, draw(study, colours)) for title, draw in zip(CAPTIONS, drawings, strict=True)],
                     key="scaling")  # fmt: skip
    listed("Where more gives less", study.marks["less"])
    table_of_one_slot(study, work, slots)
    below_figure(study, key="scaling")
    offer_download("scaling", lambda: study.table)
    offer_download("scaling-plans", lambda: frame_of(study, "plans"))
    slot_row(row, known, slots, [short_name(slot.chip) for slot in slots])
