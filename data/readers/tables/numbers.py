"""Numbers as people write them: which mark is the decimal one in this file, and what one cell says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

CellKind = Literal["number", "text", "missing", "oom", "failed"]

MAX_NUMBER_CHARACTERS = 100
MISSING = frozenset(
    {
        "",
        "-",
        "–",
        "—",
        "--",
        "n/a",
        "na",
        "n.a.",
        "nan",
        "null",
        "none",
        "tbd",
        "?",
        "k.a.",
        "#n/a",
        "x",
        "inf",
        "-inf",
        "infinity",
        ".",
    }
)
_OOM = re.compile(r"\boom\b|out[ -]of[ -]memory|does not fit|doesn't fit|passt nicht|no memory", re.I)
_FAILED = re.compile(r"^\W*(fail(ed|ure)?|error|err|crash(ed)?|timeout|timed out|hang|abort(ed)?|fehler)\b", re.I)
_NUMBER = re.compile(
    r"^\s*([~≈]?)\s*([+\-−]?(?:\d[\d.,'’\u00a0\u202f ]*\d|\d|[.,]\d+)(?:[eE][+-]?\d+)?)"
    r"\s*(?:±\s*[\d.,]+)?\s*([^\d\s].*)?$"
)
_SPACES = re.compile(r"['’\u00a0\u202f ]")


@dataclass(frozen=True, kw_only=True)
class Marks:
    """The decimal mark of a file and the cell that proves it; `proof` is empty where no cell has a fraction."""

    decimal: Literal[".", ","]
    proof: str = ""
    open: tuple[str, ...] = ()  # cells that read differently under the other mark, when nothing proves either


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What a cell says: a number with the unit written behind it, text, nothing, or an outcome."""

    kind: CellKind
    raw: str
    value: float | None = None
    unit: str = ""


def split_number(text: str) -> tuple[str, str] | None:
    """(digits with their marks, unit behind them) or None if the cell does not begin with a number."""
    match = _NUMBER.match(text) if len(text) <= MAX_NUMBER_CHARACTERS else None
    return (match[2].replace("−", "-"), (match[3] or "").strip()) if match else None


def decide_marks(cells: Iterable[str]) -> Marks:
    """Decimal mark from all numeric cells together; `open` lists what stays ambiguous when no cell proves it."""
    proofs: dict[str, str] = {}
    unsure: dict[str, list[str]] = {".": [], ",": []}
    long_integer = False
    for text in cells:
        parts = split_number(text)
        if parts is None:
            continue
        digits = _SPACES.sub("", parts[0]).lstrip("+-")
        mark, sure = _evidence(digits.lower().partition("e")[0])
        long_integer = long_integer or (mark == "" and len(digits) > 3)
        if sure:
            proofs.setdefault(mark, text)
        elif mark:
            unsure[mark].append(text)
    return _verdict(proofs, unsure, long_integer)


def _evidence(digits: str) -> tuple[str, bool]:
    """(decimal mark this number speaks for, whether it proves it); ("", False) for plain integers."""
    if "." in digits and "," in digits:
        return (digits[max(digits.rfind("."), digits.rfind(","))], True)
    mark = "." if "." in digits else "," if "," in digits else ""
    if not mark:
        return "", False
    other = "," if mark == "." else "."
    groups = digits.split(mark)
    if len(groups) > 2:
        return other, all(len(group) == 3 for group in groups[1:])
    before, after = groups
    return mark, len(after) != 3 or before in ("", "0") or len(before) > 3


def _verdict(proofs: dict[str, str], unsure: dict[str, list[str]], long_integer: bool) -> Marks:
    if len(proofs) == 1:
        mark, proof = next(iter(proofs.items()))
        return Marks(decimal="," if mark == "," else ".", proof=proof)
    if len(proofs) == 2:
        return Marks(decimal=".", open=(proofs["."], proofs[","]))
    if unsure["."] and unsure[","]:
        return Marks(decimal=".", open=(unsure["."][0], unsure[","][0]))
    if unsure[","]:
        return Marks(decimal="," if long_integer else ".", open=tuple(unsure[","][:5]))
    return Marks(decimal=".", open=tuple(unsure["."][:5]))


def parse_cell(text: str, decimal: str) -> Cell:
    """The cell under this decimal mark; the other mark, blanks and apostrophes between digits are thousands marks."""
    plain = text.strip()
    if plain.lower() in MISSING:
        return Cell(kind="missing", raw=plain)
    if _OOM.search(plain):
        return Cell(kind="oom", raw=plain)
    parts = split_number(plain)
    if parts is None:
        return Cell(kind="failed" if _FAILED.match(plain) else "text", raw=plain)
    digits = _SPACES.sub("", parts[0])
    other = "," if decimal == "." else "."
    digits = digits.replace(other, "").replace(decimal, ".")
    try:
        value = float(digits)
    except ValueError:
        return Cell(kind="text", raw=plain)
    return Cell(kind="number", raw=plain, value=value, unit=parts[1])
