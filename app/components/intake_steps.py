"""Many files a step at a time: reading and keeping with progress, a button that stops between two files, a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from analysis.sentences import runs_words
from data.errors import WaferlineError
from data.readers import ReadResult
from data.store import ImportReceipt, Store, remember

STEP_S = 0.8  # a step works for about so long, then the screen answers
PAUSE_S = 0.1  # between two steps
SHORT_REPORT = 6  # files told in lines; more are told in a table
_STOPPED, _QUEUE, _REPORT = "_reading_stopped", "_keeping", "_receipts"
REFUSED, OPEN = "refused", "not kept, a question is open"


@dataclass(frozen=True, kw_only=True)
class Told:
    """What became of one file, in words: `short` for a line or cell, `why` where it was not kept."""

    file: str
    short: str
    why: str = ""


def in_steps(read_next: Callable[[], bool], *, done: Callable[[], int], total: int) -> bool:
    """Do work file by file for a step; True when nothing is left or the person stopped.

    read_next   does one file; False when none is left
    """
    if _work(read_next) or st.session_state.get(_STOPPED):
        return True
    _go_on(read_next, done, total, "Read", st.session_state.get)
    return False


def _work(do_next: Callable[[], bool]) -> bool:
    """Work until the step's time is over; True if nothing is left."""
    until = time.monotonic() + STEP_S
    while do_next():
        if time.monotonic() > until:
            return False
    return True


@st.fragment(run_every=PAUSE_S)
def _go_on(
    do_next: Callable[[], bool], done: Callable[[], int], total: int, word: str, stopped: Callable[[str], object]
) -> None:
    """The rest of the work: one step a run, the count, and the button that stops it."""
    st.progress(done() / max(total, 1), text=f"{word} {done():,} of {total:,} files")
    st.button("Stop after this file", key=f"stop_{word}", on_click=stop)
    if stopped(_STOPPED) or _work(do_next):
        st.rerun()


def stop() -> None:
    """Stop between two files; those that waited to be kept are told of."""
    st.session_state[_STOPPED] = True
    queue: list[ReadResult] = st.session_state.get(_QUEUE, [])
    tell([Told(file=result.file, short="not kept, stopped") for result in queue])
    queue.clear()


def go_on() -> None:
    """Take up the work that was stopped."""
    st.session_state.pop(_STOPPED, None)


def start_keeping(store: Store, results: Sequence[ReadResult]) -> None:
    """Queue the files that are ready; tell of the others at once. The first step is done before the page draws."""
    st.session_state[_STOPPED] = False
    st.session_state[_QUEUE] = [result for result in results if result.status == "taken"]
    st.session_state[_REPORT] = [
        Told(file=result.file, short=REFUSED if result.status == "refused" else OPEN, why=result.reason)
        for result in results
        if result.status != "taken"
    ]
    _work(lambda: _keep_next(store))


def keeping(store: Store) -> bool:
    """Go on keeping, if files wait for it; True while they do."""
    queue: list[ReadResult] = st.session_state.get(_QUEUE, [])
    if not queue:
        return False
    taken = len(st.session_state[_REPORT])
    _go_on(lambda: _keep_next(store), lambda: len(st.session_state[_REPORT]), taken + len(queue), "Kept",
           st.session_state.get)  # fmt: skip
    return True


def _keep_next(store: Store) -> bool:
    """Keep one file, all of it or nothing; False when none waits."""
    queue: list[ReadResult] = st.session_state.get(_QUEUE, [])
    if not queue:
        return False
    tell([kept(store, queue.pop(0))])
    return bool(queue)


def kept(store: Store, result: ReadResult) -> Told:
    """Put one file into the store and remember what was said about it; what came of it."""
    try:
        receipt = store.import_result(result)
        remember(store, result)
    except WaferlineError as error:
        return Told(file=result.file, short="not kept", why=error.sentence())
    return told_of(result, receipt)


def told_of(result: ReadResult, receipt: ImportReceipt) -> Told:
    """A file that was kept, in words."""
    there = receipt.already_there
    again = f", {there:,} {'was' if there == 1 else 'were'} there already" if there else ""
    return Told(file=result.file, short=f"{runs_words(receipt.added)} added{again}")


def tell(told: Sequence[Told]) -> None:
    """Add to the report."""
    st.session_state.setdefault(_REPORT, []).extend(told)


def forget_report() -> None:
    """Begin a new report."""
    st.session_state.pop(_REPORT, None)


def report() -> None:
    """What became of the files of the last time: in lines, or in a table with counts above it."""
    told: list[Told] = st.session_state.get(_REPORT, [])
    if len(told) <= SHORT_REPORT:
        for one in told:
            st.caption(f"{one.file}: {one.short}{f': {one.why}' if one.why else ''}".rstrip(".") + ".")
        return
    left = [one for one in told if not one.short.endswith(("added", "already"))]
    st.caption(f"{len(told) - len(left):,} files kept, {len(left):,} not.")
    frame = pd.DataFrame([(one.file, one.short, one.why) for one in (*left, *(o for o in told if o not in left))],
                         columns=["File", "What became of it", "Why"])  # fmt: skip
    with st.expander("File by file", expanded=bool(left), type="compact"):
        st.dataframe(frame, hide_index=True, alt="What became of every file")
