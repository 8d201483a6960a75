"""A case table file as text cells: comma-separated UTF-8, one row a case, anything else refused in words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import pandas as pd

from analysis.case_table.cells import INPUT_COLUMNS
from data.errors import ReadError

_OTHER_SEPARATORS = {";": "';'", "\t": "tabs", "|": "'|'"}
_SAVE_AS = "Save it as CSV in UTF-8 (in a spreadsheet: Save as, CSV UTF-8)."
_OTHER_TEXT = (b"\xff\xfe", b"\xfe\xff")  # a file that begins so is text in two bytes a letter
_END = "end of the table"  # an added line; a row that begins above it and reaches it has an open quote


def read_table(path: Path) -> pd.DataFrame:
    """A CSV as text, every cell and column name as it stands. Raises ReadError naming the file and line if it is none.

    A cell missing at a row's end is blank; cells beyond the header are dropped if blank and refused if not.
    """
    rows = list(_rows(_text(path), path.name))
    if not rows:
        raise ReadError("the table is empty", where=path.name, expected="a header line with column names")
    (_, header), *body = rows
    _check_separator(header, path.name)
    cells = [_fitted(row, len(header), f"{path.name}, line {line}") for line, row in body]
    return pd.DataFrame(cells, columns=pd.Index(header, dtype=object), dtype=str)


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise ReadError("the table cannot be opened", where=str(path), found=problem.strerror or problem) from problem
    if raw.startswith(_OTHER_TEXT) or b"\0" in raw:
        found = "UTF-16 or something that is no text"
        raise ReadError("not a table that can be read", where=path.name, found=found, expected="CSV", remedy=_SAVE_AS)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise ReadError(
            "letters that are not UTF-8", where=f"{path.name}, line {line}", expected="CSV in UTF-8", remedy=_SAVE_AS
        ) from problem


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not an empty line, with the line it begins on; refuses a quote that is never closed."""
    lines = list(io.StringIO(text, newline=""))
    reader, line = csv.reader(chain(lines, [_END])), 1
    try:
        for row in reader:
            if reader.line_num <= len(lines) and row and not (len(row) == 1 and row[0].isspace()):
                yield line, row
            line = line if reader.line_num > len(lines) else reader.line_num + 1
    except csv.Error as problem:
        raise ReadError(
            "a cell too long to be one", where=f"{name}, line {line}", remedy="Is a quote open?"
        ) from problem
    if line <= len(lines):
        raise ReadError("a quote that is never closed", where=f"{name}, in the row that begins on line {line}")


def _check_separator(header: Sequence[str], name: str) -> None:
    """Refuses a header that is one by another separator; numbers in such tables may have decimal commas."""
    known = len(set(header).intersection(INPUT_COLUMNS))
    for separator, said in _OTHER_SEPARATORS.items():
        parts = [part.strip().strip('"') for part in ",".join(header).split(separator)]
        if len(parts) > 1 and (len(header) == 1 or len(set(parts).intersection(INPUT_COLUMNS)) > max(known, 1)):
            raise ReadError(
                f"the cells are separated by {said}", where=name, expected="commas between cells, points in decimals",
                remedy="Save it as CSV with commas.",
            )  # fmt: skip


def _fitted(row: list[str], width: int, where: str) -> list[str]:
    """A row as wide as the header."""
    if any(cell.strip() for cell in row[width:]):
        raise ReadError(
            "more cells than columns", where=where, found=len(row), expected=f"{width}, as in the header",
            remedy="A cell with a comma in it needs quotes round it.",
        )  # fmt: skip
    return row[:width] + [""] * (width - len(row))
