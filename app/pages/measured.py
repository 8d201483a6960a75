"""Measured against modelled: residuals of own runs over load, context, machine and time; a profile."""

from __future__ import annotations

from analysis.studies import measured
from analysis.studies.benchmark_cases import comparable
from app import cache
from app.components import measured_views as views
from app.components.answer import answer, answer_place
from app.components.page import Page
from app.components.part_of_runs import part_words, with_part
from app.components.profile_views import calibrate
from app.components.study_view import show_study

PAGE = Page(
    key="measured", title="Measured against modelled", group="Measure", url_path="measured",
    question=measured.QUESTION, order=30,
)  # fmt: skip


def render() -> None:
    """Draw the page."""
    known, store = cache.catalogue(), cache.store()
    place = answer_place()
    read = cache.read_runs()
    runs, never = comparable(read.runs, known.architectures, known.chips)
    if not runs:
        answer(place, views.NOTHING, f"{views.WHY} {part_words(read)}".rstrip())
        views.samples_button(store)
        return views.not_compared(never)
    chosen = views.choose(runs)
    study, left_out = measured.study(chosen.runs, chosen.quantity, chosen.over, chosen.parameters)
    if study is None:
        answer(place, views.NOTHING, f"{views.WHY} {part_words(read)}".rstrip())
    else:
        columns = views.columns(chosen.quantity)
        study = with_part(study, read)
        show_study(place, study, views.drawing(study), columns, key="measured", rows=views.some_rows)
    views.not_compared([*left_out, *never])
    return calibrate(chosen.runs, part_words(read))
