"""A JSON list of flat objects as a grid: the keys are the header, an object is a row, every cell keeps its path."""

from __future__ import annotations

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.json_values import Located
from data.readers.tables.grid import MAX_COLUMNS, MAX_ROWS, Row

_LEAST_ROWS = 2  # objects one after another; a list of one object is a list all the same


def is_list_of_rows(content: Content) -> bool:
    """True for one JSON list, or several objects in a row, of objects that hold nothing but texts and numbers."""
    items = content.records
    listed = len(content.values) == 1 and isinstance(content.values[0].value, list)
    if not items or not (listed or len(items) >= _LEAST_ROWS) or content.unparsed:
        return False
    return all(_is_flat(item) for item in items)


def rows_of_objects(content: Content) -> list[Row]:
    """Header and rows. Raises ReadError beyond the limits on rows and columns."""
    names = list(dict.fromkeys(str(key) for item in content.records for key in _object(item)))
    if len(content.records) > MAX_ROWS or len(names) > MAX_COLUMNS:
        raise ReadError(
            "the list is too large for a table",
            found=f"{len(content.records):,} rows of {len(names):,} columns",
            expected=f"{MAX_ROWS:,} rows and {MAX_COLUMNS} columns at most",
        )
    rows = [Row(line=1, cells=tuple(names))]
    for number, item in enumerate(content.records, start=1):
        cells = tuple(_cell(_object(item).get(name)) for name in names)
        places = tuple(f"{item.place}.{name}" for name in names)
        rows.append(Row(line=max(item.line, number), cells=cells, places=places))
    return rows


def _object(item: Located) -> dict[str, object]:
    return item.value if isinstance(item.value, dict) else {}


def _is_flat(item: Located) -> bool:
    return bool(_object(item)) and not any(isinstance(value, dict | list) for value in _object(item).values())


def _cell(value: object) -> str:
    """The value as a cell of text: numbers in full, null and truth values as empty cells and words."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
