"""What a link asks for against what a page offers: other spellings are understood, the rest is named aloud."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st


def heed_link(label: str, options: Sequence[Any], *, key: str, default: Any, name: Callable[[Any], str]) -> None:
    """Make the address say an offered label before its widget reads it.

    A catalogue key or another letter case becomes the label ("deepseek-v3" -> "DeepSeek V3"). Anything else is told to
    the person once, with what is shown instead; the widget then drops it from the address.
    """
    asked = st.query_params.get(key)
    labels = {name(option).casefold(): name(option) for option in options}
    if asked is None or asked in labels.values():
        return
    by_key = {str(getattr(option, "key", option)).casefold(): name(option) for option in options}
    found = (by_key | labels).get(asked.casefold())
    if found is not None:
        st.query_params[key] = found
        st.rerun()
    st.toast(f"The link asks for {label} {asked!r}, which is not offered here. {name(default)} is shown instead.")
