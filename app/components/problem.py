"""How an error reads on a page: our own in its parts, any other as one sentence with a code for the log."""

from __future__ import annotations

import hashlib
import logging
import re
import traceback

import streamlit as st

from app.exhibits import keep_failure
from data.errors import WaferlineError

LOG = logging.getLogger("waferline")
_LINKING = re.compile(r"([\\\[\]<])")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~$:&-])")


def as_written(text: str) -> str:
    """Text that came from outside, with every sign that markdown would read as layout, link or picture quoted."""
    return _MARKDOWN.sub(r"\\\1", text)


def unlinked(text: str) -> str:
    """A sentence of ours that may hold words from outside: no link, picture, colour or tag comes of them."""
    return _LINKING.sub(r"\\\1", text)


def notice(text: str) -> None:
    """A message in a box of its own, in the page's ink: the theme's warning colours are the slots' here."""
    with st.container(border=True):
        st.markdown(text)


def problem_text(error: WaferlineError) -> str:
    """The parts of an error as markdown: what and where in bold, then found, expected and remedy, a line each."""
    opening = f"**{error.where}: {error.what}.**" if error.where else f"**{error.what[:1].upper()}{error.what[1:]}.**"
    parts = [("Found", error.found), ("Expected", error.expected)]
    lines = [opening] + [f"{name}: {value}" for name, value in parts if value]
    return "  \n".join(unlinked(line) for line in lines + ([error.remedy] if error.remedy else []))


def show_problem(error: WaferlineError) -> None:
    """An error made for a person, as it was written."""
    keep_failure(error.sentence())
    st.title("This view cannot be shown.", anchor=False)
    notice(problem_text(error))


def error_code(error: BaseException) -> str:
    """A short code, equal for equal places in the program, by which a log entry can be found."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{type(error).__name__}:" + ":".join(f"{frame.name}.{frame.lineno}" for frame in frames[-3:])
    return hashlib.sha256(place.encode()).hexdigest()[:6].upper()


def show_fault(error: Exception) -> None:
    """A fault of the program: one sentence for the person, everything else for the log."""
    code = error_code(error)
    keep_failure(f"a fault of ours, code {code}")
    LOG.error("fault %s", code, exc_info=error)
    st.title("This page could not be drawn.", anchor=False)
    notice(
        f"The fault is ours, not your input's; its code is **{code}**.  \n"
        "Nothing you stored is affected. The details stand in the terminal in which Waferline runs."
    )
