"""The whole catalogue in memory: chips, models and prices by key, and the names they answer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from data.catalogue.architecture_files import architecture_paths, read_architecture, without_configuration
from data.catalogue.chip_files import read_chip
from data.catalogue.names import NameBook, ResolvedName, name_book, read_aliases
from data.catalogue.price_files import read_prices
from data.errors import CatalogueError, UnknownNameError
from data.records import Architecture, Chip, Price

FOLDER = Path(__file__).parent
_Record = TypeVar("_Record", Chip, Architecture)


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Facts by key. Names are resolved here and nowhere else, so that one spelling means one thing on every page.

    unconfigured  models that exist but whose dimensions nobody published, with what is known instead
    """

    chips: Mapping[str, Chip] = field(repr=False)
    architectures: Mapping[str, Architecture] = field(repr=False)
    prices: tuple[Price, ...] = field(repr=False)
    unconfigured: Mapping[str, str] = field(repr=False)
    chip_book: NameBook = field(repr=False)
    model_book: NameBook = field(repr=False)

    def chip(self, name: str) -> Chip:
        """The chip a key or alias names. Raises UnknownNameError (near matches) or AmbiguousNameError (choices)."""
        return self.chips[self.resolve_chip(name).key]

    def architecture(self, name: str) -> Architecture:
        """The model a key or alias names.

        Raises UnknownNameError, also for a model without published dimensions, or AmbiguousNameError.
        """
        key = self.resolve_model(name).key
        if key not in self.architectures:
            raise UnknownNameError("model", name, [], note=self.unconfigured[key])
        return self.architectures[key]

    def resolve_chip(self, name: str) -> ResolvedName:
        """Key a chip's name stands for, and how it was found."""
        return self.chip_book.resolve(name)

    def resolve_model(self, name: str) -> ResolvedName:
        """Key a model's name stands for, how it was found, and the weight format the name tells."""
        return self.model_book.resolve(name)

    def chip_names(self) -> list[str]:
        """Every accepted spelling of a chip, keys first."""
        return self.chip_book.names()

    def architecture_names(self) -> list[str]:
        """Every accepted spelling of a model, keys first."""
        return self.model_book.names()

    def prices_of(self, chip_key: str) -> tuple[Price, ...]:
        """Dated prices of one chip."""
        return tuple(price for price in self.prices if price.chip_key == chip_key)


@lru_cache(maxsize=4)
def load_catalogue(folder: Path | None = None) -> Catalogue:
    """Everything under `folder` (the shipped catalogue if None), checked, read once per process."""
    return read_catalogue(folder or FOLDER)


def read_catalogue(place: Path) -> Catalogue:
    """Everything under `place`, read anew.

    Raises CatalogueError for the first file that is wrong, for a price of an unknown chip, and for a name that would
    mean two entries.
    """
    chips = _records(sorted((place / "chips").glob("*.yaml")), read_chip, place)
    architectures = _records(architecture_paths(place / "architectures"), read_architecture, place)
    unconfigured = without_configuration(place / "architectures")
    aliases = read_aliases(place / "aliases.csv")
    memory_gb = {key: chip.memory_byte / 1e9 for key, chip in chips.items() if chip.memory_byte}
    return Catalogue(
        chips=chips,
        architectures=architectures,
        prices=_prices(place / "prices", chips),
        unconfigured=unconfigured,
        chip_book=name_book("chip", chips, aliases, memory_gb),
        model_book=name_book("model", [*architectures, *unconfigured], aliases),
    )


def _records(paths: list[Path], read: Callable[[Path], _Record], folder: Path) -> Mapping[str, _Record]:
    if not paths:
        raise CatalogueError("no chips or no models", where=folder.name, remedy="Is the installation complete?")
    return MappingProxyType({path.stem: read(path) for path in paths})


def _prices(folder: Path, chips: Iterable[str]) -> tuple[Price, ...]:
    known = frozenset(chips)
    prices = tuple(price for path in sorted(folder.glob("*.yaml")) for price in read_prices(path))
    for price in prices:
        if price.chip_key and price.chip_key not in known:
            raise CatalogueError("a price of an unknown chip", where="prices", found=f"{price.item}: {price.chip_key}")
    return prices
