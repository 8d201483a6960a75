"""The files of the person's own entries: where they lie, what each holds, and which cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from data.catalogue.architecture_files import read_architecture
from data.catalogue.chip_files import read_chip
from data.catalogue.claim_files import Claim, read_claims
from data.catalogue.price_files import read_prices
from data.errors import CatalogueError, WaferlineError
from data.own.configurations import read_kept
from data.own.inert import check_inert
from data.records import Architecture, Chip, Price
from data.sources import Fact, Source

Kind = Literal["chips", "architectures", "prices", "claims"]
KINDS: tuple[Kind, ...] = ("chips", "architectures", "prices", "claims")
OWN_MARK = " · own"  # behind the name of everything that the person added
NOT_REVIEWED = "own entry, not reviewed"
MOST_FILES = 500  # of one kind


@dataclass(frozen=True, kw_only=True)
class OwnEntry:
    """One file: its kind, its key (the file's name) and what people call it."""

    kind: Kind
    key: str
    name: str
    path: Path


@dataclass(frozen=True, kw_only=True)
class OwnRecords:
    """Everything that could be read, and the sentences about what could not."""

    entries: tuple[OwnEntry, ...] = ()
    chips: tuple[Chip, ...] = ()
    architectures: tuple[Architecture, ...] = ()
    prices: tuple[Price, ...] = ()
    claims: tuple[Claim, ...] = ()
    faults: tuple[str, ...] = field(default=())


def stamp_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of every file, which change when an entry does."""
    return tuple(
        (f"{kind}/{path.name}", path.stat().st_mtime_ns, path.stat().st_size)
        for kind, path in own_files(folder)
        if path.is_file()
    )


def own_files(folder: Path) -> Iterator[tuple[Kind, Path]]:
    """Every file by kind, in the order of their names."""
    for kind in KINDS:
        place = folder / kind
        if place.is_dir():
            found = sorted(path for path in place.iterdir() if path.suffix in (".yaml", ".json"))
            yield from ((kind, path) for path in found[:MOST_FILES])


def read_own(folder: Path) -> OwnRecords:
    """All entries under `folder`; a file that cannot be read is left out and told about."""
    records, faults = OwnRecords(), []
    for kind, path in own_files(folder):
        try:
            records = with_file(records, kind, path)
        except WaferlineError as problem:
            faults.append(problem.sentence())
    return replace(records, faults=tuple(faults))


def with_file(records: OwnRecords, kind: Kind, path: Path) -> OwnRecords:
    """The records and one file more. Raises CatalogueError naming file and field if it cannot be read."""
    if kind == "chips":
        chip = read_chip(path, untrusted=True)
        check_inert(chip, path.name)
        chip = replace(chip, name=marked(chip.name), note=_noted(chip.note), facts=_unreviewed(chip.facts))
        return _with(records, kind, path, chip.name, chips=(*records.chips, chip))
    if kind == "architectures":
        model = read_kept(path) if path.suffix == ".json" else read_architecture(path, untrusted=True)
        check_inert(model, path.name)
        model = replace(model, name=marked(model.name), note=_noted(model.note), facts=_unreviewed(model.facts))
        return _with(records, kind, path, model.name, architectures=(*records.architectures, model))
    if kind == "prices":
        read = read_prices(path, untrusted=True)
        check_inert(read, path.name)
        prices = tuple(replace(each, note=_noted(each.note), source=_own_source(each.source)) for each in read)
        return _with(records, kind, path, _counted(len(prices), "price"), prices=(*records.prices, *prices))
    claims = read_claims(path, own=True)
    check_inert(claims, path.name)
    return _with(records, kind, path, _counted(len(claims), "claim"), claims=(*records.claims, *claims))


def marked(name: str) -> str:
    """A name that says that the entry is the person's own."""
    return name.removesuffix(OWN_MARK) + OWN_MARK


def _unreviewed(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """The same facts, each document saying that nobody has reviewed what was taken from it."""
    return {
        name: replace(fact, sources=tuple(_own_source(each) for each in fact.sources)) for name, fact in facts.items()
    }


def _own_source(source: Source) -> Source:
    return source if source.title.endswith("not reviewed") else replace(source, title=f"{source.title}, {NOT_REVIEWED}")


def _noted(note: str) -> str:
    return f"{NOT_REVIEWED}. {note}".strip() if NOT_REVIEWED not in note else note


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _with(records: OwnRecords, kind: Kind, path: Path, name: str, **more: object) -> OwnRecords:
    entry = OwnEntry(kind=kind, key=path.stem, name=name, path=path)
    return replace(records, entries=(*records.entries, entry), **more)  # type: ignore[arg-type]


def kind_of_content(content: object, where: str) -> Kind:
    """What a YAML file holds, by its leading words. Raises CatalogueError if it is none of the four."""
    signs: dict[str, Kind] = {"claims": "claims", "prices": "prices", "blocks": "architectures", "fields": "chips"}
    if isinstance(content, dict):
        for sign, kind in signs.items():
            if sign in content:
                return kind
    raise CatalogueError(
        "neither a chip, a model, prices nor claims", where=where,
        expected="a mapping with fields (chip), blocks (model), prices or claims",
        remedy="Write it like the shipped files.",
    )  # fmt: skip
