"""Serving: throughput against the speed each person sees, the first token, and where the goals stop."""

from __future__ import annotations

from analysis.figures import serving as picture
from analysis.figures.style import ink
from analysis.studies import serving
from app import cache
from app.components import controls as ask
from app.components import traffic_controls as traffic
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.components.tables import Column, metric_column, whole

PAGE = Page(key="serving", title="Serving", group="Decide", url_path="serving", question=serving.QUESTION, order=80)
COLUMNS = (
    metric_column("concurrency", "at once", strong=True),
    Column(name="people", header="people", shown=whole),
    metric_column("tokens_per_s_per_user", "per user"),
    metric_column("output_tokens_per_s", "in all"),
    metric_column("output_tokens_per_s_per_device", "per device"),
    metric_column("ttft_s", "first token"),
    metric_column("e2e_s", "whole answer"),
    metric_column("longest_gap_s", "longest gap"),
    Column(name="verdict", header="Why not more"),
)


def render() -> None:
    """Draw the page."""
    known, place = cache.catalogue(), answer_place()
    traffic.presets(capacity=False)
    with ask.controls_row():
        work, answer_tokens = traffic.pick_model_and_lengths(known)
        target, ttft = ask.pick_target(default=30), traffic.pick_ttft(2.0)
    with traffic.folded("How requests vary"):
        mix, chunk = traffic.pick_mix(work, answer_tokens), traffic.pick_chunk()
    slots, row = read_slots(known)
    study = serving.study(work, slots, mix, target_token_per_s=target, ttft_s=ttft, chunk_tokens=chunk,
                          runs=cache.measured_runs())  # fmt: skip
    second = "First token against requests in flight", picture.first_token(study, ink(theme()))
    columns = COLUMNS if mix.think_s > 0 else (COLUMNS[0], *COLUMNS[2:])
    show_study(place, study, picture.frontier(study, ink(theme())), columns, key="serving", second=second)
    slot_row(row, known, slots, list(study.table["slot"]))
