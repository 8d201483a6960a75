"""Which token comes next at every position of a set of logits."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from data.errors import ReadError
from data.tensors import TensorFile


@dataclass(frozen=True, kw_only=True)
class Targets:
    """Ids of the tokens that came, one per position of the logits in their order; -1 where none is known."""

    ids: NDArray[np.int64] = field(repr=False)
    file: str = ""


def targets_from(file: TensorFile, shape: tuple[int, ...], *, aligned: bool) -> Targets:
    """Targets for logits of a shape (..., positions, vocabulary).

    aligned   True if the file holds the token expected at each position; False if it holds the input, so that the
              token expected at a position is the input's next one, and nothing is expected at the last

    Raises ReadError if the file holds no ids, another number of them, or ids outside the vocabulary. Negative ids
    (labels left out of a loss) are not counted.
    """
    if len(file.tensors) != 1:
        raise ReadError("more than one tensor of token ids", where=file.name, found=", ".join(file.tensors),
                        expected="one array of ids")  # fmt: skip
    info = next(iter(file.tensors.values()))
    positions = math.prod(shape[:-1])
    if info.elements != positions:
        raise ReadError("another number of token ids", where=file.name, found=f"{info.elements:,}",
                        expected=f"{positions:,}, one per position of the logits {shape}")  # fmt: skip
    values = np.concatenate([piece.ravel() for piece in file.pieces(info)] or [np.zeros(0)])
    if not (np.isfinite(values).all() and np.array_equal(np.trunc(values), values)):
        raise ReadError("token ids that are not whole numbers", where=file.name)
    ids = values.astype(np.int64)
    if ids.size and int(ids.max()) >= shape[-1]:
        raise ReadError("a token id outside the vocabulary", where=file.name, found=f"{int(ids.max()):,}",
                        expected=f"below {shape[-1]:,}")  # fmt: skip
    if not aligned:
        by_sequence = ids.reshape(-1, shape[-2])
        ids = np.concatenate([by_sequence[:, 1:], np.full((len(by_sequence), 1), -1)], axis=1).ravel()
    return Targets(ids=ids, file=file.name)
