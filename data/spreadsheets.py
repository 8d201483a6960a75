"""Text that a spreadsheet would run as a formula, quoted by an apostrophe in tables that people open in one."""

from __future__ import annotations

import pandas as pd

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def harmless(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would take it for a formula."""
    return f"'{text}" if _is_formula(text) else text


def unescaped(text: str) -> str:
    """The text without the apostrophe that keeps a spreadsheet from running it as a formula."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with every text cell harmless; numbers and dates are no text."""
    safe = frame.copy()
    for column in safe.columns:
        kind = safe[column].dtype
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_datetime64_any_dtype(kind)):
            cells = safe[column].astype("object")
            safe[column] = cells.map(lambda cell: harmless(cell) if isinstance(cell, str) else cell)
    return safe


def _is_formula(text: str) -> bool:
    return text.lstrip(" ").startswith(FORMULA_STARTS)
