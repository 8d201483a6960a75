"""What every page with requests asks: the use to start from, the length of answers, and what a cache holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app.components import controls as ask
from app.state import share_label, token_label

ANSWERS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
CACHED = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True)
class Start:
    """A use to start from: what it is, in words, and the controls it sets, by their keys."""

    words: str
    sets: Mapping[str, Any]


def start_from(uses: Mapping[str, Start], *, key: str) -> None:
    """Uses to start from; each sets its controls and leaves model, formats and machines alone."""
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.caption("Start from", width="content")
        for name, use in uses.items():
            words = f"{use.words}. Goals to start from, assumed by us."
            st.button(name, key=f"{key}_{name.lower()}", type="tertiary", help=words, on_click=_set, args=(use.sets,))


def _set(values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        st.session_state[key] = value


def pick_answer(*, width: int = ask.WIDE) -> int:
    """Mean length of an answer. [tokens]"""
    return ask.slide("Answer, tokens", ANSWERS, key="answer", default=512, name=token_label, width=width)


def pick_cached(*, words: str) -> float:
    """Share of prompt tokens found in a prefix cache; `words` say of which tokens and what it saves."""
    return ask.pick("Cached", CACHED, key="cached", default=0.0, name=share_label, width=ask.NARROW, help=words)
