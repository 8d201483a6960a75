"""Cost: what tokens cost on each machine, read and made apart, against price lists, and the break-even price."""

from __future__ import annotations

from analysis.figures import cost as picture
from analysis.figures.style import ink
from analysis.studies import cost
from app import cache
from app.components import controls as ask
from app.components import cost_views as views
from app.components.answer import answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.slots import read_slots, slot_row
from app.components.study_view import show_study
from app.state import offer_download

PAGE = Page(key="cost", title="Cost", group="Decide", url_path="cost", question=cost.QUESTION, order=90)
OPENING = (("h200-sxm", 8), ("b200-sxm", 8), ("mi300x", 8), ("wse-3", None))


def render() -> None:
    """Draw the page."""
    known = cache.catalogue()
    place = answer_place()
    views.presets()
    with ask.controls_row():
        work = ask.pick_workload(known, users=False).at(sequences=ask.pick_users(default=views.USERS))
        request = views.pick_request()
        target, saving = ask.pick_target(default=30), views.pick_saving()
    slots, row = read_slots(known, OPENING)
    views.price_editor(known, slots, known.prices)
    study = cost.study(
        work, slots, request, prices=known.prices, published=cache.token_prices(work.architecture.key),
        target_token_per_s=target, saving_fraction=saving,
    )  # fmt: skip
    colours = ink(theme())
    second = views.break_even_title(study), picture.break_even(study, colours)
    show_study(place, study, picture.figure(study, colours), views.COLUMNS, key="cost", second=second)
    offer_download("price-lists", lambda: views.price_lists(study))
    slot_row(row, known, slots, list(study.table["slot"]))
