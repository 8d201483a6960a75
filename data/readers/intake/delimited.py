"""Delimited text row by row with line numbers; a row of another width is refused, never shifted."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

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


@dataclass(kw_only=True)
class LeftOut:
    """Rows left out: the first are named, the rest counted, so that a large file costs no memory."""

    named: list[Skipped] = field(default_factory=list)
    more: int = 0
    next_line: int = 0

    def add(self, skipped: Skipped) -> None:
        """Note one row."""
        if len(self.named) < MAX_LISTED:
            self.named.append(skipped)
        else:
            self.next_line = self.next_line or skipped.line
            self.more += 1

    def listed(self) -> list[Skipped]:
        """The rows named, and how many more there are."""
        rest = Skipped(line=self.next_line, why=f"and {self.more:,} further lines left out")
        return [*self.named, rest] if self.more else list(self.named)
