"""Energy: joules of a token with idle hours, the power assumed, measured rows, and a check from below."""

from __future__ import annotations

from analysis.figures import energy as picture
from analysis.figures import trust
from analysis.figures.style import ink
from analysis.metrics import metric
from analysis.studies import energy
from app import cache
from app.components import controls as ask
from app.components import cost_views as views
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.state import offer_download
from data.catalogue.accuracy_files import load_accuracy

PAGE = Page(key="energy", title="Energy", group="Decide", url_path="energy", question=energy.QUESTION, order=91)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    views.presets()
    with ask.controls_row():
        work = ask.pick_workload(known, users=False).at(sequences=ask.pick_users(default=views.USERS))
        request = views.pick_request(cached=False)
    slots, row = read_slots(known)
    accuracy = load_accuracy()
    study = energy.study(work, slots, request, accuracy.predictions if accuracy else None)
    points, colours = views.energy_points(study), ink(theme())
    second = (views.MEASURED_TITLE, trust.figure(points, metric(energy.METRIC), colours)) if len(points) else None
    show_study(place, study, picture.figure(study, colours), views.ENERGY_COLUMNS, key="energy", second=second)
    offer_download("measured-energies", lambda: points)
    slot_row(row, known, slots, list(study.table["slot"]))
