"""Uploaded files on their way into the store: read, asked about, shown, kept or refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import data
from analysis.sentences import runs_words
from app.state import KeptAnswers, remembered_answers
from data.catalogue.catalogue import Catalogue
from data.readers import ReadResult, read_bytes, read_samples
from data.store import Store, remember, resolve_names, with_memory

SAMPLES = Path(data.__file__).resolve().parent / "samples"
INVENTED = "The samples' figures, and what is said about them, are invented: nothing in them was measured anywhere."
ROUND, RECEIPT = "_upload_round", "_receipts"
LIMIT_MB = 200


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """One file as it was dropped."""

    name: str
    content: bytes
    sha256: str


def _dropped(name: str, content: bytes) -> Dropped:
    return Dropped(name=name, content=content, sha256=hashlib.sha256(content).hexdigest())


def keep_samples(store: Store, catalogue: Catalogue) -> None:
    """Put the sample files into the store, their questions answered; nothing of it is remembered for other files."""
    results = [resolve_names(result, catalogue) for result in read_samples()]
    st.session_state[RECEIPT] = [_kept(store, result) for result in results]


def _samples_kept(store: Store) -> int:
    """How many of the sample files are in the store."""
    return sum(store.answers_of(result.sha256) is not None for result in read_samples())


def drop_place(store: Store, catalogue: Catalogue) -> list[Dropped]:
    """The place to drop files, and the button that keeps the samples; what waits to be looked at."""
    key = f"upload_{st.session_state.get(ROUND, 0)}"
    files = st.file_uploader("Benchmark files", accept_multiple_files=True, key=key, max_upload_size=LIMIT_MB)
    kept = _samples_kept(store)
    if kept < len(read_samples()):
        st.button("Load the sample runs", icon=":material/science:", on_click=keep_samples, args=(store, catalogue),
                  key="sample")  # fmt: skip
    for line in st.session_state.pop(RECEIPT, []):
        st.caption(line)
    if kept:
        st.caption(f":material/science: {INVENTED}")
    return [_dropped(file.name, file.getvalue()) for file in files]


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
        told.append(_kept(store, result))
        remember(store, result)
    st.session_state[RECEIPT] = told


def _kept(store: Store, result: ReadResult) -> str:
    """Keep one file; what came of it in words."""
    receipt = store.import_result(result)
    there = receipt.already_there
    again = f", {there} {'was' if there == 1 else 'were'} there already" if there else ""
    return f"{result.file}: {runs_words(receipt.added)} added{again}."


def clear_list() -> None:
    """Forget the files that wait; the uploader starts empty."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    st.session_state.pop("_read", None)


def keep_and_clear(store: Store, results: Sequence[ReadResult]) -> None:
    """Keep what is ready and empty the list."""
    keep(store, results)
    clear_list()
