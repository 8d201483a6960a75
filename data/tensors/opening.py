"""Opens a tensor file by what it holds, never by its name."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from data.errors import ReadError
from data.tensors.archive import archive_tensors, pieces_of_member
from data.tensors.matrix_text import open_matrix
from data.tensors.tensor_file import LONE_NAME, TensorFile, TensorInfo, read_in_pieces

_HEAD = 16
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
_NARROW = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}
_SAFE = _NARROW | {
    "F64": "float64", "F32": "float32", "F16": "float16", "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip


def open_tensors(path: Path) -> TensorFile:
    """The tensors of a file. Raises ReadError for what is none, is cut short, or would have to run code to be read."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as problem:
        raise ReadError("cannot be read", where=path.name, found=problem.strerror or problem) from problem
    if not head:
        raise ReadError("the file is empty", where=path.name)
    if head.startswith(npy.MAGIC_PREFIX):
        return _open_array(path)
    if head.startswith((_ZIP, _EMPTY_ZIP)):
        return _open_archive(path)
    if head.startswith(_PICKLES):
        raise ReadError(
            "a pickle, which could run code when opened", where=path.name, expected=".npy, .npz, .safetensors or CSV",
            remedy="Save the tensors with safetensors.",
        )  # fmt: skip
    return _open_safetensors(path) if _looks_like_safetensors(path, head) else open_matrix(path)


def _open_array(path: Path) -> TensorFile:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError) as problem:
        raise ReadError("not an array that can be read", where=path.name, found=problem,
                        expected="a whole .npy file of numbers") from problem  # fmt: skip
    info = TensorInfo(name=LONE_NAME, shape=array.shape, dtype=array.dtype.name)
    return TensorFile(
        name=path.name, tensors={LONE_NAME: info}, pieces=lambda asked: read_in_pieces(asked, lambda at: array[at])
    )


def _open_archive(path: Path) -> TensorFile:
    try:
        with zipfile.ZipFile(path) as archive:
            tensors = archive_tensors(archive, path.name)
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as problem:
        raise ReadError("not an archive that can be read", where=path.name, found=problem,
                        expected="a whole .npz file") from problem  # fmt: skip
    return TensorFile(name=path.name, tensors=tensors, pieces=lambda asked: pieces_of_member(path, asked))


def _looks_like_safetensors(path: Path, head: bytes) -> bool:
    """Eight bytes of header length, then the header's opening brace."""
    return head[8:9] == b"{" and 0 < int.from_bytes(head[:8], "little") <= path.stat().st_size


def _open_safetensors(path: Path) -> TensorFile:
    """Checked by the format's own library; the values are then mapped, because it hands out no 8-bit floats."""
    try:
        with safe_open(path, framework="numpy") as opened:
            kinds = {name: str(opened.get_slice(name).get_dtype()) for name in opened.keys()}  # noqa: SIM118
    except SafetensorError as problem:
        raise ReadError("not a safetensors file that can be read", where=path.name, found=problem,
                        expected="a whole file") from problem  # fmt: skip
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(length))
    stored = {name: _described(path.name, name, kind, header[name]) for name, kind in kinds.items()}

    def pieces(info: TensorInfo) -> Iterator[NDArray[Any]]:
        start = 8 + length + int(header[info.name]["data_offsets"][0])
        if not info.elements:
            return iter(())
        values = np.memmap(path, np.dtype(getattr(ml_dtypes, info.dtype, info.dtype)), "r", start, info.shape or (1,))
        return read_in_pieces(info, lambda at: values[at])

    return TensorFile(name=path.name, tensors=stored, pieces=pieces)


def _described(file: str, name: str, kind: str, entry: dict[str, Any]) -> TensorInfo:
    if kind not in _SAFE:
        raise ReadError("a number format that is not read", where=f"{file}, {name}", found=kind,
                        expected=", ".join(_SAFE), remedy="Write the dequantised values.")  # fmt: skip
    return TensorInfo(name=name, shape=tuple(entry["shape"]), dtype=_SAFE[kind])
