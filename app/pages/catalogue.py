"""Catalogue: what is known about every chip and model, figure by figure, with where it was seen."""

from __future__ import annotations

from app import cache
from app.components.answer import answer, answer_place
from app.components.catalogue_views import browse_chips, browse_models
from app.components.controls import switch
from app.components.page import Page

PAGE = Page(
    key="catalogue",
    title="Catalogue",
    group="Trust",
    url_path="catalogue",
    question="What is known about each chip and model, and from where?",
    order=40,
)


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    answer(
        answer_place(),
        f"{len(known.chips)} chips and {len(known.architectures)} models, every figure with its source.",
        "A figure no source gives is absent, never zero. Where sources disagree, both are kept.",
    )
    if switch("Show", ["chips", "models"], key="show", default="chips") == "chips":
        browse_chips(list(known.chips.values()))
    else:
        browse_models(list(known.architectures.values()))
