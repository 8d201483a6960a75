"""Bringing many files: read in steps, stopped, kept, told one by one, completed later, deleted, brought back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import cache
from app.components import intake_steps
from app.pages import find_pages
from tests.app.pages_as_text import open_page, page_text
from tests.data.reading import vllm

BENCHMARKS = next(found for found in find_pages() if found.page.key == "benchmarks")
OWN_RUNS = next(found for found in find_pages() if found.page.key == "explore")


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store of its own, and steps so long that they end with the work and not with the clock of a busy machine."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    monkeypatch.setattr(intake_steps, "STEP_S", 600.0)
    yield
    cache.store().close()


def dropped(*contents: bytes) -> AppTest:
    """The page with files of these contents in the uploader."""
    page = open_page(BENCHMARKS)
    files = [(f"f{number}.json", content, "application/json") for number, content in enumerate(contents)]
    return page.file_uploader[0].set_value(files).run()


def results(count: int) -> list[bytes]:
    """As many vLLM results that differ in their load."""
    return [json.dumps(vllm(max_concurrency=n + 1)).encode() for n in range(count)]


def button(page: AppTest, label: str) -> AppTest:
    """The page after a click on the first button that begins so."""
    return next(one for one in page.button if one.label.startswith(label)).click().run()


def test_many_files_are_one_table_and_every_one_is_told_of() -> None:
    """Ten results, a refused file, and a table with a bare TPS that must be asked about."""
    page = dropped(*results(10), b"hello", b"model,TPS\na,10.5\n")
    text = page_text(page)
    assert "**10** ready, **1** needs an answer, **1** refused" in text
    page = button(page, "Keep 10 runs")
    assert not page.exception
    assert len(cache.store().runs()) == 10
    assert "10 files kept, 2 not." in page_text(page)
    assert {one.file for one in cache.store().uploads()} == {f"f{n}.json" for n in range(10)}


def test_reading_stops_between_files_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """With steps of no length one file is read a step: after the first, the person stops; nothing is lost."""
    monkeypatch.setattr(intake_steps, "STEP_S", -1.0)
    page = dropped(*results(4))
    assert [one.label for one in page.button if one.label.startswith("Stop")] == ["Stop after this file"]
    page = button(page, "Stop after this file")
    assert "files were not read: you stopped" in page_text(page)
    page = button(page, "Keep nothing")
    assert cache.store().runs() == []


def test_keeping_stops_between_files(monkeypatch: pytest.MonkeyPatch) -> None:
    page = dropped(*results(4))
    monkeypatch.setattr(intake_steps, "STEP_S", -1.0)
    page = button(page, "Keep 4 runs")
    kept = len(cache.store().runs())
    assert 0 < kept < 4
    page = button(page, "Stop after this file")
    assert "not kept, stopped" in page_text(page)
    assert kept <= len(cache.store().runs()) < 4


def test_a_kept_file_is_completed_later() -> None:
    page = button(dropped(results(1)[0]), "Keep 1 run")
    assert "hardware_key" not in cache.store().runs()[0].values
    page = button(page, "Complete")
    page.selectbox(key=next(one.key for one in page.selectbox if one.key.endswith("_hardware"))).set_value("h100-sxm")
    page = button(page, "Put into all their runs")
    assert not page.exception
    (run,) = cache.store().runs()
    assert (run.values["hardware_key"], run.fields["hardware"].origin) == ("h100-sxm", "person")


def test_a_deletion_is_undone() -> None:
    page = button(dropped(*results(2)), "Keep 2 runs")
    page = button(page, "Delete")
    assert len(cache.store().runs()) == 1
    page = button(page, "Undo")
    assert len(cache.store().runs()) == 2
    assert "was deleted" not in page_text(page)


def test_two_scrapes_dropped_together_are_one_run() -> None:
    text = 'vllm:generation_tokens_total{{model_name="m"}} {}\nvllm:request_success_total{{model_name="m"}} {}\n'
    page = dropped(text.format(1000, 10).encode(), text.format(7000, 70).encode())
    assert "f0.json + f1.json" in page_text(page)
    button(page, "Keep 1 run")
    assert cache.store().runs()[0].values["completed"] == 60


def test_own_runs_names_devices_and_models() -> None:
    button(dropped(json.dumps(vllm(gpu="H100 SXM")).encode()), "Keep 1 run")
    assert cache.store().runs()[0].values["hardware_key"] == "h100-sxm"
    assert "Llama 3.1 8B" in page_text(open_page(OWN_RUNS))
    assert "h100-sxm" not in page_text(open_page(OWN_RUNS))


def test_a_proposed_answer_is_stored_only_once_it_is_sent() -> None:
    """The file's name holds a device: the box shows it as proposed, Keep alone leaves it, the form takes it.

    The second proposal is the format in which the model was published.
    """
    page = open_page(BENCHMARKS)
    file = ("run_h100-sxm.json", results(1)[0], "application/json")
    page = page.file_uploader[0].set_value([file]).run()
    box = next(one for one in page.selectbox if str(one.key).endswith("_hardware"))
    assert (box.label, box.value) == ("Device (proposed)", "h100-sxm")
    text = page_text(page)
    assert "until then nothing of it is stored" in text
    assert "Keep does not store any of the 2 proposed answers above" in text
    page = button(page, "Keep 1 run")
    assert "hardware" not in cache.store().runs()[0].values
    page = button(button(page, "Complete"), "Put into all their runs")
    (run,) = cache.store().runs()
    assert (run.values["hardware_key"], run.fields["hardware"].origin) == ("h100-sxm", "person")


def test_questions_that_block_stand_apart_from_those_that_may_stay_open() -> None:
    """A bare TPS may be of one user or of all: that must be said; model and device may stay unknown."""
    page = dropped(b"model,TPS\na,10.5\n")
    text = page_text(page)
    assert text.index("**Must be answered**") < text.index("What does column") < text.index("**May stay open**")
    assert "is kept only after what must be answered is answered" in text
    column = next(one for one in page.selectbox if "column:" in str(one.key))
    assert "Output tokens/s" in column.options
    assert "output_tps" not in column.label
    page = button(page, "Use these answers")
    assert "**Must be answered**" not in page_text(page)


def test_own_runs_without_runs_offers_the_samples_and_benchmarks() -> None:
    page = open_page(OWN_RUNS)
    assert any(link.proto.page == "benchmarks" for link in page.get("page_link"))
    page = button(page, "Load the sample runs")
    assert not page.exception
    text = page_text(page)
    assert "is fastest at" in text
    assert "invented" in text
    assert "TPOT mean, ms" in text
    assert "tpot mean ms" not in text
