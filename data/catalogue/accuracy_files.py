"""Reads the errors that the calibration reported: a summary by group, and every measured run beside its prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from data.errors import CatalogueError

ACCURACY_FOLDER = Path(__file__).parent / "accuracy"
IN_SAMPLE, LEFT_OUT = "in sample", "left out"
_TEXT, _NUMBER, _FLAG = "text", "number", "flag"
SUMMARY_COLUMNS: Mapping[str, str] = {
    "group": _TEXT, "regime": _TEXT, "quantity": _TEXT, "rows": _NUMBER, "split": _TEXT, "left_out_by": _TEXT,
    "mape_percent": _NUMBER, "median_percent": _NUMBER, "p90_percent": _NUMBER, "goal_mape_percent": _NUMBER,
    "goal_median_percent": _NUMBER, "coverage_fraction": _NUMBER, "interval_ratio": _NUMBER, "note": _TEXT,
}  # fmt: skip
PREDICTION_COLUMNS: Mapping[str, str] = {
    "row_id": _TEXT, "group": _TEXT, "regime": _TEXT, "model": _TEXT, "hardware": _TEXT, "engine": _TEXT,
    "quantity": _TEXT, "measured": _NUMBER, "predicted_in_sample": _NUMBER, "predicted_left_out": _NUMBER,
    "low": _NUMBER, "high": _NUMBER, "clean": _FLAG, "note": _TEXT,
}  # fmt: skip
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """What the last calibration found.

    summary       one row a group and split: errors in percent, goals, share of rows inside the 80 % interval
    predictions   one row a measured run and quantity: measured, predicted in sample and left out, interval, in the
                  unit that `quantity` names; nan where a figure is not known
    """

    summary: pd.DataFrame
    predictions: pd.DataFrame


def load_accuracy(folder: Path | None = None) -> Accuracy | None:
    """The calibration's report; None where none has been written yet.

    Raises CatalogueError for a file without its partner, a missing column, a cell that is no number where one is
    wanted, an unknown split, or a measured value that is not above zero.
    """
    where = folder or ACCURACY_FOLDER
    paths = [where / name for name in ("summary.csv", "predictions.csv")]
    there = [path for path in paths if path.is_file()]
    if not there:
        return None
    if len(there) < len(paths):
        raise CatalogueError("one of two files is missing", where=str(where), found=there[0].name)
    return _read_both(*((path, path.stat().st_mtime_ns) for path in paths))


@lru_cache(maxsize=4)
def _read_both(summary: tuple[Path, int], predictions: tuple[Path, int]) -> Accuracy:
    """Both files; read again when one was written anew."""
    read = Accuracy(summary=_read(summary[0], SUMMARY_COLUMNS), predictions=_read(predictions[0], PREDICTION_COLUMNS))
    unknown = read.summary.loc[~read.summary["split"].isin([IN_SAMPLE, LEFT_OUT]), "split"]
    if len(unknown):
        raise CatalogueError("unknown split", where=summary[0].name, found=unknown.iloc[0])
    wrong = read.predictions.loc[~(read.predictions["measured"] > 0), "row_id"]
    if len(wrong):
        raise CatalogueError("measured value is not above zero", where=f"{predictions[0].name}, {wrong.iloc[0]}")
    return read


def _read(path: Path, columns: Mapping[str, str]) -> pd.DataFrame:
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if missing := [name for name in columns if name not in table.columns]:
        raise CatalogueError("columns are missing", where=path.name, found=", ".join(missing))
    readers = {_TEXT: _texts, _NUMBER: _numbers, _FLAG: _flags}
    return pd.DataFrame({name: readers[kind](table[name], path) for name, kind in columns.items()})


def _texts(cells: pd.Series[str], path: Path) -> pd.Series[str]:
    return cells


def _numbers(cells: pd.Series[str], path: Path) -> pd.Series[float]:
    values = pd.to_numeric(cells.where(cells != ""), errors="coerce").astype(float)
    wrong = cells[values.isna() & (cells != "") & (cells.str.lower() != "nan")]
    if len(wrong):
        raise CatalogueError("not a number", where=f"{path.name}, {cells.name}", found=wrong.iloc[0])
    return values


def _flags(cells: pd.Series[str], path: Path) -> pd.Series[bool]:
    said = cells.str.lower()
    wrong = cells[~said.isin([*_TRUE, *_FALSE])]
    if len(wrong):
        raise CatalogueError("neither true nor false", where=f"{path.name}, {cells.name}", found=wrong.iloc[0])
    return said.isin(_TRUE)
