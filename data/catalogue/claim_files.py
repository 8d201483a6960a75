"""Reads published claims: who said what where, which check recomputes it, and the figures it depends on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError, UnitError
from data.sources import Source, SourceKind
from data.units import parse_quantity, unit_of_suffix

CLAIM_FOLDER = Path(__file__).parent / "claims"
MOST_CLAIMS = 500  # in one file
Plain = str | int | float | bool
Given = float | str | tuple[float, ...] | tuple[str, ...]
_BARE_UNITS = ("", "token")  # what may be written without its unit


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One published statement. Its verdict is not here: it is computed whenever somebody looks.

    says      the statement in our words
    printed   the figure as printed, with its unit
    at        where in the document
    check     name of the function that recomputes it
    given     what that function is told; quantities in SI, lists as tuples
    fields    catalogue figures the verdict depends on: "chips.wse-3.memory_byte"
    own       True if the person added it
    """

    key: str
    says: str
    printed: str
    document: str
    source: Source
    at: str
    check: str
    given: Mapping[str, Given]
    fields: tuple[str, ...] = ()
    own: bool = False


class _Document(CatalogueSchema):
    short: str = Field(min_length=1, max_length=60)
    title: str = Field(min_length=1, max_length=300)
    kind: SourceKind
    where: str = Field(default="", max_length=300)
    retrieved: str = Field(default="", pattern=r"^(\d{4}(-\d{2}){0,2})?$")


class _ClaimEntry(CatalogueSchema):
    key: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,59}$")
    says: str = Field(min_length=1, max_length=300)
    printed: str = Field(default="", max_length=100)
    at: str = Field(default="", max_length=100)
    check: str = Field(pattern=r"^[a-z][a-z_]{0,60}$")
    given: dict[str, Plain | list[Plain]] = Field(default_factory=dict, max_length=40)
    fields: list[str] = Field(default_factory=list, max_length=60)


class _ClaimFile(CatalogueSchema):
    document: _Document
    claims: list[_ClaimEntry] = Field(min_length=1, max_length=MOST_CLAIMS)


def read_claims(path: Path, *, own: bool = False) -> tuple[Claim, ...]:
    """Every claim of one file.

    Raises CatalogueError, naming file, claim and field, for an unknown or missing field, a key said twice, a quantity
    without its unit or with one of another kind.
    """
    file = read_checked(path, _ClaimFile, untrusted=own)
    document = file.document
    source = Source(**document.model_dump(exclude={"short"}))
    claims = tuple(_claim(entry, document.short, source, path.name, own) for entry in file.claims)
    check_distinct(claims, path.name)
    return claims


def check_distinct(claims: tuple[Claim, ...], where: str) -> None:
    """Raise CatalogueError if two claims share a key."""
    seen: set[str] = set()
    for claim in claims:
        if claim.key in seen:
            raise CatalogueError(
                "a claim's key is there twice", where=where, found=claim.key, remedy="Give each claim a key of its own."
            )
        seen.add(claim.key)


def _claim(entry: _ClaimEntry, document: str, source: Source, file: str, own: bool) -> Claim:
    where = f"{file}, {entry.key}"
    given = {name: _value(name, value, f"{where}, given.{name}") for name, value in entry.given.items()}
    for field in entry.fields:
        if field.split(".")[0] not in ("chips", "architectures") or field.count(".") < 2:
            raise CatalogueError(
                "not a figure of the catalogue", where=where, found=field, expected="chips.KEY.FIELD or "
                "architectures.KEY.FIELD",
            )  # fmt: skip
    return Claim(
        key=entry.key, says=entry.says, printed=entry.printed, document=document, source=source, at=entry.at,
        check=entry.check, given=MappingProxyType(given), fields=tuple(entry.fields), own=own,
    )  # fmt: skip


def _value(name: str, value: Plain | list[Plain], where: str) -> Given:
    if not isinstance(value, list):
        return _one(name, value, where)
    values = [_one(name, each, where) for each in value]
    numbers = [each for each in values if isinstance(each, float)]
    if len(numbers) == len(values):
        return tuple(numbers)
    if numbers:
        raise CatalogueError("a list of texts and numbers", where=where, found=value, expected="one kind of value")
    return tuple(str(each) for each in values)


def _one(name: str, value: Plain, where: str) -> float | str:
    """A quantity in the SI unit that its name ends in; a name without a unit holds a number or a text."""
    unit = unit_of_suffix(name)[1]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise CatalogueError("not a finite number", where=where, found=value)
        if unit not in _BARE_UNITS:
            raise CatalogueError("a quantity without its unit", where=where, found=value, expected=f"such as 1 {unit}")
        return float(value)
    if not unit:
        return value
    try:
        return parse_quantity(value, unit, where=where).value_si
    except UnitError as problem:
        raise CatalogueError(
            problem.what, where=where, found=problem.found, expected=problem.expected, remedy=problem.remedy
        ) from problem


@lru_cache(maxsize=4)
def load_claims(folder: Path = CLAIM_FOLDER) -> tuple[Claim, ...]:
    """The shipped claims in the order of their keys. Raises CatalogueError as `read_claims`, or for a key twice."""
    claims = tuple(claim for path in sorted(folder.glob("*.yaml")) for claim in read_claims(path))
    if not claims:
        raise CatalogueError("no claims", where=folder.name, remedy="Is the installation complete?")
    check_distinct(claims, folder.name)
    return tuple(sorted(claims, key=lambda claim: claim.key))
