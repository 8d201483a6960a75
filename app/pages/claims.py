"""Claims: published statements recomputed from the catalogue, published speeds, and statements of one's own."""

from __future__ import annotations

from analysis.studies import claims
from app.components.answer import answer_place
from app.components.claim_form import own_claim
from app.components.claim_views import articles, published_speeds
from app.components.controls import switch
from app.components.page import Page

PAGE = Page(key="claims", title="Claims", group="Trust", url_path="claims", question=claims.QUESTION, order=10)
VIEWS = {"published claims": articles, "published speeds": published_speeds, "your own": own_claim}


def render() -> None:
    """Draw the page."""
    place = answer_place()
    views = list(VIEWS)
    VIEWS[switch("Show", views, key="view", default=views[0])](place)
