"""Texts of own entries stand on pages and in reports, so nothing in them may be a link, a picture or a tag there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from data.errors import CatalogueError

_LAYOUT = re.compile(r"\][(\[:]|<[A-Za-z/!]|:[A-Za-z-]+\[|\\")


def check_inert(record: object, where: str) -> None:
    """Raise CatalogueError for the first text of a record that a page would read as layout."""
    for text in _texts(record):
        if found := _LAYOUT.search(text):
            raise CatalogueError(
                "a text that a page would read as a link, a picture or a tag", where=where,
                found=text[max(0, found.start() - 20) :][:60], expected="plain words",
                remedy="Write it without square or pointed brackets and backslashes.",
            )  # fmt: skip


def _texts(record: object) -> Iterator[str]:
    if isinstance(record, str):
        yield record
    elif is_dataclass(record):
        for each in fields(record):
            yield from _texts(getattr(record, each.name))
    elif isinstance(record, Mapping):
        for name, value in record.items():
            yield from _texts(name)
            yield from _texts(value)
    elif isinstance(record, (tuple, list, set, frozenset)):
        for value in record:
            yield from _texts(value)
