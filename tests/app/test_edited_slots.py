"""Edited figures in the address move every page with slots, are marked on it, and can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.components.problem import as_written
from app.pages import find_pages
from tests.app.pages_as_text import open_page, page_text

PAGES = {found.page.key: found for found in find_pages()}
EDITED_SLOT = "8.h200-sxm*bandwidth_byte_per_s=9.6e12*rental_usd_per_hour=2"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))


@pytest.mark.parametrize("key", ["compare", "bandwidth", "roofline", "memory"])
def test_every_page_with_slots_marks_an_edited_chip(key: str) -> None:
    text = page_text(open_page(PAGES[key], slots=f"{EDITED_SLOT}_fit.wse-3"))
    assert "H200 (edited)" in text
    assert "*Your own figure*: bandwidth of H200 SXM (edited) 9.6" in text
    assert "Edited: bandwidth 9.6" in text  # in the slot's menu, beside the catalogue's figure


def test_an_edited_price_is_the_persons_own() -> None:
    assert "H200 (edited) $2.00 an hour, your own price" in page_text(open_page(PAGES["compare"], slots=EDITED_SLOT))


def test_a_price_alone_makes_no_other_machine() -> None:
    text = page_text(open_page(PAGES["compare"], slots="8.h200-sxm*rental_usd_per_hour=2"))
    assert "your own price" in text
    assert "(edited)" not in text


def test_the_way_back_to_the_catalogue() -> None:
    tester = open_page(PAGES["compare"], slots=f"{EDITED_SLOT}_fit.wse-3")
    tester.button(key="slot0_plain").click().run()
    assert tester.query_params["slots"] in ("8.h200-sxm_fit.wse-3", ["8.h200-sxm_fit.wse-3"])
    assert "(edited)" not in page_text(tester)


def test_another_count_keeps_the_edit_and_another_chip_drops_it() -> None:
    tester = open_page(PAGES["compare"], slots=EDITED_SLOT)
    tester.number_input(key="slot0_count").set_value(16).run()
    assert "16 × H200 (edited)" in page_text(tester)
    tester.selectbox(key="slot0_chip").set_value("b200-sxm").run()
    assert "(edited)" not in page_text(tester)


@pytest.mark.parametrize("edit", ["bandwith=1e12", "memory_byte=0", "nonsense", "memory_byte=![x](http://x.example)"])
def test_a_bad_edit_is_named_and_nothing_is_put_in_its_place(edit: str) -> None:
    text = page_text(open_page(PAGES["compare"], slots=f"8.h200-sxm*{edit}_8.b200-sxm"))
    assert "could not be drawn" not in text
    assert "(edited)" not in text
    assert "![x](" not in text
    assert "left out" in text or "shows its own comparison" in text


def test_text_from_outside_cannot_lay_out_the_page() -> None:
    assert as_written("![x](y)") == r"\!\[x\]\(y\)"
