"""`waferline predict`: a case table in, the same table with predictions out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from analysis.case_table.cells import INPUT_COLUMNS
from analysis.predict import predict
from app import own_entries
from app.profiles import parameters_of, profiles_folder
from data.catalogue.profile_files import profile_named
from data.errors import ReadError, WaferlineError, near_matches


def predict_command(
    cases: Annotated[Path, typer.Argument(help="Case table, CSV with one row a case.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV to write: the same rows, predictions added; - for the screen.")
    ],
    profile: Annotated[
        str, typer.Option("--profile", help="A profile fitted to your own runs; without it, the shipped values.")
    ] = "",
) -> None:
    """Predict speed, ceiling, fit and what binds for every row of a case table.

    Columns read, all but the first two optional: model, hardware, device_count, engine, weight_format, kv_format, tp,
    pp, ep, dp, parallelism, concurrency, input_tokens, output_tokens, length_factor and a few more (see the README).
    """
    given = read_table(cases)
    for hint in misspelt(given):
        typer.echo(hint, err=True)
    believed = parameters_of(profile_named(profiles_folder(), profile)) if profile else None
    table = predict(given, own_entries.catalogue(), parameters=believed)
    on_screen = str(output) == "-"
    write_table(table, None if on_screen else output)
    answered = int(table["predicted_tpot_ms"].notna().sum())
    summary = f"{len(table):,} rows, {answered:,} predicted, {len(table) - answered:,} with a reason"
    typer.echo(summary if on_screen else f"{summary}: {output}", err=on_screen)


def misspelt(table: pd.DataFrame) -> list[str]:
    """A line for every column that is not read but looks like one that is; others are kept without a word."""
    lines = []
    for name in table.columns.difference(list(INPUT_COLUMNS)):
        near = [each for each in near_matches(str(name), INPUT_COLUMNS, 2) if each not in table.columns]
        if near:
            lines.append(f"waferline: column {name!r} is not read; did you mean {' or '.join(near)}?")
    return lines


def write_table(table: pd.DataFrame, path: Path | None) -> None:
    """The table as CSV into a file, or onto the screen. Raises WaferlineError naming a place that cannot be written."""
    try:
        table.to_csv(sys.stdout if path is None else path, index=False, lineterminator="\n")
    except OSError as problem:
        raise WaferlineError(
            "the predictions cannot be written", where=str(path), found=problem.strerror or problem,
            expected="a folder that exists and may be written to",
        ) from problem  # fmt: skip


def read_table(path: Path) -> pd.DataFrame:
    """A CSV as text, every cell as it stands. Raises ReadError naming the file if it is none."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as problem:
        raise ReadError(
            "not a table that can be read", where=path.name, found=str(problem), expected="CSV"
        ) from problem
