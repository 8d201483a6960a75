"""The accuracy gate as a command and as a page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.components.gate_views import SAMPLE_NAMES, SAMPLES, as_named
from app.pages import find_pages
from tests.app.pages_as_text import open_page, page_text

REFERENCE, OPTIMISED, TOKENS = (str(SAMPLES / name) for name in SAMPLE_NAMES)


def test_the_sample_pair_fails_in_layer_7_and_says_so() -> None:
    """The pair is rounded to 8 bits everywhere (below 1e-4) but in layer 7, where one of 32 columns shrank by a fifth:
    error 0.2^2 / 32 = 1.25e-3 of the variance."""
    found = CliRunner().invoke(cli, ["gate", REFERENCE, OPTIMISED, "--tokens", TOKENS, "--json"])
    said = json.loads(found.output)
    assert found.exit_code == 1
    assert said["first_bad"] == "model.layers.7"
    bad = [each for each in said["tensors"] if each["verdict"] == "fails"]
    assert [each["relative_error"] for each in bad] == [pytest.approx(1.25e-3, rel=0.2)]
    logits = said["tensors"][-1]
    assert (logits["tensor"], logits["top1"]) == ("logits", 1.0)
    assert logits["candidate_perplexity"] == pytest.approx(logits["reference_perplexity"], rel=0.02)


@pytest.mark.parametrize(
    ("more", "status"), [(["--relative-mse", "0.01"], 0), (["--relative-mse", "off", "--cosine", "0.9999"], 1)]
)
def test_the_exit_status_follows_the_thresholds(more: list[str], status: int) -> None:
    assert CliRunner().invoke(cli, ["gate", REFERENCE, OPTIMISED, *more]).exit_code == status


def test_a_threshold_in_words_is_refused() -> None:
    found = CliRunner().invoke(cli, ["gate", REFERENCE, OPTIMISED, "--cosine", "high"])
    assert "expected a number, or off" in str(found.exception)


def test_a_file_that_is_no_tensor_file_is_an_error_for_people(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes([255, 216, 255, 224] * 9))
    found = CliRunner().invoke(cli, ["gate", REFERENCE, str(tmp_path / "x.bin")])
    assert "neither tensors nor a table" in str(found.exception)


def test_a_perfect_copy_passes(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.random.default_rng(1).normal(size=(4, 6)))
    found = CliRunner().invoke(cli, ["gate", str(tmp_path / "a.npy"), str(tmp_path / "a.npy")])
    assert (found.exit_code, "not one number differs" in found.output) == (0, True)


def test_the_page_judges_the_sample_pair() -> None:
    page = next(each for each in find_pages() if each.page.key == "gate")
    tester = open_page(page, sample_pair="true")
    assert not tester.exception
    assert "model.layers.7 fails, the other 14 pass" in tester.title[0].value
    assert "could not be drawn" not in page_text(tester)
    strict = open_page(page, sample_pair="true", mse="0.01")
    assert strict.title[0].value.startswith("Yes: all 15 tensors pass")


def test_a_tensor_cannot_put_a_picture_on_the_page() -> None:
    """Cells are Markdown: a backslash before a bracket leaves it a bracket."""
    shown = as_named(pd.DataFrame({"tensor": ["model.layers.0", "![x](http://a/x.png)"]}))["tensor"].tolist()
    assert shown == ["model.layers.0", "!\\[x\\](http://a/x.png)"]
