"""The two files of the accuracy gate: dropped, opened from a private folder, compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import streamlit as st

import data.tensors
from analysis.gate import Targets, Thresholds, Verdict, compare, judge, targets_from
from app.components.controls import controls_row, pick
from app.components.problem import unlinked
from data.tensors import TensorInfo, open_tensors

SAMPLES = Path(data.tensors.__file__).parent / "samples"
SAMPLE_NAMES = ("reference.safetensors", "optimised.safetensors", "tokens.csv")
LIMIT_MB = 200
NOTHING = "not asked"
RELATIVE = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
COSINES = (0.9, 0.99, 0.999, 0.9999)
DIVERGENCES = (None, 1e-4, 1e-3, 1e-2, 1e-1)
TOPS = (None, 0.9, 0.95, 0.99, 0.999)
GAPS = (None, 0.001, 0.005, 0.01, 0.05)


@dataclass(frozen=True, kw_only=True)
class GateFiles:
    """What is to be compared: names and contents of reference, candidate, and token ids where given."""

    names: tuple[str, ...]
    contents: tuple[bytes, ...]
    mixed_formats: bool = False


def gate_files() -> GateFiles | None:
    """The places for both files and for token ids; None until both are there."""
    columns = st.columns(3, gap="small")
    labels = ("Reference", "Optimised model", "Token ids, if perplexity is wanted")
    dropped = [
        column.file_uploader(label, key=f"gate_{at}", max_upload_size=LIMIT_MB)
        for at, (column, label) in enumerate(zip(columns, labels, strict=True))
    ]
    given = [each for each in dropped if each is not None]
    with controls_row():
        mixed = st.toggle("Allow mixed formats (float32 against bfloat16)", key="mixed", bind="query-params")
        sample = not given and st.toggle("Show it on a made-up sample pair", key="sample_pair", bind="query-params")
    if dropped[0] and dropped[1]:
        return GateFiles(
            names=tuple(each.name for each in given),
            contents=tuple(each.getvalue() for each in given),
            mixed_formats=mixed,
        )
    if not sample:
        return None
    return GateFiles(names=SAMPLE_NAMES, contents=tuple((SAMPLES / name).read_bytes() for name in SAMPLE_NAMES))


def thresholds(with_tokens: bool) -> Thresholds:
    """What may be lost, from lists; a threshold for logits only where it is picked."""
    return Thresholds(
        relative_error=pick("Relative error below", RELATIVE, key="mse", default=1e-4, name="{:g}".format),
        cosine=pick("Cosine above", COSINES, key="cosine", default=0.99, name=str),
        divergence=pick("KL of logits below, nat", DIVERGENCES, key="kl", default=None, name=_or_nothing),
        top1=pick("Top-1 agreement at least", TOPS, key="top1", default=None, name=_or_nothing),
        perplexity_gap=pick("Perplexity gap below", GAPS, key="gap", default=None, name=_or_nothing)
        if with_tokens
        else None,
    )


def _or_nothing(value: float | None) -> str:
    return NOTHING if value is None else f"{value:g}"


@st.cache_data(max_entries=4, show_spinner="Comparing")
def verdict_of(files: GateFiles, asked: Thresholds) -> Verdict:
    """Both files compared; they lie in a folder of their own only as long as that takes."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / str(at) / Path(name).name for at, name in enumerate(files.names)]
        for path, content in zip(paths, files.contents, strict=True):
            path.parent.mkdir()
            path.write_bytes(content)
        opened = [open_tensors(path) for path in paths]
        expected: Callable[[TensorInfo], Targets] | None = None
        if len(opened) > 2:
            expected = lambda info: targets_from(opened[2], info.shape, aligned=False)  # noqa: E731
        found = compare(opened[0], opened[1], targets=expected, mixed_formats=files.mixed_formats)
        return judge(tuple(found), asked)


def as_named(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with names that a page shows as they are: a file may call a tensor anything, a picture's link too."""
    return frame.assign(tensor=frame["tensor"].map(unlinked))


def explain_empty(sources: Sequence[str]) -> None:
    """What to bring, where nothing is there yet."""
    st.markdown(
        "Save the same tensors from both models on the same input: outputs of layers, logits, or both, as "
        "`.safetensors`, `.npz`, `.npy` or CSV. They are compared tensor by tensor; the first one that goes wrong is "
        "named. Files above 200 MB: `waferline gate REFERENCE OPTIMISED`, which also serves as a check in CI."
    )
    st.caption("Source: " + "; ".join(sources) + ".")
