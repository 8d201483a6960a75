"""The calibration's report: read as written, absent without an error, and a wrong cell named."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.catalogue.accuracy_files import PREDICTION_COLUMNS, SUMMARY_COLUMNS, load_accuracy
from data.errors import CatalogueError

SUMMARY = "serving,serving,tpot_s,2,left out,model,12.5,10,20,13,10.5,0.8,1.5,"
PREDICTION = "serving-1,serving,serving,a model,a chip,an engine,tpot_s,0.010,0.011,0.012,0.009,0.014,True,"


def write(folder: Path, summary: str = SUMMARY, prediction: str = PREDICTION) -> Path:
    (folder / "summary.csv").write_text(",".join(SUMMARY_COLUMNS) + f"\n{summary}\n")
    (folder / "predictions.csv").write_text(",".join(PREDICTION_COLUMNS) + f"\n{prediction}\n")
    return folder


def test_cells_become_numbers_and_flags(tmp_path: Path) -> None:
    read = load_accuracy(write(tmp_path))
    assert read is not None
    assert read.summary.loc[0, "mape_percent"] == 12.5
    assert read.predictions.loc[0, "measured"] == 0.010
    assert bool(read.predictions.loc[0, "clean"])


def test_blank_figures_are_unknown_not_zero(tmp_path: Path) -> None:
    read = load_accuracy(write(tmp_path, prediction=PREDICTION.replace("0.009,0.014", ",")))
    assert read is not None
    assert read.predictions[["low", "high"]].isna().all(axis=None)


def test_no_report_is_no_error(tmp_path: Path) -> None:
    assert load_accuracy(tmp_path) is None


@pytest.mark.parametrize(
    ("summary", "prediction", "says"),
    [
        (SUMMARY.replace("left out", "by heart"), PREDICTION, "unknown split.*by heart"),
        (SUMMARY.replace("12.5", "twelve"), PREDICTION, "mape_percent.*not a number.*twelve"),
        (SUMMARY, PREDICTION.replace("0.010", "0"), "serving-1.*not above zero"),
        (SUMMARY, PREDICTION.replace("True", "perhaps"), "clean.*neither true nor false"),
    ],
)
def test_wrong_cells_are_named(tmp_path: Path, summary: str, prediction: str, says: str) -> None:
    with pytest.raises(CatalogueError, match=says):
        load_accuracy(write(tmp_path, summary, prediction))


def test_one_file_without_the_other(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "summary.csv").unlink()
    with pytest.raises(CatalogueError, match="one of two files"):
        load_accuracy(tmp_path)
