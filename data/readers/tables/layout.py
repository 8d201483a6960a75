"""Where a table's header is, which rows are data, and why every other row is left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from data.errors import ReadError
from data.readers.intake.result import Skipped
from data.readers.tables.grid import Row
from data.readers.tables.headers import role_of
from data.readers.tables.merged import carried_down
from data.readers.tables.numbers import split_number
from data.readers.tables.pivot import is_ladder, unfold

TOTAL = re.compile(
    r"^(grand )?(totals?|sum|summe|gesamt|average|avg|mean|mittel(wert)?|durchschnitt|geomean|min|max|median)\b:?", re.I
)
REMARK, AGAIN = "remark", "the header again"
_SEARCHED_ROWS = 40  # rows from the top in which a header is looked for


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table in long form: unique labels per column, data rows, remarks found around it, rows left out."""

    names: tuple[str, ...]
    header_line: int
    rows: tuple[Row, ...]
    remarks: tuple[tuple[int, str], ...]
    skipped: tuple[Skipped, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Header texts made unique: one that occurs twice gets its column number."""
        counts = Counter(self.names)
        named = enumerate(self.names, start=1)
        return tuple(name if counts[name] == 1 and name else f"{name or 'no name'} (col {n})" for n, name in named)


def lay_out(grid: list[Row]) -> Table:
    """The table inside the grid. Raises ReadError if no row looks like a header above data."""
    start = _header_index(grid)
    names, depth = _header_names(grid, start)
    remarks, skipped = _above(grid[:start])
    width = max((index + 1 for index, name in enumerate(names) if name), default=0)
    rows, sections, under = list[Row](), 1, remarks[-1] if remarks else None
    for row in grid[start + depth :]:
        why = _left_out(row, names, width, remarks)
        if why:
            skipped.append(Skipped(line=row.line, why=why))
            sections += why == AGAIN
            under = (row.line, row.filled[0]) if why.startswith(REMARK) else under
        else:
            rows.append(replace(_cut(row, width), section=under))
    rows = rows if sections > 1 else [replace(row, section=None) for row in rows]
    line = grid[start + depth - 1].line
    if not rows:
        remedy = "Check that the export is complete."
        raise ReadError("the table has a header but no rows of data", where=f"line {line}", remedy=remedy)
    names, rows = unfold(names[:width], carried_down(names[:width], rows))
    around = (tuple(remarks), tuple(skipped))
    return Table(names=tuple(names), header_line=line, rows=tuple(rows), remarks=around[0], skipped=around[1])


def _above(rows: list[Row]) -> tuple[list[tuple[int, str]], list[Skipped]]:
    """Remarks and skipped lines of what stands above the header."""
    texts = [(row.line, " ".join(row.filled)) for row in rows]
    reasons = [f"title or remark above the header: {text[:60]!r}" if text else "blank row" for _, text in texts]
    return texts, [Skipped(line=line, why=why) for (line, _), why in zip(texts, reasons, strict=True)]


def _numeric(row: Row) -> int:
    return sum(split_number(cell) is not None for cell in row.cells)


def _header_index(grid: list[Row]) -> int:
    """First row of texts in at least two cells; of those, one with headers that are understood comes first."""
    texts = [n for n, row in enumerate(grid[:_SEARCHED_ROWS]) if len(row.filled) >= 2 and _headerlike(row)]
    known = [n for n in texts if sum(_known(cell) for cell in grid[n].filled) >= 2]
    for index in (*known[:1], *texts[:1]):
        above = index - 1
        merged = index > 0 and above in texts and any(not cell for cell in grid[above].cells)
        return above if merged else index
    raise ReadError(
        "no header row was found above the figures",
        found=" | ".join(grid[0].filled[:5]) if grid else "nothing",
        expected="a row of column names",
        remedy="Add a first row that names the columns, with units.",
    )


def _known(cell: str) -> bool:
    role = role_of(cell)
    return bool(role.target or role.candidates)


def _headerlike(row: Row) -> bool:
    if is_ladder(row.cells):
        return True
    return _numeric(row) * 2 < len(row.filled) or sum("=" in cell or _known(cell) for cell in row.filled) >= 2


def _header_names(grid: list[Row], start: int) -> tuple[list[str], int]:
    """Column names and how many rows they take; a name in a merged cell is carried to the right."""
    first = grid[start]
    second = grid[start + 1] if start + 1 < len(grid) else None
    if (
        second is None
        or len(second.filled) < 2
        or _numeric(second)
        or not any(not cell for cell in (*first.cells, *second.cells))
    ):
        return list(first.cells), 1
    units_only = all(not cell or split_number(cell) is None for cell in second.cells)
    after = grid[start + 2] if start + 2 < len(grid) else None
    if not units_only or after is None or not _numeric(after):
        return list(first.cells), 1
    names, carried = [], ""
    for index in range(max(len(first.cells), len(second.cells))):
        upper = first.cells[index] if index < len(first.cells) else ""
        lower = second.cells[index] if index < len(second.cells) else ""
        carried = upper or carried
        names.append(f"{carried} {lower}".strip())
    return names, 2


def _left_out(row: Row, names: list[str], width: int, remarks: list[tuple[int, str]]) -> str:
    """Why this row is no data, or "" if it is; a remark is kept for its units."""
    filled = row.filled
    if not filled:
        return "blank row"
    if set("".join(filled)) <= set("-:= "):
        return "rule between header and rows"
    if len(filled) == 1 and split_number(filled[0]) is None and width > 1:
        remarks.append((row.line, filled[0]))
        return f"{REMARK}: {filled[0][:60]!r}"
    if [cell.lower() for cell in row.cells] == [name.lower() for name in names]:
        return AGAIN
    if TOTAL.match(filled[0]) and (not row.cells[0] or TOTAL.match(row.cells[0])):
        return f"{filled[0]!r} row: a sum or mean over different loads is no run"
    extra = [cell for cell in row.cells[width:] if cell]
    if extra or len(row.cells) < width:
        return f"{len(row.cells)} cells under {width} headers: values may stand under the wrong name"
    return ""


def _cut(row: Row, width: int) -> Row:
    return Row(line=row.line, cells=row.cells[:width], places=row.places)
