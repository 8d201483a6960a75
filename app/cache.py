"""What is opened once and kept for every visitor: the catalogue and the store."""

from __future__ import annotations

from functools import lru_cache

from data.catalogue.catalogue import Catalogue, load_catalogue
from data.store import Store, open_store, store_path


def catalogue() -> Catalogue:
    """Chips, models and prices as the catalogue files give them."""
    return load_catalogue()


def store() -> Store:
    """The person's store, made where it is missing. Raises StoreError if another process holds it."""
    return _opened(str(store_path()))


@lru_cache(maxsize=8)
def _opened(path: str) -> Store:
    opened = open_store(path)
    opened.ensure_catalogue(catalogue())
    return opened
