"""How far to trust us: every measured run beside its prediction."""

from __future__ import annotations

from analysis.studies import trust
from app.components.answer import answer_place
from app.components.page import Page
from app.components.trust_views import measured_runs

PAGE = Page(
    key="trust",
    title="How far to trust us",
    group="Trust",
    url_path="trust",
    question=trust.QUESTION,
    order=30,
)


def render() -> None:
    """Draw the page."""
    measured_runs(answer_place())
