"""The shipped catalogue with the person's own entries; nothing shipped is ever replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from data.catalogue.catalogue import FOLDER, Catalogue
from data.catalogue.claim_files import Claim
from data.catalogue.name_forms import folded
from data.catalogue.names import Alias, NameBook, name_book, read_aliases
from data.errors import CatalogueError
from data.own.entries import OWN_MARK, OwnRecords
from data.records import Architecture, Chip

_Record = TypeVar("_Record", Chip, Architecture)


@dataclass(frozen=True, kw_only=True)
class Merged:
    """Shipped and own together.

    own      keys of the chips and models that are the person's own
    claims   shipped claims, then own ones
    faults   entries that are left out, and why
    """

    catalogue: Catalogue
    claims: tuple[Claim, ...]
    own: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()


def merge(shipped: Catalogue, claims: tuple[Claim, ...], records: OwnRecords) -> Merged:
    """Both together. An own entry whose key or name is taken is left out and told about."""
    taken = taken_names(shipped)
    faults = list(records.faults)
    chips = list(_free(records.chips, taken["chip"], faults))
    models = list(_free(records.architectures, taken["model"], faults))
    known = {*shipped.chips, *(chip.key for chip in chips)}
    prices = [price for price in records.prices if not price.chip_key or price.chip_key in known]
    faults += [f"a price of {p.item} names an unknown chip: {p.chip_key}." for p in records.prices if p not in prices]
    shipped_keys = {claim.key for claim in claims}
    own_claims = _distinct([claim for claim in records.claims if claim.key not in shipped_keys])
    faults += [_taken_claim(claim.key) for claim in records.claims if claim.key in shipped_keys]
    if not (chips or models or prices):
        return Merged(catalogue=shipped, claims=(*claims, *own_claims), faults=tuple(faults))
    together = replace(
        shipped,
        chips=MappingProxyType({**shipped.chips, **{chip.key: chip for chip in chips}}),
        architectures=MappingProxyType({**shipped.architectures, **{model.key: model for model in models}}),
        prices=(*shipped.prices, *prices),
    )
    return Merged(
        catalogue=_with_names(together, chips, models),
        claims=(*claims, *own_claims),
        own=frozenset([*(chip.key for chip in chips), *(model.key for model in models)]),
        faults=tuple(faults),
    )


def taken_names(shipped: Catalogue) -> dict[str, frozenset[str]]:
    """Every spelling that already means something, letters and digits alone, by kind."""
    return {
        "chip": frozenset(folded(name) for name in (*shipped.chips, *shipped.chip_book.literal)),
        "model": frozenset(folded(name) for name in (*shipped.architectures, *shipped.model_book.literal)),
    }


def _free(records: Iterable[_Record], taken: frozenset[str], faults: list[str]) -> Iterator[_Record]:
    seen: set[str] = set()
    for record in records:
        if folded(record.key) in taken:
            faults.append(taken_key(record.key).sentence())
        elif folded(record.key) in seen:
            faults.append(f"{record.key}: there twice among your own entries.")
        else:
            seen.add(folded(record.key))
            yield record


def taken_key(key: str) -> CatalogueError:
    """The error for a key or name that the shipped catalogue uses."""
    return CatalogueError(
        "the shipped catalogue has an entry or a name like this, which an own entry never replaces", where=key,
        remedy="Choose another key, such as my-" + key + ".",
    )  # fmt: skip


def _taken_claim(key: str) -> str:
    return f"claim {key}: the shipped claims have this key; give yours another."


def _distinct(claims: list[Claim]) -> list[Claim]:
    return list({claim.key: claim for claim in reversed(claims)}.values())[::-1]


def _with_names(together: Catalogue, chips: Sequence[Chip], models: Sequence[Architecture]) -> Catalogue:
    aliases = read_aliases(FOLDER / "aliases.csv")
    memory_gb = {key: chip.memory_byte / 1e9 for key, chip in together.chips.items() if chip.memory_byte}
    books: dict[str, NameBook] = {
        "chip_book": name_book("chip", together.chips, [*aliases, *_aliases("chip", chips, together)], memory_gb),
        "model_book": name_book(
            "model", [*together.architectures, *together.unconfigured], [*aliases, *_aliases("model", models, together)]
        ),
    }
    return replace(together, **books)  # type: ignore[arg-type]


def _aliases(kind: str, records: Sequence[Chip | Architecture], together: Catalogue) -> Iterator[Alias]:
    """Own names as further spellings of their keys, where they mean nothing yet."""
    book = together.chip_book if kind == "chip" else together.model_book
    taken = {folded(name) for name in (*book.literal, *(record.key for record in records))}
    for record in records:
        plain = record.name.removesuffix(OWN_MARK)
        if plain and folded(plain) not in taken:
            taken.add(folded(plain))
            yield Alias(kind=kind, name=plain, key=record.key, status="exact", choices=(), note="own entry")
