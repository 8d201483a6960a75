"""`waferline export`: the stored runs as CSV, Parquet, JSON or llm-d reports."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from data.errors import StoreError
from data.store import left_out, open_store


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
    with open_store(store) as opened:
        content = opened.export(kind.value)
        lacking = left_out(opened.runs()) if kind is Format.LLMD else []
    for line in lacking:
        typer.echo(f"not exported, {line}", err=True)
    if output is None:
        sys.stdout.buffer.write(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise StoreError("the export cannot be written", where=str(output), found=error.strerror or error) from error
