"""Reads measured powers of serving runs, and the conditions their sources state beside their tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from data.errors import CatalogueError

POWER_FOLDER = Path(__file__).parent / "power"
SCOPES = ("devices", "wall")
_READINGS = ("row_id", "scope", "mean_power_w")
_CONDITIONS = (
    "block", "model", "hardware_said", "hardware", "concurrency", "input_tokens", "output_tokens", "tp",
    "weight_format", "kv_format", "kind", "source",
)  # fmt: skip
_KINDS = ("stated", "derived", "estimate")


def read_readings(path: Path = POWER_FOLDER / "readings.csv") -> pd.DataFrame:
    """Mean power of all devices (or of the server at the wall) during a measured run. [W]

    One row a run: `row_id` of the measured table, `scope` of the meter, `mean_power_w`. Raises CatalogueError for a
    missing column, a scope nobody knows, a power that is not above zero, or a run given twice.
    """
    table = _read(path, _READINGS)
    power = pd.to_numeric(table["mean_power_w"], errors="coerce")
    _refuse(path, table["row_id"], ~(power > 0), "not a power above zero")
    _refuse(path, table["row_id"], ~table["scope"].isin(SCOPES), f"scope is neither {' nor '.join(SCOPES)}")
    _refuse(path, table["row_id"], table["row_id"].duplicated(), "given twice")
    return table.assign(mean_power_w=power.astype(float))


def read_conditions(path: Path = POWER_FOLDER / "conditions.csv") -> pd.DataFrame:
    """What a source says of its runs outside the table: lengths, device, copies; text, empty where it says nothing.

    A row holds for every run of its block, or for those of its model. Raises CatalogueError for a missing column, a
    kind other than stated, derived or estimate, or a row without a source.
    """
    table = _read(path, _CONDITIONS)
    names = table["block"] + " " + table["model"]
    _refuse(path, names, ~table["kind"].isin(_KINDS), f"kind is not one of {', '.join(_KINDS)}")
    _refuse(path, names, table["source"] == "", "no source")
    return table


def _read(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    if not path.is_file():
        raise CatalogueError("no such file", where=str(path))
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if missing := [name for name in columns if name not in table.columns]:
        raise CatalogueError("columns are missing", where=path.name, found=", ".join(missing))
    return table


def _refuse(path: Path, names: pd.Series[str], wrong: pd.Series[bool], what: str) -> None:
    if wrong.any():
        raise CatalogueError(what, where=f"{path.name}, {names[wrong].iloc[0]}")
