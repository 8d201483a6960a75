"""Bandwidth need: what a speed asks of memory, and which machines have it."""

from __future__ import annotations

from analysis.figures import bandwidth_need as picture
from analysis.figures.style import ink
from analysis.studies import bandwidth_need
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.components.tables import Column, bits, metric_column, three_digits, whole

PAGE = Page(
    key="bandwidth", title="Bandwidth need", group="Decide", url_path="bandwidth",
    question=bandwidth_need.QUESTION, order=20,
)  # fmt: skip
TERMS: tuple[bandwidth_need.SolveFor, ...] = ("devices", "rate", "width", "context", "batch")
SHOWN = {"devices": whole, "rate": three_digits, "width": bits, "context": whole, "batch": whole}
NAMES = {"devices": "devices", "rate": "tokens/s", "width": "bits a weight", "context": "context", "batch": "users"}
COLUMNS = (
    metric_column("available_byte_per_s", "has"),
    metric_column("required_byte_per_s", "needs"),
    metric_column("bandwidth_over_need", "times the need"),
    metric_column("naive_tokens_per_s_per_user", "bandwidth bound per user"),
    metric_column("seen_byte_per_s", "one stream sees"),
    metric_column("read_bound_tokens_per_s_per_user", "read bound per user"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work = ask.pick_workload(known)
        target = ask.pick_target()
        term = ask.pick("Solve for", TERMS, key="solve", default="devices", name=NAMES.__getitem__)
    slots, row = read_slots(known)
    solved = Column(name="solution", header=f"{NAMES[term]}, solved", shown=SHOWN[term], strong=True)
    study = bandwidth_need.study(work, slots, target_token_per_s=target, solve_for=term)
    show_study(place, study, picture.figure(study, ink(theme())), (solved, *COLUMNS), key="bandwidth")
    slot_row(row, known, slots, list(study.table["slot"]))
