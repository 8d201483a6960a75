"""Which catalogue entry a name means: keys, then aliases, then safe rules; a name that could be two is refused."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from data.catalogue.name_forms import (
    bare_model_names,
    chip_forms,
    folded,
    prefixed_chip_names,
    stated_memory_gb,
    weight_format,
)
from data.errors import AmbiguousNameError, CatalogueError, UnknownNameError

Kind = Literal["chip", "model"]

# Statuses of the alias list under which a name stands for its key; any other refuses, with the note as the reason.
_MEANS_ITS_KEY = frozenset({"exact", "same geometry"})
_STATUSES = _MEANS_ITS_KEY | {"ambiguous", "none", "variant"}
_COLUMNS = ["kind", "name", "key", "status", "choices", "note"]


@dataclass(frozen=True, kw_only=True)
class Alias:
    """One row of aliases.csv: a name met in the wild and what it stands for, or why it stands for nothing."""

    kind: str
    name: str
    key: str
    status: str
    choices: tuple[str, ...]
    note: str


@dataclass(frozen=True, kw_only=True)
class ResolvedName:
    """What a name means.

    how          "key", "alias", "same geometry" or "rule", which a page can show beside the entry
    note         what the alias list says about the name
    format_hint  weight format the name itself tells: "fp8", "nvfp4", "int4", ... ; empty if it tells none
    """

    key: str
    how: str
    note: str = ""
    format_hint: str = ""


def read_aliases(path: Path) -> tuple[Alias, ...]:
    """Every row of aliases.csv. Raises CatalogueError naming the line for a wrong header, kind or status."""
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        if reader.fieldnames != _COLUMNS:
            raise CatalogueError(
                "wrong columns", where=path.name, found=reader.fieldnames, expected=", ".join(_COLUMNS)
            )
        return tuple(_alias(row, f"{path.name}, line {reader.line_num}") for row in reader)


def _alias(row: Mapping[str, str], where: str) -> Alias:
    if row["kind"] not in ("chip", "model") or row["status"] not in _STATUSES or not row["name"].strip():
        found = f"{row['kind']}, {row['name']}, {row['status']}"
        raise CatalogueError("a row that cannot be used", where=where, found=found, expected=", ".join(_STATUSES))
    if row["status"] in _MEANS_ITS_KEY and not row["key"]:
        raise CatalogueError("a name without the key it stands for", where=where, found=row["name"])
    choices = tuple(each for each in row["choices"].split("|") if each)
    return Alias(**{**row, "choices": choices})  # type: ignore[arg-type]


@dataclass(frozen=True)
class NameBook:
    """Resolves the names of one kind. Built once; raises CatalogueError if one spelling would mean two entries."""

    kind: Kind
    keys: frozenset[str]
    literal: Mapping[str, Alias] = field(repr=False)
    loose: Mapping[str, tuple[Alias, ...]] = field(repr=False)
    memory_gb: Mapping[str, float] = field(repr=False)  # a size in a chip's name must be that of the entry

    def names(self) -> list[str]:
        """Every accepted spelling, keys first."""
        accepted = [name for name, alias in self.literal.items() if alias.status in _MEANS_ITS_KEY]
        return list(dict.fromkeys([*sorted(self.keys), *accepted]))

    def resolve(self, name: str) -> ResolvedName:
        """The entry a name means.

        A key as written wins. Then the alias as written, then either without regard to case, spaces and punctuation,
        then with vendor words (chips), or without publisher, tuning and format words (models).
        Raises AmbiguousNameError with the choices, or UnknownNameError with near matches and, if known, the reason.
        """
        wanted = name.strip()
        hint = weight_format(wanted) if self.kind == "model" else ""
        if wanted in self.keys:
            return ResolvedName(key=wanted, how="key", format_hint=hint)
        for alias in self._candidates(wanted):
            return self._accept(alias, name, hint)
        raise UnknownNameError(self.kind, name, self.names())

    def _candidates(self, wanted: str) -> Iterable[Alias]:
        """What the spelling may stand for, most literal first; a refusal found on the way ends the search."""
        if wanted in self.literal:
            yield self.literal[wanted]
        yield from self._by_spelling(wanted)
        forms = chip_forms(wanted) if self.kind == "chip" else bare_model_names(wanted)
        for form in forms:
            for alias in self._by_spelling(form):
                if self._size_agrees(alias.key, wanted):
                    yield _by_rule(alias)

    def _size_agrees(self, key: str, wanted: str) -> bool:
        """False if the name states another memory size than the entry has; makers round by up to 6 percent."""
        stated = stated_memory_gb(wanted) if self.kind == "chip" else None
        known = self.memory_gb.get(key)
        return stated is None or known is None or abs(stated / known - 1) <= _SIZE_TOLERANCE

    def _by_spelling(self, wanted: str) -> list[Alias]:
        """Aliases whose letters and digits agree; refusals first, and a bare key must not hide a doubtful name."""
        found = list(self.loose.get(folded(wanted), ()))
        if self.kind == "chip" and found and all(alias.note == _KEY_NOTE for alias in found):
            doubtful = [a for form in prefixed_chip_names(wanted) for a in self.loose.get(folded(form), ())]
            found = [alias for alias in doubtful if alias.status not in _MEANS_ITS_KEY] or found
        return sorted(found, key=lambda alias: alias.status in _MEANS_ITS_KEY)

    def _accept(self, alias: Alias, name: str, hint: str) -> ResolvedName:
        if alias.status == "ambiguous":
            fitting = [key for key in alias.choices if self._size_agrees(key, name)]
            raise AmbiguousNameError(self.kind, name, fitting or alias.choices, note=alias.note)
        if alias.status not in _MEANS_ITS_KEY:
            known = [alias.key] if alias.key else []
            raise UnknownNameError(self.kind, name, known, note=alias.note or "no figures")
        how = "alias" if alias.status == "exact" else alias.status
        note = alias.note
        if note.startswith(_RULE):
            how, note = "rule", note.removeprefix(_RULE)
        elif note == _KEY_NOTE:
            how = "key"
        return ResolvedName(key=alias.key, how=how, note="" if note == _KEY_NOTE else note, format_hint=hint)


_KEY_NOTE = "catalogue key"
_SIZE_TOLERANCE = 0.06
_RULE = "by rule; "


def _by_rule(alias: Alias) -> Alias:
    note = _RULE + alias.note if alias.status in _MEANS_ITS_KEY else alias.note
    return Alias(kind=alias.kind, name=alias.name, key=alias.key, status=alias.status, choices=alias.choices, note=note)


def name_book(
    kind: Kind, keys: Iterable[str], aliases: Iterable[Alias], memory_gb: Mapping[str, float] | None = None
) -> NameBook:
    """The resolver of one kind. Raises CatalogueError if a name means two entries or names one that does not exist."""
    known = frozenset(keys)
    literal: dict[str, Alias] = {}
    loose: dict[str, list[Alias]] = {}
    own = [Alias(kind=kind, name=key, key=key, status="exact", choices=(), note=_KEY_NOTE) for key in sorted(known)]
    for alias in [*own, *(each for each in aliases if each.kind == kind)]:
        _check_target(alias, known)
        before = literal.setdefault(alias.name, alias)
        _check_same(before, alias)
        loose.setdefault(folded(alias.name), []).append(alias)
    for spelled in loose.values():
        meaning = [alias for alias in spelled if alias.status in _MEANS_ITS_KEY]
        for alias in meaning[1:]:
            _check_same(meaning[0], alias)
    for name, alias in _unpublished(literal.values()).items():
        loose.setdefault(name, [alias])
    return NameBook(kind, known, literal, {name: tuple(spelled) for name, spelled in loose.items()}, memory_gb or {})


def _unpublished(aliases: Iterable[Alias]) -> dict[str, Alias]:
    """Names on a model hub without their publisher, as far as all publishers mean the same by them."""
    found: dict[str, Alias] = {}
    doubtful: set[str] = set()
    for alias in aliases:
        if "/" in alias.name and alias.status in _MEANS_ITS_KEY and alias.kind == "model":
            tail = folded(alias.name.split("/")[-1])
            if found.setdefault(tail, alias).key != alias.key:
                doubtful.add(tail)
    return {tail: alias for tail, alias in found.items() if tail not in doubtful}


def _check_target(alias: Alias, known: frozenset[str]) -> None:
    for key in [alias.key] if alias.key else alias.choices:
        if key not in known:
            raise CatalogueError("a name stands for no entry", where="aliases.csv", found=f"{alias.name}: {key}")


def _check_same(first: Alias, second: Alias) -> None:
    if (first.key, first.status in _MEANS_ITS_KEY) != (second.key, second.status in _MEANS_ITS_KEY):
        found = f"{first.name}: {first.key or first.status}, {second.name}: {second.key or second.status}"
        raise CatalogueError("one name means two entries", where="aliases.csv", found=found)
