"""Lengths and arrival times that a person pastes or uploads: read with care, refused with the line that is wrong."""

from __future__ import annotations

import csv
import io
import math
from datetime import datetime

import numpy as np

from analysis.traffic.spread import Floats, Spread, seen
from data.errors import ReadError

MOST_LINES, MOST_CHARACTERS = 20_000, 2_000_000
MOST_TOKENS = 100_000_000
LENGTHS_EXPECTED = "a line a request: input,output in tokens"
TIMES_EXPECTED = "a line a request: seconds, or a date and time such as 2026-11-30T08:00:00"


def _lines(text: str, where: str) -> list[tuple[int, list[str]]]:
    """Line numbers and cells of all lines that hold something."""
    if len(text) > MOST_CHARACTERS:
        raise ReadError("too long", where=where, found=f"{len(text):,} characters", expected=f"{MOST_CHARACTERS:,}")
    rows = csv.reader(io.StringIO(text.replace("\t", ",").replace(";", ",")))
    found = [(at, [cell.strip() for cell in row]) for at, row in enumerate(rows, start=1) if any(map(str.strip, row))]
    if len(found) > MOST_LINES:
        raise ReadError("too many lines", where=where, found=f"{len(found):,}", expected=f"at most {MOST_LINES:,}")
    return found


def _token_count(cell: str, at: int) -> float:
    try:
        value = float(cell)
    except ValueError as problem:
        raise ReadError("not a length", where=f"line {at}", found=repr(cell), expected=LENGTHS_EXPECTED) from problem
    if not math.isfinite(value) or not 1 <= value <= MOST_TOKENS:
        raise ReadError("not a length", where=f"line {at}", found=repr(cell), expected="a count of at least one token")
    return value


def read_lengths(text: str) -> tuple[Spread, Spread]:
    """Input and output lengths of "input,output" lines, a header line allowed; each taken by itself."""
    lines = _lines(text, "lengths")
    if lines and not _is_number(lines[0][1][0]):
        lines = lines[1:]
    if not lines:
        raise ReadError("there are no lengths", where="lengths", expected=LENGTHS_EXPECTED)
    pairs = []
    for at, cells in lines:
        if len(cells) != 2:
            raise ReadError("not two figures", where=f"line {at}", found=", ".join(cells), expected=LENGTHS_EXPECTED)
        pairs.append((_token_count(cells[0], at), _token_count(cells[1], at)))
    given = np.array(pairs)
    return seen(given[:, 0].tolist()), seen(np.maximum(given[:, 1], 2.0).tolist())


def read_arrivals(text: str) -> Floats:
    """Arrival times in order, from the first on. [s]

    Raises ReadError where a line holds no time, or seconds and dates are mixed.
    """
    lines = _lines(text, "arrival times")
    if lines and not _is_number(lines[0][1][0]) and _moment(lines[0][1][0]) is None:
        lines = lines[1:]
    if len(lines) < 2:
        raise ReadError("there are no two arrivals", where="arrival times", expected=TIMES_EXPECTED)
    numbers = [_is_number(cells[0]) for _, cells in lines]
    times = [_time(at, cells[0], number=numbers[0]) for at, cells in lines]
    ordered = np.sort(np.array(times))
    return np.asarray(ordered - ordered[0])


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _moment(cell: str) -> float | None:
    try:
        return datetime.fromisoformat(cell).timestamp()
    except ValueError:
        return None


def _time(at: int, cell: str, *, number: bool) -> float:
    value = float(cell) if number and _is_number(cell) else None if number else _moment(cell)
    if value is None:
        kind = "seconds, as the first line" if number else "a date and time, as the first line"
        raise ReadError("not a time", where=f"line {at}", found=repr(cell), expected=kind)
    return value
