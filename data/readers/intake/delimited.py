"""Delimited text row by row with line numbers; a row of another width is refused, never shifted."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from data.errors import ReadError
from data.readers.intake.result import Skipped

MAX_LISTED = 50  # rows left out that are named one by one; the rest are counted


def rows_of(lines: Iterable[str], delimiter: str, first_line: int = 1) -> Iterator[tuple[int, list[str]]]:
    """(line in the file, cells) of every row that is not blank. Raises ReadError where the quotes break."""
    table = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    try:
        for cells in table:
            if any(cells):
                yield first_line + table.line_num - 1, cells
    except csv.Error as error:
        where = f"line {first_line + table.line_num - 1}"
        raise ReadError("the table breaks off", where=where, found=str(error), remedy="Check its quotes.") from error


def wrong_width(line: int, cells: Sequence[str], names: Sequence[str]) -> Skipped:
    """A row refused for its number of cells."""
    return Skipped(line=line, why=f"{len(cells)} cells under {len(names)} headers")


def shortened(skipped: Sequence[Skipped]) -> list[Skipped]:
    """The first of many rows left out, and how many more there are."""
    if len(skipped) <= MAX_LISTED:
        return list(skipped)
    rest = len(skipped) - MAX_LISTED
    return [*skipped[:MAX_LISTED], Skipped(line=skipped[MAX_LISTED].line, why=f"and {rest:,} further lines left out")]
