"""Own entries on a page: files dropped to be added, what is there already, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import own_entries
from app.components.problem import as_written, notice, problem_text, unlinked
from data.errors import WaferlineError
from data.own.entries import Kind

TOLD, ROUND = "_own_told", "_own_round"
LIMIT_MB = 1
WORDS: dict[Kind, str] = {"chips": "chip", "architectures": "model"}  # a file of prices or claims says it by name


def told() -> None:
    """What came of the last addition or removal, once."""
    for line in st.session_state.pop(TOLD, []):
        notice(line)


def keep_entry(content: bytes, file: str, *, name: str = "", stated_total: int | None = None) -> str | None:
    """Keep an entry and say so at the top of the next run; its key, or None if it was refused."""
    try:
        entry = own_entries.add_entry(content, file, name=name, stated_total=stated_total)
    except WaferlineError as problem:
        _say(problem_text(problem))
        return None
    _say(f"**{as_written(entry.name)}** is kept as `{entry.key}`, apart from the shipped entries.")
    return entry.key


def refuse(problem: WaferlineError) -> None:
    """Say at the top of the next run why nothing was kept."""
    _say(problem_text(problem))


def _say(text: str) -> None:
    st.session_state[TOLD] = [*st.session_state.get(TOLD, []), text]


def drop_files(label: str, ending: str, *, key: str) -> None:
    """A place to drop files of own entries; each is checked before anything is kept."""
    drop = f"{key}_{st.session_state.get(ROUND, 0)}"
    files = st.file_uploader(label, type=[ending], accept_multiple_files=True, key=drop, max_upload_size=LIMIT_MB)
    if files and st.button("Add", key=f"{key}_add"):
        for file in files:
            keep_entry(file.getvalue(), file.name)
        st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
        st.rerun()


def own_list(kinds: Sequence[Kind]) -> None:
    """Own entries of these kinds, each with a button that removes it, and those that are left out."""
    records = own_entries.own_records()
    own = [entry for entry in records.entries if entry.kind in kinds]
    if own:
        st.subheader("Your own entries", anchor=False)
    for entry in own:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            said = f"{WORDS[entry.kind]}, " if entry.kind in WORDS else ""
            st.markdown(f"{as_written(entry.name)}  :gray[{said}`{entry.key}`]", width="content")
            st.button(
                "Remove", key=f"own_{entry.kind}_{entry.key}", type="tertiary", on_click=_remove, args=(entry.key,)
            )
    for fault in own_entries.merged().faults:
        st.caption(f"Left out: {unlinked(fault)}")


def _remove(key: str) -> None:
    try:
        entry = own_entries.remove_entry(key)
    except WaferlineError as problem:
        _say(problem_text(problem))
    else:
        _say(f"`{entry.key}` is removed.")
