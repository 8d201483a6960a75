"""Speculation: what drafts gain, how long they should be, and which acceptance reaches a speed."""

from __future__ import annotations

from analysis.figures import speculation as picture
from analysis.figures.style import ink
from analysis.studies.speculation import QUESTION, study
from app import cache
from app.components import controls as ask
from app.components.answer import answer_place
from app.components.card import theme
from app.components.draft_controls import pick_draft, pick_speedup
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.components.tables import Column, metric_column

PAGE = Page(
    key="speculation", title="Speculation", group="Decide", url_path="speculation", question=QUESTION, order=60,
)  # fmt: skip
COLUMNS = (
    Column(name="verdict", header="Verdict"),
    metric_column("best_tokens_per_s_per_user", "at best", strong=True),
    metric_column("best_speedup", "speed-up"),
    metric_column("tokens_per_s_per_user", "plain"),
    metric_column("speculative_tokens_per_s_per_user", "as set"),
    metric_column("verify_ratio", "verifying"),
    metric_column("draft_ratio", "draft step"),
    metric_column("needed_for_speedup", "for speed-up"),
    metric_column("needed_for_target", "for target"),
    metric_column("draft_byte", "draft's memory"),
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    with ask.row_after_figure():
        work, target = ask.pick_workload(known), ask.pick_target()
    with ask.row_after_figure():
        draft, wanted = pick_draft(known), pick_speedup()
    slots, row = read_slots(known)
    found = study(work, slots, draft, target_token_per_s=target, wanted_speedup=wanted)
    drawing, second = picture.figure(found, ink(theme())), picture.needs(found, ink(theme()))
    show_study(place, found, drawing, COLUMNS, key="speculation", second=second)
    slot_row(row, known, slots, list(found.table["slot"]))
