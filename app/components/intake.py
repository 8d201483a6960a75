"""Uploaded files on their way into the store: read, asked about, shown, kept or refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import data
from app.state import KeptAnswers, remembered_answers
from data.catalogue.catalogue import Catalogue
from data.readers import ReadResult, read_bytes
from data.store import Store, remember, resolve_names, with_memory

SAMPLES = Path(data.__file__).resolve().parent / "samples"
ROUND, SAMPLE, RECEIPT = "_upload_round", "_sample_files", "_receipts"
LIMIT_MB = 200


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """One file as it was dropped."""

    name: str
    content: bytes
    sha256: str


def _dropped(name: str, content: bytes) -> Dropped:
    return Dropped(name=name, content=content, sha256=hashlib.sha256(content).hexdigest())


def sample_files() -> list[Dropped]:
    """The files that come with the program to try this page; their figures are invented."""
    paths = [path for path in sorted(SAMPLES.iterdir()) if path.suffix != ".md"]
    return [_dropped(path.name, path.read_bytes()) for path in paths]


def _ask_for_sample() -> None:
    st.session_state[SAMPLE] = True


def drop_place() -> list[Dropped]:
    """The place to drop files, and the button that brings the sample; what waits to be looked at."""
    key = f"upload_{st.session_state.get(ROUND, 0)}"
    files = st.file_uploader("Benchmark files", accept_multiple_files=True, key=key, max_upload_size=LIMIT_MB)
    waiting = [_dropped(file.name, file.getvalue()) for file in files]
    if st.session_state.get(SAMPLE):
        st.caption("The sample's figures are invented: nothing in them was measured anywhere.")
        return [*waiting, *sample_files()]
    st.button("Load the sample runs", icon=":material/science:", on_click=_ask_for_sample, key="sample")
    for line in st.session_state.pop(RECEIPT, []):
        st.caption(line)
    return waiting


def read_all(files: Sequence[Dropped], store: Store, catalogue: Catalogue) -> list[ReadResult]:
    """Every file read with what the person has said about it; earlier answers are proposed."""
    return [_read(file, remembered_answers(file.sha256), store, catalogue) for file in files]


def _read(file: Dropped, said: KeptAnswers, store: Store, catalogue: Catalogue) -> ReadResult:
    """One file; read again only when an answer has changed."""
    cache: dict[tuple[str, KeptAnswers], ReadResult] = st.session_state.setdefault("_read", {})
    if (file.sha256, said) not in cache:
        result = resolve_names(read_bytes(file.name, file.content, dict(said)), catalogue)
        cache[file.sha256, said] = with_memory(store, result)
    return cache[file.sha256, said]


def keep(store: Store, results: Sequence[ReadResult]) -> None:
    """Put files into the store, remember what was said about them, and make room for the next ones."""
    told = []
    for result in results:
        receipt = store.import_result(result)
        remember(store, result)
        again = f", {receipt.already_there} were there already" if receipt.already_there else ""
        told.append(f"{result.file}: {receipt.added} runs added{again}.")
    st.session_state[RECEIPT] = told


def clear_list() -> None:
    """Forget the files that wait; the uploader starts empty."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    st.session_state[SAMPLE] = False
    st.session_state.pop("_read", None)


def keep_and_clear(store: Store, results: Sequence[ReadResult]) -> None:
    """Keep what is ready and empty the list."""
    keep(store, results)
    clear_list()
