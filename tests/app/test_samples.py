"""The sample runs: one click compares them, nothing is left to ask, and every file that is shipped is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from streamlit.testing.v1 import AppTest

from analysis.sentences import runs_words
from app import cache
from app.components.intake import INVENTED, SAMPLES, keep_samples
from app.components.run_views import empty_answer
from app.pages import find_pages
from data.readers import read_bytes, read_samples
from data.readers.intake.samples import ANSWERS
from data.store import resolve_names, with_memory
from tests.app.pages_as_text import open_page, page_text

SHIPPED = [path for path in sorted(SAMPLES.iterdir()) if path.name not in ("README.md", ANSWERS.name)]
BENCHMARKS = next(found for found in find_pages() if found.page.key == "benchmarks")


@pytest.fixture
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store of its own."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    yield
    cache.store().close()


@pytest.fixture
def page(empty_store: None) -> AppTest:
    """The Benchmarks page after one click on the button."""
    return open_page(BENCHMARKS).button(key="sample").click().run()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_the_page_reads_every_shipped_file(path: Path, empty_store: None) -> None:
    """As the page reads a dropped file: by content, names looked up, earlier answers proposed."""
    result = with_memory(cache.store(), resolve_names(read_bytes(path.name, path.read_bytes()), cache.catalogue()))
    assert result.status != "refused", result.reason
    assert result.runs


def test_one_click_gives_a_finished_comparison(page: AppTest) -> None:
    text = page_text(page)
    assert not page.exception
    assert page.title[0].value.startswith("Your 8 runs are ")
    assert "axis: users at once" in text
    assert text.count("mark: ") == 4, "one mark a machine and model"
    assert INVENTED in text


def test_one_click_leaves_nothing_to_ask(page: AppTest) -> None:
    text = page_text(page)
    for words in ("refused", "needs an answer", "What the file does not say", "cannot be predicted", "is not known"):
        assert words not in text
    labels = {button.label for button in page.button}
    assert labels == {"Complete", "Delete"}, "no question, nothing to keep, no second load"
    assert not page.text_input
    assert not page.selectbox


def test_samples_that_are_deleted_can_be_loaded_again(page: AppTest) -> None:
    page.button(key=f"delete_{read_samples()[0].sha256[:16]}").click().run()
    assert "Your 6 runs" in page.title[0].value
    page.button(key="sample").click().run()
    assert "Your 8 runs" in page.title[0].value
    assert "vllm_serve.json: 2 runs added." in page_text(page)


def test_the_samples_are_one_file_of_each_kind_and_all_is_answered() -> None:
    """vLLM serve, SGLang, llama-bench and a table; the answers fill every question and no field beside them."""
    results = read_samples()
    assert [one.format for one in results] == ["vllm_serve", "sglang_serving", "llama_bench", "table"]
    for result in results:
        bare = read_bytes(result.file, (SAMPLES / result.file).read_bytes())
        assert result.status == "taken"
        assert not resolve_names(result, cache.catalogue()).questions
        assert {one.field for one in bare.questions} == set(result.answers or {})


def test_answers_are_marked_as_invented() -> None:
    assert "Invented" in ANSWERS.read_text(encoding="utf-8")
    assert set(yaml.safe_load(ANSWERS.read_text(encoding="utf-8"))) <= {path.name for path in SHIPPED}


def test_invented_answers_are_not_proposed_for_other_files(empty_store: None) -> None:
    keep_samples(cache.store(), cache.catalogue())
    other = read_bytes("mine.json", (SAMPLES / "vllm_serve.json").read_bytes().replace(b"20260102", b"20260103"))
    assert other.questions
    assert not any(one.proposal for one in with_memory(cache.store(), other).questions)


@pytest.mark.parametrize(("count", "title"), [(1, "Your run cannot be"), (2, "None of your 2 runs can be")])
def test_runs_that_cannot_be_compared_are_counted_rightly(count: int, title: str) -> None:
    assert empty_answer(count)[0].startswith(title)


@pytest.mark.parametrize(("count", "words"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1200, "1,200 runs")])
def test_one_run_is_no_plural(count: int, words: str) -> None:
    assert runs_words(count) == words
