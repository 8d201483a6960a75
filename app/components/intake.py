"""Uploaded files on their way into the store: dropped, read a few at a time, kept or refused."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import data
from app.components import intake_steps as steps
from app.state import KeptAnswers, remembered_answers
from data.catalogue.catalogue import Catalogue
from data.readers import ReadResult, joined, read_bytes, read_samples
from data.store import Store, resolve_names, with_memory

SAMPLES = Path(data.__file__).resolve().parent / "samples"
INVENTED = "The samples' figures, and what is said about them, are invented: nothing in them was measured anywhere."
ROUND, FILES, RESULTS = "_upload_round", "_dropped", "_read"
LIMIT_MB = 200


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """One file as it was dropped, or several scrapes of one server together."""

    name: str
    content: bytes
    sha256: str


def _dropped(name: str, content: bytes) -> Dropped:
    return Dropped(name=name, content=content, sha256=hashlib.sha256(content).hexdigest())


def keep_samples(store: Store, catalogue: Catalogue) -> None:
    """Put the sample files into the store, their questions answered; nothing of it is remembered for other files."""
    steps.forget_report()
    for sample in read_samples():
        result = resolve_names(sample, catalogue)
        receipt = store.import_result(result)
        steps.tell([steps.told_of(result, receipt)])


def samples_kept(store: Store) -> int:
    """How many of the sample files are in the store."""
    return sum(store.answers_of(result.sha256) is not None for result in read_samples())


def samples_button(store: Store, catalogue: Catalogue) -> None:
    """The button that brings in the shipped samples, as long as some of them are not kept."""
    if samples_kept(store) < len(read_samples()):
        st.button("Load the sample runs", icon=":material/science:", on_click=keep_samples, args=(store, catalogue),
                  key="sample")  # fmt: skip


def drop_place(store: Store, catalogue: Catalogue) -> list[Dropped]:
    """The place to drop files, and the button that keeps the samples; what waits to be looked at."""
    key = f"upload_{st.session_state.get(ROUND, 0)}"
    files = st.file_uploader("Benchmark files", accept_multiple_files=True, key=key, max_upload_size=LIMIT_MB)
    kept = samples_kept(store)
    samples_button(store, catalogue)
    if not files:
        steps.report()
    if kept:
        st.caption(f":material/science: {INVENTED}")
    known: tuple[tuple[str, ...], list[Dropped]] = st.session_state.get(FILES, ((), []))
    ids = tuple(file.file_id for file in files)
    if known[0] != ids:
        known = ids, [_dropped(*one) for one in joined([(file.name, file.getvalue()) for file in files])]
        st.session_state[FILES] = known
    return known[1]


def read_all(files: Sequence[Dropped], store: Store, catalogue: Catalogue) -> list[ReadResult] | None:
    """Every file read with what the person has said about it, earlier answers proposed; None while reading goes on.

    Files that were not read before the person stopped are left out.
    """

    def unread() -> list[Dropped]:
        done = _results()
        return [file for file in files if (file.sha256, remembered_answers(file.sha256)) not in done]

    def read_next() -> bool:
        waiting = unread()
        if waiting:
            _read(waiting[0], store, catalogue)
        return len(waiting) > 1

    if not steps.in_steps(read_next, done=lambda: len(files) - len(unread()), total=len(files)):
        return None
    done = _results()
    keys = [(file.sha256, remembered_answers(file.sha256)) for file in files]
    return [done[key] for key in keys if key in done]


def _results() -> dict[tuple[str, KeptAnswers], ReadResult]:
    found: dict[tuple[str, KeptAnswers], ReadResult] = st.session_state.setdefault(RESULTS, {})
    return found


def _read(file: Dropped, store: Store, catalogue: Catalogue) -> None:
    """One file; read again only when an answer has changed."""
    said = remembered_answers(file.sha256)
    result = resolve_names(read_bytes(file.name, file.content, dict(said)), catalogue)
    _results()[file.sha256, said] = with_memory(store, result)


def clear_list() -> None:
    """Forget the files that wait; the uploader starts empty."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    steps.go_on()
    for key in (FILES, RESULTS):
        st.session_state.pop(key, None)


def keep_and_clear(store: Store, results: Sequence[ReadResult]) -> None:
    """Begin to keep what is ready, tell of the rest, and empty the list."""
    clear_list()
    steps.start_keeping(store, results)


def keep_nothing() -> None:
    """Empty the list and the report of the time before."""
    clear_list()
    steps.forget_report()
