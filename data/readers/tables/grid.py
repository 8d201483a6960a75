"""Delimited text as rows of cells with the line each begins on; the delimiter is found, never assumed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass

from data.errors import ReadError
from data.readers.intake.content import Content

DELIMITERS = ",;\t|"
MAX_COLUMNS = 500
MAX_ROWS = 50_000
MAX_CELL_CHARACTERS = 131_072
_SAMPLE_LINES, _SAMPLE_CHARACTERS = 200, 500_000


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: its line in the file (first = 1), its cells, and for unfolded pivots the place of every cell.

    carried   column -> line of the row above whose cell stands for this row's empty one, as merged cells do
    section   (line, text) of the title above this part of the table, where the table has several such parts
    """

    line: int
    cells: tuple[str, ...]
    places: tuple[str, ...] = ()
    carried: tuple[tuple[int, int], ...] = ()
    section: tuple[int, str] | None = None

    def place(self, index: int) -> str:
        """Where a cell stands in the file, in words."""
        return self.places[index] if self.places else f"row {self.line}"

    @property
    def filled(self) -> list[str]:
        """The cells that are not empty."""
        return [cell for cell in self.cells if cell]


def find_delimiter(content: Content) -> str | None:
    """The character that cuts most lines into equally many cells (at least two); None if there is none."""
    sample = "\n".join(content.text[:_SAMPLE_CHARACTERS].splitlines()[:_SAMPLE_LINES])
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        try:
            counts = [len(row.cells) for row in _rows(sample, delimiter) if row.filled]
        except ReadError:
            continue
        counter = Counter(count for count in counts if count > 1)
        if not counter:
            continue
        width, times = max(counter.items(), key=lambda item: (item[1], item[0]))
        score = (times / len(counts), width, delimiter)
        best = score if best is None or score > best else best
    return best[2] if best and best[0] >= 0.4 else None


def read_grid(content: Content) -> list[Row]:
    """Every row of the table. Raises ReadError when it is no table or beyond the limits on columns and rows."""
    delimiter = find_delimiter(content)
    if delimiter is None:
        raise ReadError("the lines do not split into columns", expected="cells separated by comma, semicolon, tab or |")
    if len(content.lines) > MAX_ROWS:
        raise ReadError(
            "the table has too many rows",
            found=f"{len(content.lines):,}",
            expected=f"{MAX_ROWS:,} at most",
            remedy="Split the file, or summarise single requests into runs first.",
        )
    widest = max((line.count(delimiter) + 1 for line in content.lines), default=0)
    if widest > MAX_COLUMNS:
        raise ReadError("the table has too many columns", found=widest, expected=f"{MAX_COLUMNS} at most")
    return _rows(content.text, delimiter)


def _rows(text: str, delimiter: str) -> list[Row]:
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows, line = [], 1
    try:
        for cells in table:
            stripped = tuple(cell.strip() for cell in cells)
            rows.append(Row(line=line, cells=_inside(stripped) if delimiter == "|" else stripped))
            line = table.line_num + 1
    except csv.Error as error:
        raise ReadError(
            "the table breaks off", where=f"line {line}", found=str(error), remedy="Check the quotes on that line."
        ) from error
    return rows


def _inside(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Cells of a line that begins and ends with the bar."""
    start = 1 if len(cells) > 2 and cells[0] == "" else 0
    return cells[start : len(cells) - 1 if start and cells[-1] == "" else len(cells)]
