"""How far to trust us: every measured run beside its prediction, and speeds that may hold speculation."""

from __future__ import annotations

from analysis.studies import trust
from app.components.answer import answer_place
from app.components.controls import switch
from app.components.page import Page
from app.components.trust_views import measured_runs, speculating

PAGE = Page(
    key="trust",
    title="How far to trust us",
    group="Trust",
    url_path="trust",
    question=trust.QUESTION,
    order=10,
)
VIEWS = {"measured runs": measured_runs, "SRAM machines": speculating}


def render() -> None:
    """Draw the page."""
    place = answer_place()
    views = list(VIEWS)
    VIEWS[switch("Show", views, key="view", default=views[0])](place)
