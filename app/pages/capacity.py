"""Capacity: replicas for a load and its promises, with one down, and for a load that jumps."""

from __future__ import annotations

from analysis.figures import capacity as picture
from analysis.figures.style import ink
from analysis.studies import capacity
from app import cache
from app.components import capacity_views as views
from app.components import controls as ask
from app.components import traffic_controls as traffic
from app.components.answer import answer, answer_place
from app.components.card import below_figure, figure, theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.state import offer_download

PAGE = Page(key="capacity", title="Capacity", group="Decide", url_path="capacity", question=capacity.QUESTION, order=85)


def render() -> None:
    """Draw the page."""
    known, place = cache.catalogue(), answer_place()
    traffic.presets(capacity=True)
    with ask.controls_row():
        work, answer_tokens = traffic.pick_model_and_lengths(known)
    with ask.controls_row():
        rate, goals = views.pick_goals()
    slots, row = read_slots(known)
    with traffic.folded("How requests vary, arrive and are served"):
        mix, load = traffic.pick_mix(work, answer_tokens), views.pick_load(rate, goals)
        prompts_by, around, arrivals = views.pick_prompts_by(slots), views.pick_around(), traffic.own_arrivals()
    shown = views.pick_shown()
    study = capacity.study(work, slots, mix, load, around=around, prompts_by=prompts_by, arrivals_s=arrivals,
                           check=True, shown=shown)  # fmt: skip
    colours = ink(theme())
    answer(place, study.answer, study.conditions)
    figure(picture.percentiles(study, colours), key="capacity_figure", alt=study.answer)
    views.replicas_table(study, apart=prompts_by is not None, thinking=mix.think_s > 0)
    views.below(study, colours)
    below_figure(study, key="capacity")
    offer_download("capacity", lambda: study.table)
    slot_row(row, known, slots, list(study.table["slot"]))
