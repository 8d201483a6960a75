"""Which rows of long tables are one and the same run: a 64-bit number from what their columns state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from data.readers.large.columns import Columns

_STEP, _ONE, _TWO = (np.uint64(one) for one in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_UNKNOWN = np.uint64(0x5EED)


def identities(columns: Columns, outcome: np.ndarray) -> np.ndarray:
    """One number a row: equal for rows that state the same; what was derived or said does not count.

    Splitmix64 (Steele, Lea, Flood 2014) over the bits of the values, field after field in the order of their names.
    """
    found = _mixed(outcome.astype(np.uint64))
    for name in sorted(columns.origins):
        if columns.origins[name].origin in ("derived", "person"):
            continue
        key = np.uint64(_digest(name))
        values = columns.stated.get(name, columns.numbers.get(name, columns.texts.get(name)))
        bits = _number_bits(values) if isinstance(values, np.ndarray) else _text_bits(values)
        found = _mixed(found ^ _mixed(bits + key))
    return found


def _mixed(values: np.ndarray) -> np.ndarray:
    values = values + _STEP
    values = (values ^ (values >> _SHIFTS[0])) * _ONE
    values = (values ^ (values >> _SHIFTS[1])) * _TWO
    return np.asarray(values ^ (values >> _SHIFTS[2]))


def _number_bits(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), _UNKNOWN, np.ascontiguousarray(values, dtype=np.float64).view(np.uint64))


def _text_bits(texts: pa.DictionaryArray) -> np.ndarray:
    words: Iterable[str | None] = texts.dictionary.to_pylist()
    digests = np.array([int(_UNKNOWN) if word is None else _digest(word) for word in words], dtype=np.uint64)
    indices = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return np.asarray(np.append(digests, _UNKNOWN)[indices])


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
