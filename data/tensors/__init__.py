"""Tensor files, read in pieces: .npy, .npz, .safetensors, and matrices written as CSV."""

from data.tensors.opening import open_tensors
from data.tensors.tensor_file import LONGEST_ROW, TensorFile, TensorInfo

__all__ = ["LONGEST_ROW", "TensorFile", "TensorInfo", "open_tensors"]
