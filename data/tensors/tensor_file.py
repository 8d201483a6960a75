"""A file of named tensors whose values come in pieces, so that its size does not matter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from data.errors import ReadError, UnknownNameError

PIECE_ELEMENTS = 2**17  # 1 MB of 64-bit floats at a time, which stays in a processor's cache
LONGEST_ROW = 2**20  # a row up to this length is never cut: the logits of one position are compared as a whole
LONE_NAME = "values"  # what an array is called where its file names none
_NARROW = (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
_FLOATS = frozenset(np.dtype(each).name for each in (*_NARROW, np.float16, np.float32, np.float64))
Index = tuple[int | slice, ...]
Read = Callable[[Index], NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class TensorInfo:
    """What a file says of one tensor. `columns` are the headings of a table, empty elsewhere."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    columns: tuple[str, ...] = ()

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def is_float(self) -> bool:
        """True for the floating-point formats that can be compared."""
        return self.dtype in _FLOATS


@dataclass(frozen=True, kw_only=True)
class TensorFile:
    """An opened file.

    tensors  what it holds, by name, in the order of the file
    pieces   for a name: arrays of shape (rows, width) in the tensor's own type, in C order, width the last axis; how a
             tensor is cut depends on its shape alone, so two files of equal shapes are cut alike; a row of at most
             LONGEST_ROW is never cut
    """

    name: str
    tensors: Mapping[str, TensorInfo]
    pieces: Callable[[TensorInfo], Iterator[NDArray[Any]]] = field(repr=False)

    def tensor(self, name: str) -> TensorInfo:
        """One tensor's description. Raises UnknownNameError with near matches."""
        if name not in self.tensors:
            raise UnknownNameError("tensor", name, self.tensors, where=self.name)
        return self.tensors[name]

    def floats(self, info: TensorInfo) -> Iterator[NDArray[np.float64]]:
        """The values in 64-bit floats, piece by piece. Raises ReadError where they are not floating-point numbers."""
        if not info.is_float:
            raise ReadError(
                "not floating-point numbers", where=f"{self.name}, {info.name}", found=info.dtype,
                expected="float64, float32, float16, bfloat16 or float8",
                remedy="Write the dequantised values, so that both files hold numbers of one meaning.",
            )  # fmt: skip
        for piece in self.pieces(info):
            yield piece.astype(np.float64)


def cuts(shape: tuple[int, ...], limit: int = PIECE_ELEMENTS) -> Iterator[Index]:
    """Indices that cut a C-ordered array into runs of at most `limit` elements, whole rows while one fits.

    A row (the last axis) longer than the limit is cut itself.
    """
    if not shape:
        yield ()
        return
    inner = math.prod(shape[1:])
    if inner <= limit:
        step = max(1, limit // max(inner, 1))
        for start in range(0, shape[0], step):
            yield (slice(start, min(start + step, shape[0])),)
        return
    for at in range(shape[0]):
        for rest in cuts(shape[1:], limit):
            yield (at, *rest)


def piece_cuts(shape: tuple[int, ...]) -> Iterator[Index]:
    """The cuts of a piece-wise reading: whole rows of the last axis, one at least, up to LONGEST_ROW."""
    width = shape[-1] if len(shape) > 1 else 0
    return cuts(shape, max(PIECE_ELEMENTS, width if width <= LONGEST_ROW else 0))


def read_in_pieces(info: TensorInfo, read: Read) -> Iterator[NDArray[Any]]:
    """Pieces of a tensor that can be read at any place, as rows of its last axis (a cut row: as one row)."""
    width = info.shape[-1] if len(info.shape) > 1 else 0
    for index in piece_cuts(info.shape):
        piece = np.ascontiguousarray(read(index))
        whole_rows = width and piece.size % width == 0
        yield piece.reshape(-1, width) if whole_rows else piece.reshape(1, -1)
