"""Catalogue: what is known about every chip and model, figure by figure, with where it was seen; and what you add."""

from __future__ import annotations

from app import cache
from app.components.answer import answer, answer_place
from app.components.catalogue_views import add_own, browse_chips, browse_models
from app.components.controls import switch
from app.components.page import Page
from app.own_entries import merged

PAGE = Page(
    key="catalogue",
    title="Catalogue",
    group="Trust",
    url_path="catalogue",
    question="What is known about each chip and model, and from where?",
    order=50,
)
VIEWS = {"chips": browse_chips, "models": browse_models, "add your own": add_own}


def render() -> None:
    """Draw the page."""
    known, own = cache.catalogue(), len(merged().own)
    answer(
        answer_place(),
        f"{len(known.chips)} chips and {len(known.architectures)} models, every figure with its source"
        + (f"; {own} of them your own." if own else "."),
        "A figure no source gives is absent, never zero. Where sources disagree, both are kept.",
    )
    VIEWS[switch("Show", list(VIEWS), key="show", default="chips")](known)
