"""The runs of a long table, by columns."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from data.readers.intake.draft import Origin
from data.records import Run

BLOCK_ROWS = 10_000


@dataclass(frozen=True, kw_only=True)
class ColumnOrigin:
    """Where one field of every run of the table comes from.

    column   position in the file (first = 0), None for a field that no column holds
    path     column or arithmetic in words; the row is added when a run is looked at
    raw      the same text for every run, where no column holds it; else what a person said for its empty cells
    """

    field: str
    column: int | None
    unit: str
    origin: Origin
    path: str
    raw: str = ""


@dataclass(frozen=True, kw_only=True)
class LargeRuns:
    """Runs as an Arrow table: `run_id`, `line`, `outcome`, then canonical fields, null where not known.

    labels       the header, unique
    lines        the file's bytes in compressed blocks of BLOCK_ROWS lines after the header, for single native rows
    single_runs  rows that only cell-by-cell reading understands (outcomes in words, units behind numbers)
    """

    table: pa.Table
    labels: tuple[str, ...]
    delimiter: str
    origins: tuple[ColumnOrigin, ...]
    lines: tuple[bytes, ...] = field(repr=False)
    single_runs: tuple[Run, ...] = ()

    @property
    def run_count(self) -> int:
        """Runs in all."""
        return int(self.table.num_rows) + len(self.single_runs)
