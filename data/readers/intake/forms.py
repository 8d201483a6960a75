"""The same file in other clothes: results inside somebody's wrapper, JSON records as a table, foreign separators."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.delimited import rows_of
from data.readers.intake.json_values import Located
from data.readers.tables.grid import MAX_COLUMNS, MAX_ROWS, find_delimiter
from data.readers.tables.numbers import decide_marks, parse_cell, split_number

DEEPEST_WRAPPER = 4
MAX_TABLE_CHARACTERS = 20_000_000  # a table as large is read as it is or not at all
MAX_BESIDE = 1_000  # outer objects whose own figures are looked at
MAX_INNER = 50_000  # values looked at on one level of a wrapper
_SPACED = re.compile(r"(?:\t| {2,})")
_LEAST_COLUMNS = 3


def other_forms(content: Content) -> Iterator[tuple[Content, str]]:
    """(content, what was done to it in words) of every form in which a format may be recognised after all."""
    if content.values:
        yield from _unwrapped(content)
        return
    if len(content.text) > MAX_TABLE_CHARACTERS or len(content.lines) > MAX_ROWS:
        return
    plain = _plain_table(content)
    table, how = plain or (content, "")
    if plain is not None:
        yield plain
    records = _records(table)
    if records:
        said = "every row of the table is one record"
        yield replace(content, held=tuple(records)), f"{how}; {said}" if how else said


def _unwrapped(content: Content) -> Iterator[tuple[Content, str]]:
    """What stands inside the outer objects, one level after the other."""
    values, beside = list(content.values), dict[str, set[str]]()
    for _ in range(DEEPEST_WRAPPER):
        for key, said in _scalars(values):
            beside.setdefault(key, set()).add(said)
        values = list(islice((inner for value in values for inner in _inside(value)), MAX_INNER))
        records = [one for one in values if isinstance(one.value, dict)]
        if records:
            sure = tuple((key, one.pop()) for key, one in ((key, set(said)) for key, said in beside.items())
                         if len(one) == 1)  # fmt: skip
            how = f"found inside the file: {records[0].place} and so on"
            yield replace(content, held=tuple(records), beside=sure), how


def _scalars(values: Sequence[Located]) -> Iterator[tuple[str, str]]:
    """Texts and numbers that stand directly in these objects."""
    for item in values[:MAX_BESIDE]:
        for key, value in item.value.items() if isinstance(item.value, dict) else ():
            if isinstance(value, str | int | float) and not isinstance(value, bool) and len(str(value)) <= 200:
                yield str(key), str(value)


def _inside(item: Located) -> Iterator[Located]:
    if isinstance(item.value, dict):
        for key, value in item.value.items():
            yield Located(value=value, place=f"{item.place}.{key}", line=item.line)
    elif isinstance(item.value, list):
        for number, value in enumerate(item.value):
            yield Located(value=value, place=f"{item.place}[{number}]", line=item.line)


def _records(content: Content) -> list[Located]:
    """Rows under a header as objects; cells that are empty are left out, as JSON leaves out what is not known."""
    start = next((n for n, line in enumerate(content.lines[:40]) if line.count(",") >= _LEAST_COLUMNS - 1), None)
    if start is None:
        return []
    found, names = list[Located](), list[str]()
    try:
        for line, cells in rows_of(content.lines[start:], ",", start + 1):
            if not names:
                names = [cell.strip() for cell in cells]
            elif len(cells) == len(names) and cells != names:
                record = {name: cell.strip() for name, cell in zip(names, cells, strict=True) if name and cell.strip()}
                found.append(Located(value=record, place=f"row {line}", line=line))
    except ReadError:
        return []
    unique = len(set(names)) == len(names) and len(names) <= MAX_COLUMNS
    return found if unique else []


def _plain_table(content: Content) -> tuple[Content, str] | None:
    """The table with commas between cells and points in numbers; None if it has them already or is no table."""
    delimiter = find_delimiter(content)
    if delimiter is None:
        return _spaced_table(content)
    if delimiter not in ";\t":
        return None
    try:
        rows = [(line, list(cells)) for line, cells in rows_of(content.lines, delimiter)]
    except ReadError:
        return None
    decimal = decide_marks(cell for _, cells in rows for cell in cells).decimal
    rows = [(line, [_point(cell, decimal) for cell in cells]) for line, cells in rows]
    mark = "tab" if delimiter == "\t" else delimiter
    return _rewritten(content, rows), f"read with {mark!r} between cells and {decimal!r} as decimal mark"


def _spaced_table(content: Content) -> tuple[Content, str] | None:
    """Columns set apart by two or more blanks, as terminals print them."""
    rows = [(n, _SPACED.split(line.strip())) for n, line in enumerate(content.lines, start=1) if line.strip()]
    width = len(rows[0][1]) if rows else 0
    if width < _LEAST_COLUMNS or len(rows) < 2 or any(len(cells) != width for _, cells in rows):
        return None
    return _rewritten(content, rows), "read with blanks between cells"


def _point(cell: str, decimal: str) -> str:
    """The cell with a decimal point and without thousands marks; what is no number stays."""
    text = cell.strip()
    parts = split_number(text) if decimal == "," or "," in text else None
    if parts is None or parts[1] not in ("", "%"):
        return text
    number = parse_cell(text, decimal)
    return text if number.value is None else f"{number.value:.15g}{parts[1]}"


def _rewritten(content: Content, rows: Sequence[tuple[int, list[str]]]) -> Content:
    """The rows as comma-separated text, each on its own line of the file."""
    lines = [""] * max(line for line, _ in rows)
    for line, cells in rows:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="").writerow([" ".join(cell.split()) for cell in cells])
        lines[line - 1] = buffer.getvalue()
    text = "\n".join(lines) + "\n"
    return replace(content, text=text)
