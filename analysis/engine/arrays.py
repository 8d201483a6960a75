"""Frozen groups of equally long arrays: taking rows of all of them, and putting groups together again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
_Group = TypeVar("_Group")


@cache
def _names_in(kind: Hashable) -> tuple[str, ...]:
    return tuple(each.name for each in fields(cast(Any, kind)))


def _names(group: object) -> tuple[str, ...]:
    return _names_in(cast(Hashable, type(group)))


def rows_of(group: _Group, rows: NDArray[Any]) -> _Group:
    """The same group with only the rows that a mask or an index picks from each of its arrays."""
    at = np.flatnonzero(rows) if rows.dtype == bool else rows
    return type(group)(**{name: getattr(group, name)[at] for name in _names(group)})


def chosen(mask: Flags, when: _Group, otherwise: _Group) -> _Group:
    """Row by row, one of two groups of the same kind; groups within are chosen likewise."""
    parts: dict[str, Any] = {}
    for name in _names(when):
        first, second = getattr(when, name), getattr(otherwise, name)
        parts[name] = chosen(mask, first, second) if is_dataclass(first) else np.where(mask, first, second)
    return type(when)(**parts)


def put_rows(groups: list[tuple[NDArray[Any], _Group]], count: int) -> _Group:
    """One group of `count` rows out of parts, each with the mask of the rows it fills; the rest is nan."""
    _, pattern = groups[0]
    parts: dict[str, Any] = {}
    for name in _names(pattern):
        values = [(rows, getattr(part, name)) for rows, part in groups]
        if is_dataclass(values[0][1]):
            parts[name] = put_rows(values, count)
            continue
        whole = np.full(count, np.nan)
        for rows, part in values:
            whole[rows] = part
        parts[name] = whole
    return type(pattern)(**parts)
