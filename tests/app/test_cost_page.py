"""The pages on cost as people use them: goals to start from, and prices chosen or typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.studies.requests import PRESETS
from app.components.controls import CONTEXTS, DUTIES, USERS
from app.components.cost_views import THINKING
from app.components.request_controls import ANSWERS
from app.pages import find_pages
from tests.app.pages_as_text import open_page, page_text

PAGES = {found.page.key: found for found in find_pages()}


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))


def test_presets_are_goals_that_the_controls_offer() -> None:
    for preset in PRESETS.values():
        assert preset.context_tokens in CONTEXTS
        assert preset.thinking_tokens in THINKING
        assert preset.answer_tokens in ANSWERS
        assert preset.users in USERS
        assert preset.duty_fraction in DUTIES


def test_a_preset_sets_goals_and_leaves_the_machines() -> None:
    tester = open_page(PAGES["cost"], slots="8.h200-sxm", context="128K")
    tester.button(key="preset_research").click().run()
    text = page_text(tester)
    assert "32K in, 8K thinking and 2K out, 4 users at once" in text
    assert "busy 34 % of paid hours" in text
    assert "8 × H200" in text


def test_a_dated_price_is_chosen_and_a_typed_one_is_the_persons_own() -> None:
    """Nebius printed $3.50 for an H200 hour."""
    tester = open_page(PAGES["cost"], slots="8.h200-sxm_8.b200-sxm")
    tester.selectbox(key="price0_h200-sxm_choice").set_value(0).run()
    assert "rental_usd_per_hour=3.5" in str(tester.query_params["slots"])
    assert "H200 $3.50 an hour, Nebius 2026, on-demand, date not established" in page_text(tester)
    tester.number_input(key="price0_h200-sxm_typed").set_value(2.22).run()
    assert "H200 $2.22 an hour, your own price" in page_text(tester)
    tester.selectbox(key="price0_h200-sxm_choice").set_value(-1).run()
    assert "median of 3 on-demand prices" in page_text(tester)


def test_a_figure_is_edited_on_the_page_and_taken_back() -> None:
    tester = open_page(PAGES["future"], slots="8.h200-sxm")
    tester.number_input(key="figure0_h200-sxm_bandwidth_byte_per_s").set_value(9.6).run()
    assert "bandwidth_byte_per_s=9.6e12" in str(tester.query_params["slots"])
    assert "8 × H200 (edited)" in tester.title[0].value
    tester.number_input(key="figure0_h200-sxm_bandwidth_byte_per_s").set_value(4.8).run()
    assert "(edited)" not in page_text(tester)


def test_one_click_puts_in_a_hypothetical_wafer_and_says_so() -> None:
    tester = open_page(PAGES["future"], slots="8.h200-sxm")
    tester.button(key="next_wafer").click().run()
    text = page_text(tester)
    assert "WSE-3 (edited)" in text
    assert "*Hypothetical*" in text
    assert "choice: Chip of slot = 1" in text
