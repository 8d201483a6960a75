"""Arrays inside an .npz archive, streamed in the order they lie in."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from data.errors import ReadError
from data.tensors.tensor_file import PIECE_ELEMENTS, TensorInfo, piece_cuts

_MOST_EXPANSION = 1000  # deflate cannot exceed 1032; a file near that is built to fill the memory
_SMALL_BYTE = 2**28
_SUFFIX = ".npy"


def archive_tensors(archive: zipfile.ZipFile, file: str) -> dict[str, TensorInfo]:
    """What an archive holds, by name. Raises ReadError for a member that is no array or is built to burst."""
    tensors = {}
    for member in archive.infolist():
        where = f"{file}, {member.filename}"
        if not member.filename.endswith(_SUFFIX):
            raise ReadError("not an array", where=where, expected="members written by numpy.savez")
        if member.file_size > _SMALL_BYTE and member.file_size > _MOST_EXPANSION * max(member.compress_size, 1):
            raise ReadError("expands too far", where=where, found=f"{member.file_size:,} bytes from "
                            f"{member.compress_size:,}")  # fmt: skip
        with archive.open(member) as stream:
            shape, fortran, dtype = _header(stream, where)
            if member.file_size - stream.tell() != math.prod(shape) * dtype.itemsize:
                raise ReadError("its size is not what its header says", where=where, expected=f"shape {shape}, {dtype}")
        if fortran and len(shape) > 1 and math.prod(shape) > PIECE_ELEMENTS:
            raise ReadError("a large array in column order", where=where, expected="row order",
                            remedy="Save numpy.ascontiguousarray(values).")  # fmt: skip
        name = member.filename.removesuffix(_SUFFIX)
        tensors[name] = TensorInfo(name=name, shape=shape, dtype=dtype.name)
    return tensors


def pieces_of_member(path: Path, info: TensorInfo) -> Iterator[NDArray[Any]]:
    """The values of one array in pieces of whole rows where a row is not too long."""
    with zipfile.ZipFile(path) as archive, archive.open(info.name + _SUFFIX) as stream:
        shape, fortran, dtype = _header(stream, f"{path.name}, {info.name}")
        width = shape[-1] if len(shape) > 1 else 0
        if fortran and len(shape) > 1:
            values = np.frombuffer(stream.read(), dtype).reshape(shape, order="F")
            yield np.ascontiguousarray(values).reshape(-1, width)
            return
        for index in piece_cuts(shape):
            count = _size_of(shape, index)
            piece = np.frombuffer(stream.read(count * dtype.itemsize), dtype)
            if piece.size != count:
                raise ReadError("ends too early", where=f"{path.name}, {info.name}", expected=f"shape {shape}")
            yield piece.reshape(-1, width) if width and count % width == 0 else piece.reshape(1, -1)


def _size_of(shape: tuple[int, ...], index: tuple[int | slice, ...]) -> int:
    kept = [len(range(*at.indices(n))) for at, n in zip(index, shape, strict=False) if isinstance(at, slice)]
    return math.prod(kept) * math.prod(shape[len(index) :])


def _header(stream: IO[bytes], where: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = npy.read_magic(stream)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ReadError("a version of .npy that is not read", where=where, found=version, expected="1.0 or 2.0")
    shape, fortran, dtype = readers[version](stream)
    if dtype.hasobject or dtype.names:
        raise ReadError("not plain numbers", where=where, found=dtype, expected="floats or integers")
    return tuple(shape), bool(fortran), dtype
