"""Wide tables, one column a batch size or concurrency, turned into one row a figure."""

from __future__ import annotations

import re

from data.readers.tables.grid import Row
from data.readers.tables.headers import role_of

_KEYED = re.compile(
    r"^(?:(bs|batch(?: size)?|b)|(c|conc(?:urrency)?|users?|clients?))\s*[=: _]?\s*(\d+)(?:\s*(users?|clients?))?$",
    re.I,
)
_TRAILING = re.compile(r"^(\d+)\s*(users?|clients?|concurrent(?: requests)?)$", re.I)
_MIN_COLUMNS = 2
ROW_LABEL = "row label"


def unfold(names: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    """The table in long form if its header is a ladder of loads (BS=1, BS=4, ...), otherwise unchanged.

    The corner cell names the metric; the other columns stay, the label column becomes `row label`.
    """
    ladder = {index: found for index, name in enumerate(names) if (found := _step(name))}
    kinds = {kind for kind, _ in ladder.values()}
    if len(ladder) < _MIN_COLUMNS or len(kinds) != 1 or len(ladder) < len(names) / 2:
        return names, rows
    kind = kinds.pop()
    kept = [index for index in range(len(names)) if index not in ladder]
    corner = names[kept[0]] if kept else ""
    metric = corner if role_of(corner).measures else "throughput"
    labels = [ROW_LABEL if index == kept[0] and role_of(names[index]).measures else names[index] for index in kept]
    long_rows = [
        Row(
            line=row.line,
            cells=(*(row.cells[i] for i in kept), str(load), row.cells[index]),
            places=(
                *(f"row {row.line}, column {i + 1}" for i in kept),
                f"column {index + 1} header {names[index]!r}",
                f"row {row.line}, column {index + 1}",
            ),
        )
        for row in rows
        for index, (_, load) in ladder.items()
    ]
    return [*labels, kind, metric], long_rows


def _step(name: str) -> tuple[str, int] | None:
    match = _KEYED.match(name.strip())
    if match:
        return ("batch_size" if match[1] else "concurrency"), int(match[3])
    match = _TRAILING.match(name.strip())
    return ("concurrency", int(match[1])) if match else None


def transposed(grid: list[Row]) -> list[Row] | None:
    """The table turned, one row a run, if its first column names the measurements; None if it does not."""
    filled = [row for row in grid if row.filled]
    named = [row for row in filled if role_of(row.cells[0]).measures]
    width = max((len(row.cells) for row in filled), default=0)
    if not named or width < _MIN_COLUMNS:
        return None
    whole = [row for row in filled if len(row.cells) == width]
    return [
        Row(
            line=whole[0].line,
            cells=tuple(row.cells[column] for row in whole),
            places=tuple(f"row {row.line}, column {column + 1}" for row in whole),
        )
        for column in range(width)
    ]
