"""Every page found in its folder draws, on a store with runs and on an empty one, and names its sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import cache
from app.components.intake import SAMPLES
from app.components.page import GROUPS, FoundPage
from app.pages import find_pages
from data.readers import read_bytes
from data.store import resolve_names
from tests.app.pages_as_text import beyond_an_axis, figures, open_page, page_text
from tests.conftest import Golden

PAGES = find_pages()
NAMES = [found.page.key for found in PAGES]
SAID = {"vllm_serve.json": {"hardware": "h100-sxm", "device_count": "1"}}  # what a sample file does not say


@pytest.fixture(params=["empty", "with-runs"])
def store_kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A store of its own, empty or holding the sample runs."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    if request.param == "with-runs":
        for name in ("vllm_serve.json", "llama_bench.jsonl", "table.csv"):
            result = read_bytes(name, (SAMPLES / name).read_bytes(), SAID.get(name))
            cache.store().import_result(resolve_names(result, cache.catalogue()))
    yield request.param
    cache.store().close()


@pytest.mark.parametrize("found", PAGES, ids=NAMES)
def test_page_names_its_source_and_says_its_golden_text(found: FoundPage, store_kind: str, golden: Golden) -> None:
    tester = open_page(found, **{f"{found.page.key}_arithmetic": "true"})
    assert not tester.exception
    text = page_text(tester)
    assert "could not be drawn" not in text
    assert len(tester.title) == 1
    assert len(tester.title[0].value) <= 130
    assert any("Source: " in each.value for each in tester.caption), "no source line"
    assert text.count("Show the arithmetic") <= 1
    assert [beyond_an_axis(spec) for spec in figures(tester) if beyond_an_axis(spec)] == []
    golden.check(f"page-{found.page.key}-{store_kind}.txt", text)


def test_pages_are_registered_once_and_grouped() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert len({found.page.url_path for found in PAGES}) == len(PAGES)
    assert [found.page.url_path for found in PAGES].count("") == 1, "exactly one page is the home page"
    assert {found.page.group for found in PAGES} <= set(GROUPS)
    assert all(found.page.question.endswith("?") for found in PAGES)


@pytest.mark.parametrize("found", PAGES, ids=NAMES)
def test_nonsense_in_the_address_still_draws_the_page(found: FoundPage) -> None:
    tester = open_page(found, model="No Such Model", context="7", slots="x_8.nochip_9999999999.wse-3", users="-1")
    assert not tester.exception
    assert "could not be drawn" not in page_text(tester)
    assert len(tester.title) == 1
