"""Measured frontiers: what public runs got from one device at which speed per user, and your own on top."""

from __future__ import annotations

from analysis.figures import frontiers as picture
from analysis.figures.style import ink
from analysis.studies import frontiers
from app.components import controls as ask
from app.components.answer import answer, answer_place
from app.components.card import below_figure, figure, source_line, theme
from app.components.frontier_views import COLUMNS, group_rows, pick_measured_model, points_of
from app.components.page import Page
from app.components.tables import table
from app.state import offer_download

PAGE = Page(key="frontiers", title="Measured frontiers", group="Trust", url_path="frontiers",
            question=frontiers.QUESTION, order=20)  # fmt: skip


def render() -> None:
    """Draw the page."""
    place = answer_place()
    with ask.controls_row():
        points = points_of(pick_measured_model())
        options = frontiers.lengths_of(points)
        lengths = ask.pick("Prompt + output, tokens", options, key="lengths", default=options[0])
        by = ask.pick("Colour by", list(frontiers.BY), key="colour", default="hardware")
        least = ask.number("At least, tok/s per user", key="least", default=50, low=0.1, high=100_000, step=10)
        believed = ask.pick_profile()
    study = frontiers.study(points, by=by, lengths=lengths, least_token_per_s=least, parameters=believed)
    if study is None:
        answer(place, "No run of this model was measured at these lengths.", "Choose other lengths.")
        return source_line(point.source for point in points)
    answer(place, study.answer, study.conditions)
    figure(picture.figure(study, ink(theme())), key="frontiers_figure", alt=study.answer)
    table(group_rows(study.table), COLUMNS, alt=study.question)
    below_figure(study, key="frontiers")
    return offer_download("frontiers", lambda: frontiers.points_table(points))
