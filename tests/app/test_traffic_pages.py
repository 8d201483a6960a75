"""The pages on serving and capacity: a use fills the controls, a link restores them, nonsense is told."""

from __future__ import annotations

import pytest

from app.components.page import FoundPage
from app.pages import find_pages
from tests.app.pages_as_text import open_page, page_text

PAGES = {found.page.key: found for found in find_pages()}
MACHINE = "8.h200-sxm"  # one slot keeps these quick


def page(key: str) -> FoundPage:
    return PAGES[key]


def test_a_use_fills_lengths_load_and_goals() -> None:
    tester = open_page(page("capacity"), slots=MACHINE)
    tester.button(key="use_edge").click().run()
    assert not tester.exception
    text = page_text(tester)
    assert "choice: Prompt, tokens = 512" in text
    assert "choice: Answer, tokens = 256" in text
    assert "choice: Requests/s = 0.5" in text
    assert "choice: First token, s = 0.5" in text
    assert "choice: A token, ms = 50.0" in text
    assert tester.title[0].value.startswith("0.5 requests/s of GLM-4.6")


def test_a_link_restores_the_view() -> None:
    tester = open_page(
        page("capacity"), slots=MACHINE, rate="20", ttft="1.5", tpot="40", context="1K", answer="128", kept="99 %",
        queue="the least busy",
    )  # fmt: skip
    text = page_text(tester).replace("\u00a0", " ")
    assert "20 requests/s" in tester.title[0].value
    assert "for 99 % of them first token within 1.5 s, a token within 40 ms" in text


def test_people_think_between_turns() -> None:
    """5 requests/s of people who think 60 s are at least 300 people; without a pause no such column is shown."""
    assert "|people|" not in page_text(open_page(page("capacity"), slots=MACHINE))
    tester = open_page(page("capacity"), slots=MACHINE, think="60", rate="5")
    table = tester.table[0].value
    assert float(table["people"].iloc[0]) > 300.0


def test_serving_says_when_no_machine_is_fast_enough() -> None:
    tester = open_page(page("serving"), slots=MACHINE, target="5000")
    assert tester.title[0].value.startswith("None reaches 5,000 tok/s per user")


def test_what_cannot_be_read_is_told_and_left_out() -> None:
    tester = open_page(page("serving"), slots=MACHINE)
    before = tester.title[0].value
    tester.text_area(key="own_lengths").set_value("100,20\nx,y").run()
    assert "line 2: not a length" in page_text(tester)
    assert tester.title[0].value == before
    tester.text_area(key="own_lengths").set_value("100,20\n300,40").run()
    assert "Prompts of 200" in page_text(tester)


@pytest.mark.parametrize("key", ["serving", "capacity"])
def test_a_uniform_length_that_varies_too_much_is_told(key: str) -> None:
    text = page_text(open_page(page(key), slots=MACHINE, shape="uniform", vary="150 %"))
    assert "A uniform length varies by 58 % at most" in text
