"""Whether the parameters counted from an architecture's dimensions agree with the figures others print for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from analysis.shapes import components, weights_read_per_token
from data.records import Architecture

Severity = Literal["error", "warning", "note"]

ROUNDED_TOLERANCE = 0.02  # cards round to two or three digits, and some count a vision tower or an MTP layer
ACTIVE_TOLERANCE = 0.03  # cards count active parameters by three conventions and round more coarsely
MTP_PART = "multi_token_prediction"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One disagreement between a count and a printed figure.

    severity   error: an exact total is missed; warning: a rounded figure is missed; note: a part nobody counted
    """

    key: str
    field: str
    found: str
    expected: str
    severity: Severity

    def sentence(self) -> str:
        """The finding in one line."""
        return f"{self.severity}: {self.key}, {self.field}: counted {self.found}, published {self.expected}"


def count_sentence(model: Architecture) -> str:
    """The count from the dimensions, against a stated total where there is one."""
    counted, stated = components(model).total, model.published_total_parameters
    said = f"{counted:,} parameters counted from the dimensions"
    if stated is None:
        return f"{said}; no total was stated to compare with."
    if stated in (counted, counted + model.mtp_parameters):
        return f"{said}, equal to the stated {stated:,}" + (" with its further layers." if stated != counted else ".")
    return f"{said}; stated are {stated:,}, {(stated - counted) / counted:+.2%}."


def check_architectures(architectures: Iterable[Architecture]) -> list[Finding]:
    """Findings for all `architectures`, in their order; an empty list means that every printed figure is met."""
    return [finding for each in architectures for finding in _check(each)]


def _check(a: Architecture) -> Iterator[Finding]:
    total = components(a).total
    yield from _exact_total(a, total)
    yield from _mtp_part(a)
    yield from _rounded_total(a, total)
    yield from _active(a)


def _exact_total(a: Architecture, total: int) -> Iterator[Finding]:
    published = a.published_total_parameters
    if published is None:
        return
    counted = total + sum(a.published_extra.values())
    if counted + a.published_unexplained_parameters != published:
        yield Finding(
            key=a.key,
            field="published_total_parameters",
            found=f"{counted:,}",
            expected=f"{published:,}",
            severity="error",
        )
    elif a.published_unexplained_parameters:
        yield Finding(
            key=a.key,
            field="published_unexplained_parameters",
            found=f"{counted:,}",
            expected=f"{published:,} ({a.published_total_note})",
            severity="note",
        )


def _mtp_part(a: Architecture) -> Iterator[Finding]:
    held = a.published_extra.get(MTP_PART)
    if held is not None and held != a.mtp_parameters:
        yield Finding(
            key=a.key, field="mtp_parameters", found=f"{a.mtp_parameters:,}", expected=f"{held:,}", severity="error"
        )


def _rounded_total(a: Architecture, total: int) -> Iterator[Finding]:
    published = a.published_rounded_parameters
    if published is None:
        return
    nearest = min((total, total + a.mtp_parameters), key=lambda count: abs(count - published))
    yield from _rounded(a.key, "published_rounded_parameters", nearest, published, ROUNDED_TOLERANCE)


def active_counts(a: Architecture) -> tuple[int, int, int]:
    """Parameters active per token, counted without input embedding, with it, and with neither embedding nor head."""
    read, table = weights_read_per_token(a), a.vocabulary * a.hidden
    with_embedding = read if a.tied_embeddings else read + table
    return read, with_embedding, read - table


def _active(a: Architecture) -> Iterator[Finding]:
    published = a.published_active_parameters
    if published is None:
        return
    nearest = min(active_counts(a), key=lambda count: abs(count - published))
    yield from _rounded(a.key, "published_active_parameters", nearest, published, ACTIVE_TOLERANCE)


def _rounded(key: str, field: str, counted: int, published: float, tolerance: float) -> Iterator[Finding]:
    deviation = counted / published - 1
    if abs(deviation) > tolerance:
        yield Finding(
            key=key,
            field=field,
            found=f"{counted / 1e9:.4g}B ({deviation:+.1%})",
            expected=f"{published / 1e9:.4g}B",
            severity="warning",
        )
