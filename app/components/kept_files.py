"""The files that are kept: completed with later answers, one or many at once, deleted, and deletions taken back."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.sentences import runs_words
from app.components.questions import answer_form
from app.state import offer_download
from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError
from data.readers import Question, tool_of
from data.store import Snapshot, Store, Upload, asked

ROWS = 8  # files up to which each has a line with buttons; more are chosen in a table
_COMPLETED, _UNDO, _TROUBLE = "_completing", "_deleted", "_completing_failed"


def kept_files(store: Store, uploads: Sequence[Upload], catalogue: Catalogue) -> None:
    """Files in the store, to be completed and deleted."""
    if len(uploads) > ROWS:
        _many(store, uploads, catalogue)
    else:
        for upload in uploads:
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                st.markdown(f"**{upload.file}**, {runs_words(upload.run_count)}, {upload.imported_at:%Y-%m-%d %H:%M}")
                _buttons(store, [upload], upload.upload_id)
            _form(store, [upload], upload.upload_id, catalogue)
    _long_tables(uploads)
    offer_download("runs", store.frame)


def undo_line(store: Store) -> None:
    """The last deletion, with the button that takes it back."""
    gone: list[Snapshot] = st.session_state.get(_UNDO) or []
    if gone:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            many = f"{len(gone):,} files were" if len(gone) > 1 else f"{gone[0].file} was"
            st.caption(f"{many} deleted.")
            st.button("Undo", key="undo_delete", type="tertiary", on_click=_undo, args=(store,))


def _many(store: Store, uploads: Sequence[Upload], catalogue: Catalogue) -> None:
    """A table of files in which some are chosen, and what can be done with those."""
    frame = pd.DataFrame(
        [(one.file, one.run_count, tool_of(one.format), f"{one.imported_at:%Y-%m-%d %H:%M}")
         for one in uploads], columns=["File", "Runs", "Format", "Kept since"],
    )  # fmt: skip
    total = sum(one.run_count for one in uploads)
    st.markdown(f"**{len(uploads):,} files**, {runs_words(total)}. Choose some to complete or delete them.")
    chosen = st.dataframe(frame, hide_index=True, key="kept_files", on_select="rerun", selection_mode="multi-row",
                          alt="Files that are kept")  # fmt: skip
    rows = [row for row in chosen["selection"]["rows"] if row < len(uploads)]
    some = [uploads[row] for row in rows]
    if some:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"**{len(some):,} chosen**")
            _buttons(store, some, "chosen")
        _form(store, some, "chosen", catalogue)


def _buttons(store: Store, some: Sequence[Upload], key: str) -> None:
    """Complete and delete."""
    st.button("Complete", key=f"complete_{key}", type="tertiary", on_click=_open, args=(key,),
              help="Say what the file does not: device, count, formats")  # fmt: skip
    st.button("Delete", key=f"delete_{key}", type="tertiary", on_click=_forget, args=(store, some))


def _open(key: str) -> None:
    st.session_state[_COMPLETED] = None if st.session_state.get(_COMPLETED) == key else key
    st.session_state.pop(_TROUBLE, None)


def _form(store: Store, some: Sequence[Upload], key: str, catalogue: Catalogue) -> None:
    """What the runs of these files lack, as a form; the answers go into all of them."""
    if st.session_state.get(_COMPLETED) != key:
        return
    questions = _asked(store, some, catalogue)
    if not questions:
        st.caption("Nothing is open: every run states what we ask.")
        return
    if trouble := st.session_state.get(_TROUBLE):
        st.warning(trouble)
    with st.container(border=True):
        said = answer_form(questions, f"complete_{key}", catalogue, "Put into all their runs")
    if said:
        _complete(store, some, said, catalogue)


def _asked(store: Store, some: Sequence[Upload], catalogue: Catalogue) -> list[Question]:
    """The questions of all these files, each once."""
    found: dict[str, Question] = {}
    for upload in some:
        for one in asked(store, upload, catalogue):
            found.setdefault(one.field, one)
    return list(found.values())


def _complete(store: Store, some: Sequence[Upload], said: dict[str, str], catalogue: Catalogue) -> None:
    try:
        for upload in some:
            store.complete(upload.upload_id, said, catalogue)
    except WaferlineError as error:
        st.session_state[_TROUBLE] = error.sentence()
    else:
        st.session_state[_COMPLETED] = None
    st.rerun()


def _long_tables(uploads: Sequence[Upload]) -> None:
    for upload in uploads:
        if upload.is_long:
            st.caption(f"Of the {upload.run_count:,} runs of {upload.file} a part picked at random is compared and "
                       "fitted to; Own runs pages through them a thousand at a time, and an export holds them "
                       "all.")  # fmt: skip


def _forget(store: Store, some: Sequence[Upload]) -> None:
    for earlier in st.session_state.pop(_UNDO, None) or []:
        store.discard(earlier)
    taken = [store.remove(one.upload_id) for one in some]
    st.session_state[_UNDO] = [one for one in taken if one is not None]


def _undo(store: Store) -> None:
    for gone in st.session_state.pop(_UNDO, None) or []:
        store.restore(gone)
