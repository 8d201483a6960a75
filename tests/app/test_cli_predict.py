"""`waferline predict` as a person types it: misspelt columns, places that cannot be written, the screen."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from data.errors import WaferlineError

ROW = "model,hardware,device_count,{extra}\nLlama-3.1-8B,h200-sxm,1,{value}\n"
RUN = CliRunner()


def table(folder: Path, extra: str, value: str) -> Path:
    path = folder / "cases.csv"
    path.write_text(ROW.format(extra=extra, value=value))
    return path


def test_the_screen_gets_strict_csv_and_nothing_else(tmp_path: Path) -> None:
    result = RUN.invoke(cli, ["predict", str(table(tmp_path, "concurrency", "4")), "--output", "-"])
    assert result.exit_code == 0
    row = next(csv.DictReader(io.StringIO(result.stdout)))
    assert float(row["predicted_tpot_ms"]) > 16.06e9 / 4.8e12 * 1e3 * 0.9  # bf16 weights over bandwidth, head included
    assert "1 predicted" in result.stderr


@pytest.mark.parametrize("name", ["weights_format", "weightformat", "Weight_Format"])
def test_a_misspelt_column_is_named_and_not_used(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out.csv"
    result = RUN.invoke(cli, ["predict", str(table(tmp_path, name, "fp8")), "--output", str(out)])
    assert result.exit_code == 0
    assert "weight_format" in result.stderr
    assert next(csv.DictReader(out.open()))[name] == "fp8"


def test_columns_of_the_persons_own_are_kept_without_a_word(tmp_path: Path) -> None:
    result = RUN.invoke(cli, ["predict", str(table(tmp_path, "ticket", "A-7")), "--output", "-"])
    assert "not read" not in result.stderr
    assert next(csv.DictReader(io.StringIO(result.stdout)))["ticket"] == "A-7"


def test_a_place_that_cannot_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    arguments = ["predict", str(table(tmp_path, "concurrency", "1")), "--output", str(tmp_path / "none" / "out.csv")]
    result = RUN.invoke(cli, arguments)
    assert isinstance(result.exception, WaferlineError)
    assert "cannot be written" in str(result.exception)
