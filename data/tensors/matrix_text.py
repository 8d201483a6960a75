"""A matrix written as text: one row a line, commas, semicolons or tabs between, perhaps a row of headings."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from data.errors import ReadError
from data.tensors.tensor_file import LONE_NAME, PIECE_ELEMENTS, TensorFile, TensorInfo

_SEPARATORS = (";", "\t", ",")
_LONGEST_LINE = 2**23  # characters: the widest row, sixty for a figure
Row = list[str]


def open_matrix(path: Path) -> TensorFile:
    """The matrix of a text file under the name `values`.

    Raises ReadError where the file is no text, a row has another length, or a cell is no number (the place named).
    """
    try:
        columns, rows = _measured(path)
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ReadError("neither tensors nor a table of numbers", where=path.name,
                        found="bytes that are no text" if isinstance(problem, UnicodeDecodeError) else problem,
                        expected=".npy, .npz, .safetensors or CSV") from problem  # fmt: skip
    shape = (rows, len(columns)) if len(columns) > 1 else (rows,)
    if len(columns) > PIECE_ELEMENTS:
        raise ReadError("too wide", where=path.name, found=f"{len(columns):,} columns", expected=f"{PIECE_ELEMENTS:,}",
                        remedy="Save it with numpy.save.")  # fmt: skip
    headings = () if _numbers(columns) is not None else tuple(columns)
    info = TensorInfo(name=LONE_NAME, shape=shape, dtype="float64", columns=headings)
    return TensorFile(name=path.name, tensors={LONE_NAME: info}, pieces=lambda asked: _pieces(path, asked))


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        lines = _lines(stream, path.name)
        first = next(lines, "")
        separator = next((each for each in _SEPARATORS if each in first), ",")
        reader = csv.reader(chain([first], lines), delimiter=separator)
        yield from ((reader.line_num, row) for row in reader if any(cell.strip() for cell in row))


def _lines(stream: TextIO, file: str) -> Iterator[str]:
    """Line by line, and no line of any length. Raises ReadError where one is too long to be a row of figures."""
    while line := stream.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise ReadError("a line too long to be a row of figures", where=file,
                            expected=f"{_LONGEST_LINE:,} characters", remedy="Save it with numpy.save.")  # fmt: skip
        yield line


def _measured(path: Path) -> tuple[Row, int]:
    """First row and number of rows of figures; every cell is read once."""
    found = _rows(path)
    _, first = next(found, (0, []))
    if not first:
        raise ReadError("the file is empty", where=path.name)
    headed = _numbers(first) is None
    count = 0
    for line, row in found if headed else chain([(1, first)], found):
        _check(path.name, line, row, len(first))
        count += 1
    if not count:
        raise ReadError("headings without figures", where=path.name, found=", ".join(first[:4]))
    return first, count


def _numbers(row: Row) -> list[float] | None:
    try:
        return [float(cell) for cell in row]
    except ValueError:
        return None


def _check(file: str, line: int, row: Row, width: int) -> None:
    if len(row) != width:
        raise ReadError("a row of another length", where=f"{file}, line {line}", found=f"{len(row)} cells",
                        expected=f"{width}")  # fmt: skip
    if _numbers(row) is None:
        bad = next(cell for cell in row if _numbers([cell]) is None)
        raise ReadError("not a number", where=f"{file}, line {line}", found=repr(bad[:40]),
                        expected="figures with a point, e.g. 0.25",
                        remedy="A table of tensors holds figures alone; results of a benchmark belong to import.",
                        )  # fmt: skip


def _pieces(path: Path, info: TensorInfo) -> Iterator[NDArray[Any]]:
    width = info.shape[1] if len(info.shape) > 1 else 1
    rows = (row for _, row in _rows(path))
    if info.columns:
        next(rows)
    while block := list(islice(rows, max(1, PIECE_ELEMENTS // width))):
        values = np.array([[float(cell) for cell in row] for row in block])
        yield values if len(info.shape) > 1 else values.reshape(1, -1)
