"""One long file under way: its lines, its cells as text, single rows of it read cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from data.readers.intake.fields import FIELDS
from data.readers.intake.finish import finish
from data.readers.intake.result import Answers, Reader, ReadResult, Skipped
from data.readers.large.lines import Lines, renumbered
from data.readers.tables.grid import MAX_ROWS
from data.readers.tables.headers import Column
from data.readers.tables.layout import TOTAL


@dataclass(kw_only=True)
class LongFile:
    """One file under way."""

    name: str
    lines: Lines
    reader: Reader
    said: Answers
    delimiter: str
    columns: list[Column]

    def small(self, indices: Sequence[int]) -> ReadResult:
        """These lines read cell by cell."""
        content = self.lines.small(self.name, indices)
        result = finish(content, content.text.encode(), self.reader, self.reader.read(content, self.said), self.said)
        return renumbered(result, [int(self.lines.numbers[index]) for index in indices])


def parse(long: LongFile) -> tuple[pa.Table, list[Skipped], np.ndarray] | None:
    """(cells as text, rows left out, line index of every row); None if lines and rows do not match one to one."""
    try:
        table, wrong = _cells(long, threads=True)
        if wrong:  # only one thread knows the numbers of rows
            table, wrong = _cells(long, threads=False)
    except pa.ArrowInvalid:
        return None
    index = np.arange(1, len(long.lines.starts))
    bad = np.array([int(row.number) for row in wrong], dtype=int)
    if len(bad) > MAX_ROWS or table.num_rows + len(bad) != len(index):
        return None
    return table, _wrong_widths(long, wrong), np.delete(index, bad - 1)


def _cells(long: LongFile, *, threads: bool) -> tuple[pa.Table, list[csv.InvalidRow]]:
    """Every cell as text, empty ones as null, and the rows of another width."""
    wrong: list[csv.InvalidRow] = []

    def refuse(row: csv.InvalidRow) -> str:
        wrong.append(row)
        return "skip"

    names = [f"c{n}" for n in range(len(long.columns))]
    kinds = dict.fromkeys(names, pa.string())
    table = csv.read_csv(
        pa.BufferReader(memoryview(long.lines.content)[int(long.lines.ends[0]) :]),
        read_options=csv.ReadOptions(column_names=names, use_threads=threads),
        parse_options=csv.ParseOptions(delimiter=long.delimiter, invalid_row_handler=refuse),
        convert_options=csv.ConvertOptions(column_types=kinds, strings_can_be_null=True, null_values=[""]),
    )
    return table, wrong


def _wrong_widths(long: LongFile, wrong: Sequence[csv.InvalidRow]) -> list[Skipped]:
    numbers = long.lines.numbers
    return [
        Skipped(
            line=int(numbers[row.number]),
            why=f"{row.actual_columns} cells under {row.expected_columns} headers: "
            "values may stand under the wrong name",
        )
        for row in wrong
    ]


def sums(long: LongFile, texts: pa.Table) -> np.ndarray:
    """Rows whose first cell says that they sum up others."""
    first = pc.dictionary_encode(texts.column(0)).combine_chunks()
    if long.columns[0].role.target and FIELDS.get(long.columns[0].role.target, FIELDS["notes"]).kind != "text":
        return np.zeros(texts.num_rows, dtype=bool)
    total = pa.array([bool(text and TOTAL.match(text.strip())) for text in first.dictionary.to_pylist()])
    return np.asarray(total.take(first.indices).fill_null(False).to_numpy(zero_copy_only=False))
