"""`waferline export`: the stored runs as CSV, Parquet, JSON or llm-d reports."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from data.errors import StoreError
from data.store import Filter, left_out, open_store, path_to_read


class Format(StrEnum):
    """File formats of an export."""

    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"
    LLMD = "llm-d"


def export_command(
    kind: Annotated[Format, typer.Option("--format", help="File format.")] = Format.CSV,
    output: Annotated[Path | None, typer.Option(help="File to write; standard output if left out.")] = None,
    store: Annotated[Path | None, typer.Option(help="Store to read instead of your own.")] = None,
) -> None:
    """Write every stored run with its canonical fields; JSON also says where each figure comes from.

    llm-d: benchmark reports 0.2.1 as a JSON list; runs that lack what a report must state are named on stderr.
    """
    with path_to_read(store) as path, open_store(path) as opened:
        if kind is Format.LLMD:
            for line in (line for runs in opened.each(Filter()) for line in left_out(runs)):
                typer.echo(f"not exported, {line}", err=True)
        if output is None:
            opened.export_to(sys.stdout.buffer, kind.value)
            return
        try:
            with output.open("wb") as stream:
                opened.export_to(stream, kind.value)
        except OSError as error:
            found = error.strerror or error
            raise StoreError("the export cannot be written", where=str(output), found=found) from error
