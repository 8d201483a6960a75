"""Roofline: which operators memory binds and which arithmetic, and where a device turns."""

from __future__ import annotations

from analysis.figures import roofline as picture
from analysis.figures.style import ink
from analysis.studies import roofline
from analysis.studies.benchmark_cases import roofline_marks
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import one_part, show_study
from app.components.tables import Column, metric_column

PAGE = Page(key="roofline", title="Roofline", group="Decide", url_path="roofline", question=roofline.QUESTION, order=30)
OPENING = (("h200-sxm", 8), ("b200-sxm", 8), ("wse-3", None))
COLUMNS = (
    Column(name="operator", header="Operator"),
    metric_column("intensity_flop_per_byte", "intensity", strong=True),
    metric_column("ridge_flop_per_byte", "ridge"),
    metric_column("attainable_flop_per_s", "attainable"),
    metric_column("operator_s", "time at the roof"),
    Column(name="binds", header="Binds"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work = ask.pick_workload(known)
    slots, row = read_slots(known, OPENING)
    study = roofline.study(work, slots, runs=roofline_marks(cache.measured_runs(), work.architecture, slots))
    show_study(
        place, study, picture.figure(study, ink(theme())), COLUMNS, key="roofline",
        rows=lambda frame: one_part(frame, ("slot", "phase"), key="operators", label="Operators of"),
    )  # fmt: skip
    slot_row(row, known, slots)
