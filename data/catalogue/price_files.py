"""Reads the price files: dated prices as somebody printed them, grouped by what is paid for."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError
from data.records import Price
from data.sources import Source, SourceKind

PriceUnit = Literal["chip-hour", "instance-hour", "1M tokens", "unit (purchase)"]


class _SourceEntry(CatalogueSchema):
    title: str = Field(min_length=1)
    kind: SourceKind
    where: str = ""
    retrieved: str = ""


class _PriceEntry(CatalogueSchema):
    item: str = Field(min_length=1)
    chip: str = ""
    unit: PriceUnit
    amount: str = Field(pattern=r"^\d+(\.\d+)?$")
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")
    date: str = Field(min_length=4)
    provider: str = Field(min_length=1)
    source: str
    note: str = ""


class _PriceFile(CatalogueSchema):
    about: str = Field(min_length=1)
    sources: dict[str, _SourceEntry] = Field(min_length=1)
    prices: list[_PriceEntry] = Field(min_length=1)


def read_prices(path: Path, *, untrusted: bool = False) -> tuple[Price, ...]:
    """Every price of one file, amounts in its currency per its unit.

    Raises CatalogueError, naming file and entry, for an unknown source or field, a missing date or provider, or an
    amount that is not above zero.
    """
    file = read_checked(path, _PriceFile, untrusted=untrusted)
    sources = {key: Source(**entry.model_dump()) for key, entry in file.sources.items()}
    return tuple(_price(entry, sources, f"{path.name}, prices.{at}") for at, entry in enumerate(file.prices))


def _price(entry: _PriceEntry, sources: dict[str, Source], where: str) -> Price:
    if entry.source not in sources:
        raise CatalogueError(
            "names an unknown source", where=where, found=entry.source, expected=", ".join(sorted(sources))
        )
    amount = float(entry.amount)
    if amount <= 0:
        raise CatalogueError("not above zero", where=where, found=entry.amount)
    return Price(
        item=entry.item,
        unit=entry.unit,
        amount=amount,
        currency=entry.currency,
        date=entry.date,
        provider=entry.provider,
        source=sources[entry.source],
        note=entry.note,
        chip_key=entry.chip,
    )
