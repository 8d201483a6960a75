"""Figures in the sentences of verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from data.units import format_number, format_quantity


def bytes_text(value: float) -> str:
    """ "353 GB"."""
    return format_quantity(value, "byte")


def rate_text(value: float) -> str:
    """ "710 TB/s"."""
    return format_quantity(value, "byte/s")


def speed_text(value: float) -> str:
    """ "858 tok/s"."""
    return format_quantity(value, "token/s")


def time_text(value: float) -> str:
    """ "1.33 ms"."""
    return format_quantity(value, "s")


def count_text(value: float, digits: int = 3) -> str:
    """ "6,269", "1.2"; whole numbers below a million in full."""
    if abs(value) >= 100 and abs(value) < 1e6:
        return f"{value:,.0f}"
    return format_number(value, digits)


def share_text(value: float, digits: int = 3) -> str:
    """ "3.7 %"."""
    return format_quantity(value, "percent", digits)


def bits_text(byte: float) -> str:
    """Bytes a weight as bits: "3.52 bits"."""
    return f"{8 * byte:.3g} bits"


def span_text(values: Sequence[float], digits: int = 2) -> str:
    """ "1.2 to 1.3", or one figure where both ends print alike."""
    low, high = f"{min(values):.{digits}g}", f"{max(values):.{digits}g}"
    return low if low == high else f"{low} to {high}"


def speeds_text(values: Sequence[float]) -> str:
    """ "186 to 291 tok/s"."""
    low, high = f"{min(values):,.0f}", f"{max(values):,.0f}"
    return f"{low} tok/s" if low == high else f"{low} to {high} tok/s"
