"""Measured powers and stated conditions: what ships is complete, and a wrong file says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.catalogue.power_files import read_conditions, read_readings
from data.errors import CatalogueError


def test_shipped_readings() -> None:
    """86 runs; ten at the wall. 229 W is printed for A100, one sequence of Llama-3-8B with vLLM."""
    table = read_readings().set_index("row_id")
    assert len(table) == 86
    assert (table["scope"] == "wall").sum() == 10
    assert table.loc["argo-114", "mean_power_w"] == 229


def test_shipped_conditions_name_their_source() -> None:
    table = read_conditions()
    assert (table["source"].str.len() > 20).all()
    assert table.loc[table["model"] == "Llama-3.1-405B", "input_tokens"].item() == "9400"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("row_id,mean_power_w\na-1,5\n", "columns are missing"),
        ("row_id,scope,mean_power_w\na-1,roof,5\n", "a-1.*scope"),
        ("row_id,scope,mean_power_w\na-1,wall,0\n", "a-1.*not a power"),
        ("row_id,scope,mean_power_w\na-1,wall,5\na-1,wall,6\n", "given twice"),
    ],
)
def test_wrong_readings_say_where(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "readings.csv"
    path.write_text(text)
    with pytest.raises(CatalogueError, match=says):
        read_readings(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no such file"):
        read_conditions(tmp_path / "conditions.csv")
