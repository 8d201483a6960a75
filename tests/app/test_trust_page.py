"""The page on trust with a report and without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.pages import find_pages
from data.catalogue import accuracy_files
from tests.app.pages_as_text import open_page, page_text
from tests.data.test_accuracy_files import PREDICTION, write

PAGE = next(found for found in find_pages() if found.page.key == "trust")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for the report."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    monkeypatch.setattr(accuracy_files, "ACCURACY_FOLDER", tmp_path / "accuracy")
    (tmp_path / "accuracy").mkdir()
    return tmp_path / "accuracy"


def test_without_a_report_the_page_says_what_makes_one(folder: Path) -> None:
    text = page_text(open_page(PAGE))
    assert "No calibration has been run" in text
    assert "waferline calibrate" in text
    assert "Source: " in text


def test_with_a_report_errors_and_what_is_not_covered_are_shown(folder: Path) -> None:
    write(folder, prediction=PREDICTION + "\n" + PREDICTION.replace("True", "False").replace("-1", "-2") + "odd")
    text = page_text(open_page(PAGE))
    assert "Half of 1 unseen runs are within 20 %" in text  # 12 ms predicted, 10 ms measured
    assert "Not covered" in text
    assert "odd|1|serving-2" in text
    assert "measured time per output token (ms, log)" in text


def test_in_sample_errors_are_a_choice_of_their_own(folder: Path) -> None:
    write(folder)
    assert "Half of 1 fitted runs are within 10 %" in page_text(open_page(PAGE, split="had seen it"))
