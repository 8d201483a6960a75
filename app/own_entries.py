"""The person's own catalogue entries: where they lie, and the catalogue and claims with them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from data.catalogue.catalogue import Catalogue, load_catalogue
from data.catalogue.claim_files import Claim, load_claims
from data.own import Merged, OwnEntry, add, merge, read_own, remove, stamp_of
from data.own.entries import OwnRecords
from data.store import store_path

FOLDER = "catalogue"
Stamp = tuple[tuple[str, int, int], ...]


def own_folder() -> Path:
    """The folder of own entries, beside the store."""
    return store_path().parent / FOLDER


def own_stamp() -> Stamp:
    """What changes when an own entry does."""
    return stamp_of(own_folder())


def merged() -> Merged:
    """Shipped and own entries together, with what had to be left out; made anew only when a file has changed."""
    return _merged(str(own_folder()), own_stamp())


def own_records() -> OwnRecords:
    """The own entries alone."""
    return _records(str(own_folder()), own_stamp())


def catalogue() -> Catalogue:
    """Chips, models and prices, own ones included."""
    return merged().catalogue


def claims() -> tuple[Claim, ...]:
    """Shipped claims, then own ones."""
    return merged().claims


@lru_cache(maxsize=4)
def _records(folder: str, stamp: Stamp) -> OwnRecords:
    return read_own(Path(folder))


@lru_cache(maxsize=4)
def _merged(folder: str, stamp: Stamp) -> Merged:
    return merge(load_catalogue(), load_claims(), _records(folder, stamp))


def add_entry(content: bytes, file: str, *, key: str = "", name: str = "", stated_total: int | None = None) -> OwnEntry:
    """Keep one file's entry. Raises as `data.own.add`."""
    return add(
        own_folder(), load_catalogue(), load_claims(), content, file, key=key, name=name, stated_total=stated_total
    )  # fmt: skip


def remove_entry(key: str) -> OwnEntry:
    """Take an own entry away. Raises UnknownNameError with near matches."""
    return remove(own_folder(), key)
