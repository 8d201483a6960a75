"""The files that are kept: completed with later answers, deleted, and deletions taken back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.sentences import runs_words
from app.components.questions import answer_form
from app.state import offer_download
from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError
from data.store import Filter, Snapshot, Store, Upload, open_questions

_COMPLETED, _UNDO, _TROUBLE = "_completing", "_deleted", "_completing_failed"


def kept_files(store: Store, uploads: Sequence[Upload], catalogue: Catalogue) -> None:
    """Files in the store, each with a button that completes and one that forgets it."""
    for upload in uploads:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"**{upload.file}**, {runs_words(upload.run_count)}, {upload.imported_at:%Y-%m-%d %H:%M}")
            if upload.is_long:
                _delete_for_good(store, upload)
                continue
            st.button("Complete", key=f"complete_{upload.upload_id}", type="tertiary", on_click=_open,
                      args=(upload.upload_id,), help="Say what the file does not: device, count, formats")  # fmt: skip
            st.button("Delete", key=f"delete_{upload.upload_id}", type="tertiary", on_click=_forget,
                      args=(store, upload.upload_id))  # fmt: skip
        if st.session_state.get(_COMPLETED) == upload.upload_id:
            _complete(store, upload, catalogue)
    _long_tables(store, uploads)
    offer_download("runs", store.frame)


def undo_line(store: Store) -> None:
    """The last deletion, with the button that takes it back."""
    gone: Snapshot | None = st.session_state.get(_UNDO)
    if gone is not None:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.caption(f"{gone.file} was deleted.")
            st.button("Undo", key="undo_delete", type="tertiary", on_click=_undo, args=(store,))


def _open(upload_id: str) -> None:
    same = st.session_state.get(_COMPLETED) == upload_id
    st.session_state[_COMPLETED] = None if same else upload_id
    st.session_state.pop(_TROUBLE, None)


def _complete(store: Store, upload: Upload, catalogue: Catalogue) -> None:
    """What the file's runs lack, as a form; the answers go into all of them."""
    runs = store.runs(Filter(upload_id=upload.upload_id))
    questions = open_questions(runs, upload.format, upload.file, catalogue)
    if not questions:
        st.caption("Nothing is open: every run of this file states what we ask.")
        return
    if trouble := st.session_state.get(_TROUBLE):
        st.warning(trouble)
    with st.container(border=True):
        said = answer_form(questions, f"complete_{upload.upload_id}", catalogue, "Put into all its runs")
    if said:
        try:
            store.complete(upload.upload_id, said, catalogue)
        except WaferlineError as error:
            st.session_state[_TROUBLE] = error.sentence()
        else:
            _open(upload.upload_id)
        st.rerun()


def _delete_for_good(store: Store, upload: Upload) -> None:
    with st.popover("Delete", type="tertiary"):
        st.caption("A long table cannot be brought back from here.")
        st.button(f"Delete {runs_words(upload.run_count)} for good", key=f"delete_{upload.upload_id}",
                  on_click=_forget, args=(store, upload.upload_id))  # fmt: skip


def _long_tables(store: Store, uploads: Sequence[Upload]) -> None:
    for upload in uploads:
        if upload.is_long and store.parts() > 1:
            st.caption(f"Of the {upload.run_count:,} runs of {upload.file} a thousand at a time are compared and "
                       "listed; Own runs pages through them, and an export holds them all.")  # fmt: skip


def _forget(store: Store, upload_id: str) -> None:
    st.session_state[_UNDO] = store.snapshot(upload_id)
    store.delete_upload(upload_id)


def _undo(store: Store) -> None:
    gone: Snapshot | None = st.session_state.pop(_UNDO, None)
    if gone is not None:
        store.restore(gone)
