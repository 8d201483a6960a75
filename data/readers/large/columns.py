"""Columns of a long table as canonical values: text to numbers, units, limits, all rows at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.readers.intake.draft import LARGEST, MAX_TEXT, Origin
from data.readers.intake.fields import FIELDS
from data.readers.intake.result import Notice
from data.readers.large.runs import ColumnOrigin
from data.readers.tables.headers import Column
from data.readers.tables.numbers import MISSING
from data.readers.tables.units import factor_into

_PLAIN = r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$"
_MAY_BE_ZERO = ("_std_ms", "_min_ms", "itl_p50_ms")


@dataclass(kw_only=True)
class Columns:
    """Canonical columns in the making: numbers as float arrays with NaN for unknown, texts as Arrow arrays.

    stated        what the cells of a column said where an answer has filled its empty ones
    odd           rows with a cell that is no plain number: left to cell-by-cell reading
    with_counts   text fields whose cells may hold a count too ("4x H100")
    """

    row_count: int
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    texts: dict[str, pa.Array] = field(default_factory=dict)
    origins: dict[str, ColumnOrigin] = field(default_factory=dict)
    stated: dict[str, Any] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    with_counts: set[str] = field(default_factory=set)
    odd: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def put(self, name: str, values: np.ndarray, how: str, origin: Origin = "derived") -> None:
        """Set a field that no column holds."""
        self.numbers[name] = np.broadcast_to(values, self.row_count)
        self.origins[name] = ColumnOrigin(field=name, column=None, unit=FIELDS[name].unit, origin=origin, path=how)

    def number(self, *names: str) -> np.ndarray:
        """The first of these fields that is known, row by row; a single NaN if no column is there."""
        there = [self.numbers[name] for name in names if name in self.numbers]
        found = there[0] if there else np.asarray(np.nan)
        for values in there[1:]:
            found = np.where(np.isnan(found), values, found)
        return found

    def warn(self, kind: str, text: str, name: str) -> None:
        """Say something once for all rows."""
        self.notices.append(Notice(kind=kind, text=text, fields=(name,)))


def take(columns: Columns, column: Column, cells: pa.Array) -> None:
    """Put one column of the file where its role says."""
    target = _device_field(cells) if column.role.target == "DEVICE" else column.role.target
    if target not in FIELDS or target in columns.origins:
        return
    is_text = FIELDS[target].kind == "text"
    scale, unit, reasons = 1.0, FIELDS[target].unit, list[str]()
    if not is_text:
        unit = (column.unit or column.role.unit) if column.is_time else column.role.unit or unit
        scale = column.role.factor * ((factor_into(unit, target) or 1.0) if column.is_time else 1.0)
        reasons += [column.unit_from] if column.unit_from else []
    if (column.said or column.role.assumed) and not is_text:
        reasons.append("meaning said by the person" if column.said else "statistic not stated, mean assumed")
    origin: Origin = "assumed" if any("assumed" in reason for reason in reasons) else "stated"
    origin = "converted" if origin == "stated" and scale != 1.0 else origin
    path = "; ".join((f"column {column.label!r}", *reasons))
    columns.origins[target] = ColumnOrigin(field=target, column=column.index, unit=unit, origin=origin, path=path)
    if column.role.target == "DEVICE" and is_text:
        columns.with_counts.add(target)
    if is_text:
        columns.texts[target] = _text(cells)
    else:
        columns.numbers[target] = _limited(columns, target, _numbers(columns, cells) * scale)


def _device_field(cells: pa.Array) -> str:
    """A column about devices holds names, or counts if its first cell is a number."""
    first = next((cell for cell in cells.slice(0, 100).to_pylist() if cell), "")
    return "device_count" if first.strip().isdecimal() else "hardware"


def _text(cells: pa.Array) -> pa.Array:
    encoded = pc.dictionary_encode(cells).combine_chunks()
    trimmed = pc.utf8_trim_whitespace(encoded.dictionary)
    missing = pc.is_in(pc.utf8_lower(trimmed), value_set=pa.array(sorted(MISSING)))
    words = pc.if_else(missing, pa.scalar(None, pa.string()), pc.utf8_slice_codeunits(trimmed, 0, MAX_TEXT))
    return pa.DictionaryArray.from_arrays(encoded.indices, words)


def _numbers(columns: Columns, cells: pa.Array) -> np.ndarray:
    """The cells as floats, NaN where nothing is known; cells that are no plain number mark their rows as odd."""
    try:
        values = np.asarray(pc.cast(cells, pa.float64()).to_numpy(zero_copy_only=False))
        if not np.isinf(values).any():
            return values
    except pa.ArrowInvalid:
        pass
    trimmed = pc.utf8_trim_whitespace(cells).fill_null("")
    plain = pc.match_substring_regex(trimmed, _PLAIN)
    missing = pc.is_in(pc.utf8_lower(trimmed), value_set=pa.array(sorted(MISSING)))
    columns.odd |= pc.invert(pc.or_(plain, missing)).to_numpy(zero_copy_only=False)
    kept = pc.if_else(plain, trimmed, pa.scalar(None, pa.string()))
    return np.asarray(pc.cast(kept, pa.float64()).to_numpy(zero_copy_only=False))


def _limited(columns: Columns, target: str, values: np.ndarray) -> np.ndarray:
    """Values without what no measurement gives; how many rows lost theirs is said once."""
    with np.errstate(invalid="ignore"):
        if (np.isnan(values) | ((values > 0) & (values <= LARGEST))).all():
            return values
        bad = (values < 0) | (values > LARGEST)
        zero = (values == 0) & target.endswith("_ms") & (not target.endswith(_MAY_BE_ZERO))
    for found, why in ((bad, "negative or impossible"), (zero, "0: nothing takes no time")):
        if count := int(found.sum()):
            columns.warn("rejected_value", f"{target} is {why} in {count:,} rows, left out there", target)
    return np.where(bad | zero, np.nan, values)
