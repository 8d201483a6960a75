"""Future chip: edit any figure of a copy, see what binds, and follow the copy to every page."""

from __future__ import annotations

from analysis.figures import future as picture
from analysis.figures.style import ink
from analysis.studies import future
from analysis.studies.future_words import IN_WORDS
from app import cache
from app.components import controls as ask
from app.components import future_views as views
from app.components.answer import answer, answer_place
from app.components.card import below_figure, figure, theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.state import offer_download

PAGE = Page(key="future", title="Future chip", group="Decide", url_path="future", question=future.QUESTION, order=95)
STEPS, EFFECT = (0.1, 0.2, 0.5), future.EFFECTS[0]


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    controls = ask.controls_row()
    with controls:
        work = ask.pick_workload(known)
        step = ask.pick("Each figure ±", STEPS, key="moved", default=0.2, name="{:.0%}".format, width=ask.NARROW)
        effect = ask.pick("Effect on", future.EFFECTS, key="effect", default=EFFECT, name=IN_WORDS.__getitem__)
    slots, row = read_slots(known)
    with controls:
        slot = views.pick_slot(slots)
    shipped = known.chips[slot.chip.key]
    views.editor(known, slots, slot)
    study = future.study(work, slot, shipped, step_fraction=step, effect=effect, prices=known.prices)
    answer(place, study.answer, study.conditions)
    figure(picture.figure(study, ink(theme())), key="future_figure", alt=study.answer)
    views.figures_table(study)
    below_figure(study, key="future")
    offer_download("future", study.download)
    slot_row(row, known, slots)
