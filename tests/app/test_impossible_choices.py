"""A choice that cannot be served is an answer: a whole sentence on every page that decides, with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import cache
from app.pages import find_pages
from tests.app.pages_as_text import open_page, page_text

OVER_LIMIT = {"model": "DeepSeek-V3", "context": "200K"}  # its makers stop at 163,840 tokens
TOO_MUCH = {"context": "200K", "users": "1024", "weights": "BF16", "kv": "BF16", "slots": "1.h200-sxm_1.wse-3"}
BOUNDS = {"bandwidth", "roofline"}  # speak of bytes and operations alone, whether a machine serves them or not
OWN_LENGTHS = {"serving", "capacity"}  # ask for prompts and answers instead of a context
PAGES = {found.page.key: found for found in find_pages() if found.page.group == "Decide"}


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty store of its own."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    yield
    cache.store().close()


@pytest.mark.parametrize("key", sorted(PAGES))
@pytest.mark.parametrize("query", [OVER_LIMIT, TOO_MUCH], ids=["over-the-limit", "too-much"])
def test_titles_are_whole_sentences(key: str, query: dict[str, str]) -> None:
    tester = open_page(PAGES[key], **query)
    assert not tester.exception
    title = tester.title[0].value
    assert len(title) <= 130
    assert title.endswith(".")


@pytest.mark.parametrize("key", sorted(PAGES.keys() - BOUNDS - OWN_LENGTHS))
def test_a_context_above_the_limit_is_said_and_no_count_is_offered(key: str) -> None:
    tester = open_page(PAGES[key], **OVER_LIMIT)
    assert "above the limit" in page_text(tester)
    assert " would" not in tester.title[0].value
