"""A published config.json as typed look-ups that say which key is missing, and remember which key gave which number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from data.errors import CatalogueError

LARGEST = 10**9  # no dimension of a model comes near it; a file that says more is broken
NESTED_KEYS = ("text_config", "llm_config", "language_config")


@dataclass(frozen=True)
class Found:
    """One number the configuration gave: under which key, and what it says; key is empty for a family's default."""

    key: str
    value: int | bool | str


@dataclass
class Configuration:
    """The language model's part of a config.json.

    values   the language part laid over the outer file (multimodal configurations nest it)
    where    the file's name, for errors
    found    every dimension asked for so far, by our own name for it
    """

    values: Mapping[str, object]
    where: str
    found: dict[str, Found] = field(default_factory=dict)
    path: str = ""  # of a nested table: its key and a dot

    def size(self, name: str, *keys: str, default: int | None = None) -> int:
        """As `whole`, for what cannot be zero: widths, counts of heads, intervals."""
        return self.whole(name, *keys, default=default, least=1)

    def whole(self, name: str, *keys: str, default: int | None = None, least: int = 0) -> int:
        """The whole number under the first of `keys` that is there; remembered as `name`.

        Raises CatalogueError naming the keys if none is there and no default is given, or if it is no whole number
        from `least` up.
        """
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            if not _is_whole(value, least):
                expected = f"a whole number from {least} to {LARGEST:,}"
                raise CatalogueError(f"{key} is no size", where=self.where, found=repr(value), expected=expected)
            whole = int(cast(float, value))
            self.found[name] = Found(self.path + key, whole)
            return whole
        if default is None or default < least:
            raise CatalogueError(
                f"the configuration does not say {' or '.join(keys)}",
                where=self.where,
                found="no such key",
                expected=f"a whole number ({name.replace('_', ' ')})",
                remedy="Upload the model's own config.json, not an excerpt.",
            )
        self.found[name] = Found("", default)
        return default

    def flag(self, key: str, *, default: bool) -> bool:
        """The truth value under `key`, or the family's default where the file is silent."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise CatalogueError(f"{key} is neither true nor false", where=self.where, found=repr(value))
        return value

    def word(self, key: str, default: str = "") -> str:
        """The text under `key`, or `default`."""
        value = self.values.get(key)
        return default if value is None else str(value)

    def part(self, key: str) -> Configuration:
        """The nested table under `key` as a configuration of its own; raises CatalogueError if it is missing."""
        value = self.values.get(key)
        if not isinstance(value, Mapping):
            raise CatalogueError(
                f"{key} is missing or no table", where=self.where, found=repr(value), expected="a table"
            )
        return Configuration(cast(Mapping[str, object], value), f"{self.where}, {key}", path=f"{self.path}{key}.")

    def per_layer(self, key: str, layers: int) -> list[object] | None:
        """One entry per layer under `key`, or None where the file has no such list.

        A longer list is cut: entries beyond the decoder belong to multi-token-prediction layers.
        Raises CatalogueError if the list is shorter than `layers`.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, str) or not isinstance(value, Sequence) or len(value) < layers:
            size = len(value) if isinstance(value, Sequence) else repr(value)
            raise CatalogueError(f"{key} does not name every layer", where=self.where, found=size, expected=layers)
        return list(value)[:layers]


def _is_whole(value: object, least: int) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and least <= cast(float, value) <= LARGEST and cast(float, value) % 1 == 0


def language_part(values: Mapping[str, object], where: str) -> Configuration:
    """The decoder's configuration out of a config.json; nested language parts win over the outer file."""
    for key in NESTED_KEYS:
        inner = values.get(key)
        if isinstance(inner, Mapping):
            return Configuration({**values, **{k: v for k, v in inner.items() if v is not None}}, where)
    return Configuration(values, where)
