"""Cells that a spreadsheet merged over several rows: only the first of them holds the text when saved as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from data.readers.tables.grid import Row
from data.readers.tables.headers import role_of

_IDENTITY = ("model_raw", "DEVICE", "engine")  # what a whole group of rows shares; anything else may be left blank


def carried_down(names: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    """The rows with the text above in empty cells of columns that name what was measured, each marked as carried.

    Under another title nothing is carried.
    """
    columns = [index for index, name in enumerate(names) if role_of(name).target in _IDENTITY]
    above: dict[int, tuple[int, str]] = {}
    found, section = list[Row](), None
    for row in rows:
        if row.section != section:
            above, section = {}, row.section
        carried = [index for index in columns if not row.cells[index] and index in above]
        cells = tuple(above[n][1] if n in carried else cell for n, cell in enumerate(row.cells))
        found.append(replace(row, cells=cells, carried=tuple((index, above[index][0]) for index in carried)))
        above |= {index: (row.line, row.cells[index]) for index in columns if row.cells[index]}
    return found
