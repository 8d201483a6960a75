"""Tensor files give back the numbers that were written, in pieces, and say what is wrong with those that cannot."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from data.errors import ReadError
from data.tensors import TensorFile, open_tensors
from data.tensors.tensor_file import cuts, read_in_pieces

VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 7


def joined(file: TensorFile, name: str) -> Any:
    info = file.tensor(name)
    return np.concatenate([piece.ravel() for piece in file.floats(info)]).reshape(info.shape)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn"])
def test_safetensors_of_every_float_format_come_back(tmp_path: Path, dtype: str) -> None:
    stored = VALUES.astype(getattr(ml_dtypes, dtype, dtype))
    save_file({"a": stored, "scalar": np.array(2.5, dtype=np.float32)}, tmp_path / "x")
    file = open_tensors(tmp_path / "x")
    assert file.tensor("a").dtype == dtype
    np.testing.assert_array_equal(joined(file, "a"), stored.astype(np.float64))
    assert joined(file, "scalar") == 2.5


@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_and_npz_come_back_in_row_order(tmp_path: Path, order: Any) -> None:
    stored = np.array(VALUES, order=order)
    np.save(tmp_path / "one.npy", stored)
    np.savez(tmp_path / "plain.npz", a=stored, b=stored * 2)
    np.savez_compressed(tmp_path / "small.npz", a=stored)
    np.testing.assert_array_equal(joined(open_tensors(tmp_path / "one.npy"), "values"), VALUES)
    np.testing.assert_array_equal(joined(open_tensors(tmp_path / "plain.npz"), "b"), VALUES * 2)
    np.testing.assert_array_equal(joined(open_tensors(tmp_path / "small.npz"), "a"), VALUES)


@pytest.mark.parametrize("text", ["1,2.5\n3,4\n", "\ufeff1;2.5\r\n3;4\r\n", "x\ty\n1\t2.5\n\n3\t4\n"])
def test_a_matrix_of_text_is_read_with_or_without_headings(tmp_path: Path, text: str) -> None:
    (tmp_path / "m").write_text(text, encoding="utf-8", newline="")
    file = open_tensors(tmp_path / "m")
    np.testing.assert_array_equal(joined(file, "values"), [[1, 2.5], [3, 4]])
    assert file.tensor("values").columns == (("x", "y") if "x" in text else ())


@given(shape=st.lists(st.integers(1, 6), max_size=4), limit=st.integers(1, 40))
def test_cuts_cover_every_number_once_and_in_order(shape: list[int], limit: int) -> None:
    values = np.arange(int(np.prod(shape))).reshape(shape)
    pieces = [np.atleast_1d(values[index]) for index in cuts(tuple(shape), limit)]
    assert all(piece.size <= limit for piece in pieces)
    np.testing.assert_array_equal(np.concatenate([piece.ravel() for piece in pieces]), values.ravel())


def test_pieces_are_rows_of_the_last_axis(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    file = open_tensors(tmp_path / "a.npy")
    assert [piece.shape for piece in read_in_pieces(file.tensor("values"), lambda at: VALUES[at])] == [(6, 4)]


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(ReadError) as caught:
        open_tensors(path)
    return str(caught.value)


def test_what_is_no_tensor_file_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert "empty" in refused(path, b"")
    assert "run code" in refused(path, pickle.dumps({"a": [1.0]}))
    assert "neither tensors nor a table" in refused(path, b"\xff\xd8\xff\xe0" + bytes(40))
    assert "line 2" in refused(path, b"1,2\n3,x\n")
    assert "another length" in refused(path, b"1,2\n3\n")
    assert "headings without figures" in refused(path, b"loss,step\n")
    assert "too long to be a row" in refused(path, b"1" * (2**23 + 1))


def test_files_cut_short_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    np.savez(tmp_path / "a.npz", a=VALUES)
    save_file({"a": VALUES}, tmp_path / "a.safetensors")
    for name in ("a.npy", "a.npz", "a.safetensors"):
        whole = (tmp_path / name).read_bytes()
        assert name in refused(tmp_path / name, whole[:-20])


def test_object_arrays_and_foreign_members_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "o.npz", a=np.array([None], dtype=object))
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as archive:
        archive.writestr("notes.txt", "hello")
    for name in ("o.npy", "o.npz", "z.npz"):
        with pytest.raises(ReadError):
            open_tensors(tmp_path / name)


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=VALUES)
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        member = archive.read("a.npy")
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("a.npy", member + bytes(8))
    with pytest.raises(ReadError, match="header"):
        open_tensors(tmp_path / "b.npz")


def test_integers_are_not_compared_as_if_they_were_values(tmp_path: Path) -> None:
    np.save(tmp_path / "codes.npy", np.arange(4, dtype=np.int8))
    file = open_tensors(tmp_path / "codes.npy")
    with pytest.raises(ReadError, match="dequantised"):
        next(file.floats(file.tensor("values")))
