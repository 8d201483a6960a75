"""Compare, the home page: which silicon serves this model at this speed."""

from __future__ import annotations

from analysis.figures import compare as picture
from analysis.figures.style import ink
from analysis.studies import compare
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.components.tables import Column, gigabytes, percent

PAGE = Page(key="compare", title="Compare", group="Decide", url_path="", question=compare.QUESTION, order=10)
COPIES = Column(name="copies", header="copies", shown="{:,.0f}".format)
COLUMNS = (
    Column(name="tokens_per_s_per_user", header="tok/s per user", strong=True),
    Column(name="low_tokens_per_s_per_user", header="80 % low"),
    Column(name="high_tokens_per_s_per_user", header="high"),
    Column(name="output_tokens_per_s_of_copies", header="tok/s in all"),
    Column(name="binds", header="Binds"),
    Column(name="bandwidth_used_fraction", header="bandwidth, %", shown=percent),
    Column(name="memory_needed_byte_of_devices", header="needs, GB", shown=gigabytes),
    Column(name="memory_available_byte_of_devices", header="has, GB", shown=gigabytes),
    Column(name="cost_usd_per_million_tokens", header="USD/Mtok"),
    Column(name="energy_j_per_token", header="J/tok"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work = ask.pick_workload(known)
        target = ask.pick_target(width=140)  # so that all choices stand in one row
        equal = ask.pick("Compare at equal", compare.EQUALS, key="equal", default="devices as set", width=140)
        duty = ask.pick_duty()
    slots, row = read_slots(known)
    study = compare.study(work, slots, target_token_per_s=target, equal=equal, duty_fraction=duty,
                          prices=known.prices, runs=cache.measured_runs())  # fmt: skip
    columns = COLUMNS if equal == "devices as set" else (COPIES, *COLUMNS)
    show_study(place, study, picture.figure(study, ink(theme())), columns, key="compare", muted=study.table["reason"])
    slot_row(row, known, slots, list(study.table["slot"]))
