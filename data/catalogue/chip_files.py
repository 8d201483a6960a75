"""Reads one chip's YAML file: every figure with its unit, its sources and where in them it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError, UnitError
from data.records import Chip, ChipKind, Conflict, Execution
from data.sources import Fact, FactKind, Source, SourceKind
from data.units import Quantity, is_in_bits, parse_quantity, unit_of_suffix

_COUNTS = ("scale_up_device_count", "core_count")
_NOT_FIGURES = frozenset({"conflicts", "facts"})


def _field_units() -> dict[str, str]:
    """Every figure a chip file may carry and the unit its name ends in; counts are bare numbers."""
    units = {each.name: unit_of_suffix(each.name)[1] for each in fields(Chip) if each.name not in _NOT_FIGURES}
    return {name: unit for name, unit in units.items() if unit} | dict.fromkeys(_COUNTS, "1")


FIELD_UNITS = _field_units()


class _SourceEntry(CatalogueSchema):
    title: str = Field(min_length=1)
    kind: SourceKind
    where: str = ""
    retrieved: str = Field(default="", pattern=r"^(\d{4}(-\d{2}){0,2})?$")
    seen: str = ""


class _FieldEntry(CatalogueSchema):
    value: str | int
    source: list[str] = Field(min_length=1)
    at: str = Field(min_length=1)
    kind: FactKind = "stated"
    note: str = ""


class _ConflictEntry(CatalogueSchema):
    field: str
    value: str | int
    by: str = Field(min_length=1)
    note: str = ""


class _ChipFile(CatalogueSchema):
    key: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    name: str = Field(min_length=1)
    vendor: str = Field(min_length=1)
    kind: ChipKind
    generation: str = Field(pattern=r"^[a-z0-9-]+$")
    execution: Execution
    status: str = Field(min_length=1)
    available: bool
    confidence: str = Field(pattern=r"^(high|medium|low)$")
    audited: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    source_check: str = ""
    note: str = ""
    release: str = ""
    process: str = ""
    memory_type: str = ""
    interconnect: str = ""
    host_link: str = ""
    second_tier: str = ""
    system: str = ""
    sparsity: str = ""
    price_note: str = ""
    rental_note: str = ""
    link_pair_only: bool = False
    sources: dict[str, _SourceEntry] = Field(min_length=1)
    fields: dict[str, _FieldEntry] = Field(min_length=1)
    conflicts: list[_ConflictEntry] = Field(default_factory=list)


def read_chip(path: Path, *, untrusted: bool = False) -> Chip:
    """One chip from its file, figures in SI.

    Raises CatalogueError, naming file, field, what was found and what was expected, for a wrong dimension, bits where
    bytes belong, a negative or missing figure, a missing or unknown source, a derived figure without its reason, an
    unknown field, a key said twice, or a key that is not the file's name.
    """
    file = read_checked(path, _ChipFile, untrusted=untrusted)
    if file.key != path.stem:
        raise CatalogueError("key and file name differ", where=path.name, found=file.key, expected=path.stem)
    sources = {key: Source(**entry.model_dump()) for key, entry in file.sources.items()}
    facts = {name: _fact(entry, name, sources, f"{path.name}, {name}") for name, entry in file.fields.items()}
    unused = set(sources) - {key for entry in file.fields.values() for key in entry.source}
    if unused:
        raise CatalogueError("no figure names this source", where=path.name, found=", ".join(sorted(unused)))
    record: dict[str, Any] = file.model_dump(exclude={"sources", "fields", "conflicts"})
    record |= {name: fact.value for name, fact in facts.items()}
    return Chip(**record, facts=facts, conflicts=tuple(_conflict(entry, path.name) for entry in file.conflicts))


def _fact(entry: _FieldEntry, name: str, sources: Mapping[str, Source], where: str) -> Fact:
    value = _value(entry.value, name, where)
    missing = [key for key in entry.source if key not in sources]
    if missing:
        raise CatalogueError(
            "names an unknown source", where=where, found=", ".join(missing), expected=", ".join(sources)
        )
    try:
        return Fact(
            value=value,
            shown=str(entry.value),
            sources=tuple(sources[key] for key in entry.source),
            at=entry.at,
            kind=entry.kind,
            note=entry.note,
        )
    except CatalogueError as problem:
        raise CatalogueError(problem.what, where=where, found=problem.found) from problem


def _value(written: str | int, name: str, where: str) -> float | int:
    """The SI figure of one field; a count stays an integer."""
    unit = FIELD_UNITS.get(name)
    if unit is None:
        raise CatalogueError("an unknown field", where=where, found=name, expected=", ".join(sorted(FIELD_UNITS)))
    quantity = _quantity(written, unit, where)
    if quantity.value_si <= 0:
        raise CatalogueError("not above zero", where=where, found=repr(written), remedy="Leave out what is not known.")
    if unit != "1":
        return quantity.value_si
    if not quantity.value_si.is_integer():
        raise CatalogueError("not a whole number", where=where, found=repr(written))
    return int(quantity.value_si)


def _quantity(written: str | int, unit: str, where: str) -> Quantity:
    text = str(written)
    if is_in_bits(text):
        remedy = "Divide by eight, write bytes, and say so in the note."
        raise CatalogueError("bits where bytes belong", where=where, found=repr(text), expected=unit, remedy=remedy)
    try:
        return parse_quantity(text, unit, where=where)
    except UnitError as problem:
        raise CatalogueError(
            problem.what, where=where, found=repr(text), expected=problem.expected or unit, remedy=problem.remedy
        ) from problem


def _conflict(entry: _ConflictEntry, file_name: str) -> Conflict:
    where = f"{file_name}, conflicts.{entry.field}"
    value = float(_value(entry.value, entry.field, where))
    return Conflict(field=entry.field, value=value, shown=str(entry.value), by=entry.by, note=entry.note)


def figures(chip: Chip) -> dict[str, Any]:
    """Every known figure of a chip by field name, SI."""
    return {name: value for name in FIELD_UNITS if (value := getattr(chip, name)) is not None}
