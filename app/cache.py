"""What is opened once and kept for every visitor: the catalogue and the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from analysis.studies.benchmark_cases import Measured, comparable
from app import own_entries
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.catalogue.token_prices import TokenPrice
from data.catalogue.token_prices import token_prices as published_prices
from data.store import Sample, Store, open_store, sample, store_path

_read_from: Path | None = None


def catalogue() -> Catalogue:
    """Chips, models and prices, shipped and own; made anew only when an own entry has changed."""
    return own_entries.catalogue()


def token_prices(model_key: str) -> tuple[TokenPrice, ...]:
    """What providers ask for a model's tokens; names are resolved anew only when an own entry has changed."""
    return _token_prices(model_key, own_entries.own_stamp())


@lru_cache(maxsize=64)
def _token_prices(model_key: str, own: own_entries.Stamp) -> tuple[TokenPrice, ...]:
    return published_prices(catalogue(), model_key)


def store() -> Store:
    """The person's store, made where it is missing. Raises StoreError if another process holds it."""
    return _opened(str(_read_from or store_path()))


@contextmanager
def reading_from(path: Path) -> Iterator[None]:
    """Take the person's store from this file meanwhile: for a command that only reads, perhaps from a copy."""
    global _read_from
    _read_from = path
    try:
        yield
    finally:
        _read_from = None


@lru_cache(maxsize=8)
def _opened(path: str) -> Store:
    opened = open_store(path)
    opened.ensure_catalogue(load_catalogue())  # its tables hold the shipped entries alone
    return opened


def read_runs(*, over_loads: bool = False) -> Sample:
    """The person's runs, of long files a part (see sample); read anew only when the store has changed."""
    opened = store()
    return _read_runs(str(opened.path), opened.changes, over_loads)


@lru_cache(maxsize=4)
def _read_runs(path: str, changes: int, over_loads: bool) -> Sample:
    return sample(_opened(path), over_loads=over_loads)


def measured_runs() -> tuple[Measured, ...]:
    """Those of them that can be compared with the model; read anew only when the store has changed."""
    opened = store()
    return _measured(str(opened.path), opened.changes, own_entries.own_stamp())


@lru_cache(maxsize=2)
def _measured(path: str, changes: int, own: own_entries.Stamp) -> tuple[Measured, ...]:
    known = catalogue()
    return tuple(comparable(_read_runs(path, changes, False).runs, known.architectures, known.chips)[0])
