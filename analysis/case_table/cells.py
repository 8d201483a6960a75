"""Cells of a case table as text, and the numbers in them."""

from __future__ import annotations

import math
import re
from typing import Any

from data.errors import WaferlineError

INPUT_COLUMNS = (
    "model", "hardware", "device_count", "engine", "weight_format", "attention_weight_format", "expert_weight_format",
    "kv_format", "fp8_scaling", "tp", "pp", "ep", "dp", "parallelism", "concurrency", "concurrency_or_batch",
    "input_tokens", "output_tokens", "length_factor", "speculative", "duty_fraction", "system",
)  # fmt: skip
_BLANK = frozenset({"", "nan", "none", "null", "n/a", "na", "-"})
_SPAN = re.compile(r"^(\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(\d+(?:\.\d+)?)$")
_THOUSANDS = re.compile(r"^\d{1,3}(,\d{3})+(\.\d+)?$")


def text_of(cell: Any) -> str:
    """A cell's text without spaces round it; empty for everything that means "not said"."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    text = str(cell).strip()
    return "" if text.lower() in _BLANK else text


def number_of(cell: Any, name: str) -> float | None:
    """The number in a cell, None if it is blank, the middle of a span ("48-64").

    Raises WaferlineError naming the column for anything else.
    """
    text = text_of(cell)
    if not text:
        return None
    if span := _SPAN.match(text):
        return (float(span[1]) + float(span[2])) / 2
    plain = text.replace(",", "") if _THOUSANDS.match(text) else text
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WaferlineError("not a number", where=name, found=repr(text), expected="a number such as 8 or 0.9")
    return value


def count_of(cell: Any, name: str) -> int | None:
    """The whole number above zero in a cell, None if it is blank. Raises WaferlineError naming the column."""
    value = number_of(cell, name)
    if value is None:
        return None
    if value != int(value) or value < 1:
        raise WaferlineError("not a whole number above zero", where=name, found=text_of(cell))
    return int(value)
