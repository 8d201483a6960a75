"""Wide tables, one column a batch size or concurrency, turned into one row a run; tables that lie on their side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from data.readers.intake.statistics import statistic_of
from data.readers.tables.grid import Row
from data.readers.tables.headers import LOAD, role_of
from data.readers.tables.melted import VALUE, gathered, metric_column, spread

_KEYED = re.compile(
    r"^(?:(bs|batch(?: size)?|b)|(c|conc(?:urrency)?|users?|clients?))\s*[=: _]?\s*(\d+)(?:\s*(users?|clients?))?$",
    re.I,
)
_TRAILING = re.compile(r"^(\d+)\s*(users?|clients?|concurrent(?: requests)?)$", re.I)
_UNIT = re.compile(r"units?|einheit(en)?|unite|unidad|单位", re.I)
_MIN_COLUMNS = 2
ROW_LABEL = "row label"


def unfold(names: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    """The table in long form if its header is a ladder of loads (BS=1, BS=4, ...), otherwise unchanged.

    The corner cell names the metric, or a column does, row by row; the other columns stay, the label column becomes
    `row label`. A column of metrics beside one of values is turned into a column a metric.
    """
    ladder = _ladder(names)
    if not ladder:
        return gathered(names, rows)
    kind = next(iter(ladder.values()))[0]
    kept = [index for index in range(len(names)) if index not in ladder]
    corner = names[kept[0]] if kept else ""
    said = metric_column(names, rows, kept)
    metric = corner if role_of(corner).measures else "throughput"
    labels = [ROW_LABEL if index == kept[0] and role_of(names[index]).measures else names[index] for index in kept]
    long_rows = [_step_row(row, names, kept, index, load) for row in rows for index, (_, load) in ladder.items()]
    if said is not None:
        return spread([*labels, kind, VALUE], long_rows, kept.index(said), len(kept) + 1, None)
    return [*labels, kind, metric], long_rows


def _step_row(row: Row, names: Sequence[str], kept: Sequence[int], index: int, load: int) -> Row:
    """One step of one row: the cells that stay, the load out of the header, the figure."""
    return Row(
        line=row.line,
        cells=(*(row.cells[i] for i in kept), str(load), row.cells[index]),
        places=(
            *(f"row {row.line}, column {i + 1}" for i in kept),
            f"column {index + 1} header {names[index]!r}",
            f"row {row.line}, column {index + 1}",
        ),
        carried=tuple((kept.index(i), line) for i, line in row.carried if i in kept),
        section=row.section,
    )


def _ladder(names: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Column -> (kind of load, load) of a header that is a ladder of loads; empty if it is none."""
    found = {index: step for index, name in enumerate(names) if (step := _step(name))}
    if len({kind for kind, _ in found.values()}) == 1 and len(found) >= max(_MIN_COLUMNS, len(names) / 2):
        return found
    bare = [index for index, name in enumerate(names) if name.strip().isdecimal()]
    if is_ladder(names):
        return {index: (LOAD, int(names[index])) for index in bare}
    return {}


def is_ladder(cells: Sequence[str]) -> bool:
    """True for a name of a measurement in front of whole numbers that rise: a header of loads without words."""
    loads = [int(cell) for cell in cells[1:] if cell.strip().isdecimal() and len(cell) < 9]
    rising = all(low < high for low, high in pairwise(loads))
    return bool(cells) and len(loads) == len(cells) - 1 >= _MIN_COLUMNS and rising and role_of(cells[0]).measures


def _step(name: str) -> tuple[str, int] | None:
    match = _KEYED.match(name.strip())
    if match:
        return ("batch_size" if match[1] else "concurrency"), int(match[3])
    match = _TRAILING.match(name.strip())
    return ("concurrency", int(match[1])) if match else None


def transposed(grid: list[Row]) -> list[Row] | None:
    """The table turned, one row a run, if its first column names the measurements; None if it does not.

    A column of units is put behind the names; columns that are statistics of one run are put into one row.
    """
    filled = [row for row in grid if row.filled]
    known = [row for row in filled if row.cells[0] and (role_of(row.cells[0]).target or role_of(row.cells[0]).measures)]
    named = [row for row in known if role_of(row.cells[0]).measures]
    width = max((len(row.cells) for row in filled), default=0)
    if not named or width < _MIN_COLUMNS or len(known) < len(filled) / 2:
        return None
    whole = [row for row in filled if len(row.cells) == width]
    whole = _with_units(whole)
    width = len(whole[0].cells)
    statistics = [statistic_of(cell) for cell in whole[0].cells[1:]]
    if len(whole) > 1 and width > 1 and all(statistics):
        return _one_run(whole)
    return [
        Row(
            line=whole[0].line,
            cells=tuple(row.cells[column] for row in whole),
            places=tuple(f"row {row.line}, column {column + 1}" for row in whole),
        )
        for column in range(width)
    ]


def _with_units(rows: list[Row]) -> list[Row]:
    """The rows without a column headed "unit", its cells in brackets behind the names."""
    at = (
        next((n for n, cell in enumerate(rows[0].cells) if n and _UNIT.fullmatch(cell.strip())), None) if rows else None
    )
    if at is None:
        return rows
    found = [replace(rows[0], cells=(*rows[0].cells[:at], *rows[0].cells[at + 1 :]))]
    for row in rows[1:]:
        name = f"{row.cells[0]} ({row.cells[at]})" if row.cells[at] else row.cells[0]
        found.append(replace(row, cells=(name, *row.cells[1:at], *row.cells[at + 1 :])))
    return found


def _one_run(rows: list[Row]) -> list[Row]:
    """Header and one row out of a table of metrics by statistics."""
    pairs = [
        (f"{row.cells[0]} {rows[0].cells[column]}", row.cells[column], f"row {row.line}, column {column + 1}")
        for row in rows[1:]
        for column in range(1, len(row.cells))
        if row.cells[column] and (column == 1 or role_of(row.cells[0]).measures)
    ]
    names = [name if role_of(name).measures else name.rpartition(" ")[0] for name, _, _ in pairs]
    line = rows[0].line
    return [
        Row(line=line, cells=tuple(names)),
        Row(line=line + 1, cells=tuple(cell for _, cell, _ in pairs), places=tuple(place for _, _, place in pairs)),
    ]
