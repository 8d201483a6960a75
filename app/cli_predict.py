"""`waferline predict`: a case table in, the same table with predictions out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from analysis.case_table.cells import INPUT_COLUMNS
from analysis.predict import is_answered, predict, set_aside
from app import own_entries
from app.case_file import read_table
from app.profiles import parameters_of, profiles_folder
from data.catalogue.profile_files import profile_named
from data.errors import WaferlineError, near_matches


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
    Others are kept; one with the name of a prediction is kept as given_ and its name.
    """
    given = read_table(cases)
    for hint in misspelt(given) + renamed(given):
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


def renamed(table: pd.DataFrame) -> list[str]:
    """A line for every column that bears the name of a prediction, or one for a table that was predicted before."""
    names = [str(name) for name in table.columns]
    if is_answered(names):
        return ["waferline: the table holds predictions already; they are replaced by new ones"]
    return [
        f"waferline: column {name!r} has the name of a prediction; yours is kept as {other!r}"
        for name, other in set_aside(names).items()
    ]


def write_table(table: pd.DataFrame, path: Path | None) -> None:
    """The table as CSV into a file, or onto the screen. Raises WaferlineError naming a place that cannot be written."""
    try:
        table.to_csv(sys.stdout if path is None else path, index=False, lineterminator="\n")
    except OSError as problem:
        raise WaferlineError(
            "the predictions cannot be written", where=str(path), found=problem.strerror or problem,
            expected="a folder that exists and may be written to",
        ) from problem  # fmt: skip
