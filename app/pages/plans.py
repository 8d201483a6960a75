"""Best plan: the plan to take for a speed, the frontier of all plans, and what the others lack."""

from __future__ import annotations

from analysis.figures import plan_search as picture
from analysis.figures.style import ink
from analysis.studies import plan_search
from analysis.study import short_name
from app import cache
from app.components import controls as ask
from app.components.answer import answer, answer_place
from app.components.card import below_figure, figure, theme
from app.components.page import Page
from app.components.plan_views import pick_search, places_of, start_of_plans, table_of_families
from app.components.slots import read_slots, slot_row
from app.components.small_figures import frame_of
from app.state import offer_download

PAGE = Page(
    key="plans", title="Best plan", group="Decide", url_path="plans", question=plan_search.QUESTION, order=55
)  # fmt: skip


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.controls_row():
        work = ask.pick_length(known)
        search = pick_search()
    slots, row = read_slots(known)
    study = plan_search.study(work, search.chips(known, slots), search.wanted, known.prices)
    answer(place, study.answer, study.conditions)
    figure(picture.figure(study, places_of(slots), ink(theme())), key="plans_figure", alt=study.answer)
    table_of_families(study, slots)
    start_of_plans(study)
    below_figure(study, key="plans")
    offer_download("plans", lambda: frame_of(study, "plans"))
    offer_download("best-plans", lambda: study.table)
    slot_row(row, known, slots, [short_name(slot.chip) for slot in slots])
