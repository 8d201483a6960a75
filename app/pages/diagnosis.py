"""Diagnosis: what is wrong with a sweep or a series of own runs, how that shows, and what would change it."""

from __future__ import annotations

from analysis.studies import diagnosis
from analysis.studies.diagnosis_cases import observations
from app import cache
from app.components import diagnosis_views as views
from app.components.answer import answer, answer_place
from app.components.measured_views import samples_button
from app.components.page import Page
from app.components.part_of_runs import OVER_LOADS, part_words, with_part

PAGE = Page(
    key="diagnosis", title="Diagnosis", group="Measure", url_path="diagnosis", question=diagnosis.QUESTION, order=35
)


def render() -> None:
    """Draw the page."""
    known, read = cache.catalogue(), cache.read_runs(over_loads=True)
    place = answer_place()
    row, profile = views.controls()
    seen = observations(read.runs, known.architectures, known.chips, profile)
    if not seen:
        answer(place, views.NOTHING, f"{views.WHY} {part_words(read, OVER_LOADS)}".rstrip())
        return samples_button(cache.store())
    one, finding = views.choose(row, seen)
    return views.show(place, with_part(diagnosis.study(one, finding, profile), read, OVER_LOADS))
