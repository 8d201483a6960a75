"""Rent or buy: what either costs an hour and a million tokens, and where the two meet."""

from __future__ import annotations

from analysis.figures import ownership as picture
from analysis.figures.style import ink
from analysis.studies import ownership
from app import cache
from app.components import controls as ask
from app.components import cost_views, ownership_views
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study

PAGE = Page(
    key="ownership", title="Rent or buy", group="Decide", url_path="rent-or-buy", question=ownership.QUESTION, order=92
)
OPENING = (("h100-sxm", 8), ("b200-sxm", 8), ("mi300x", 8), ("wse-3", None))


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    cost_views.presets()
    with ask.controls_row():
        work = ask.pick_workload(known, users=False).at(sequences=ask.pick_users(default=cost_views.USERS))
        request = cost_views.pick_request(cached=False)
        terms = ownership_views.pick_terms()
    slots, row = read_slots(known, OPENING)
    cost_views.price_editor(known, slots, known.prices)
    ownership_views.purchase_editor(known, slots, known.prices)
    study = ownership.study(work, slots, request, terms, prices=known.prices)
    second = ownership_views.MONTHS_TITLE, picture.months(study, ink(theme()))
    drawing = picture.figure(study, ink(theme()))
    show_study(place, study, drawing, ownership_views.COLUMNS, key="ownership", second=second)
    slot_row(row, known, slots, list(study.table["slot"]))
