"""`waferline predict`: a case table in, the same table with predictions out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from analysis.predict import predict
from data.errors import ReadError


def predict_command(
    cases: Annotated[Path, typer.Argument(help="Case table, CSV with one row a case.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV to write: the same rows, predictions added; - for the screen.")
    ],
) -> None:
    """Predict speed, ceiling, fit and what binds for every row of a case table."""
    table = predict(read_table(cases))
    on_screen = str(output) == "-"
    table.to_csv(sys.stdout if on_screen else output, index=False, lineterminator="\n")
    answered = int(table["predicted_tpot_ms"].notna().sum())
    summary = f"{len(table):,} rows, {answered:,} predicted, {len(table) - answered:,} with a reason"
    typer.echo(summary if on_screen else f"{summary}: {output}", err=on_screen)


def read_table(path: Path) -> pd.DataFrame:
    """A CSV as text, every cell as it stands. Raises ReadError naming the file if it is none."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as problem:
        raise ReadError(
            "not a table that can be read", where=path.name, found=str(problem), expected="CSV"
        ) from problem
