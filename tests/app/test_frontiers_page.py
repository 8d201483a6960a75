"""The page of measured frontiers with the person's own runs, and asked for what was not measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import cache
from app.components.intake import SAMPLES
from app.pages import find_pages
from data.readers import read_bytes
from data.store import resolve_names
from tests.app.pages_as_text import open_page, page_text
from tests.app.test_pages import SAID

PAGE = next(found for found in find_pages() if found.page.key == "frontiers")


@pytest.fixture
def own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A store with the sample runs; the name of a model they served."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    for name in ("vllm_serve.json", "table.csv"):
        result = read_bytes(name, (SAMPLES / name).read_bytes(), SAID.get(name))
        cache.store().import_result(resolve_names(result, cache.catalogue()))
    yield cache.measured_runs()[0].architecture.name
    cache.store().close()


def test_own_runs_stand_on_top(own_runs: str) -> None:
    tester = open_page(PAGE, measured_model=own_runs, lengths="any", colour="who measured")
    assert not tester.exception
    text = page_text(tester)
    assert "of your own" in text
    assert "your own|" in text.replace("\u00a0", " ")
    assert "Own runs are not reviewed" in text
    assert "not reviewed" in text


def test_a_speed_nobody_measured_is_said(own_runs: str) -> None:
    text = page_text(open_page(PAGE, least="99999"))
    assert "No measured run of" in text
    assert "asked for" not in text
