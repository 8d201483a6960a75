"""A long, sortable list in which a click on a row opens what it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

LIST_HEIGHT = 320


def long_list(
    frame: pd.DataFrame, *, key: str, alt: str, opens: Sequence[Any] = (), into: str = "",
    formats: Mapping[str, str] | None = None, wide: Sequence[str] = (), height: int = LIST_HEIGHT,
) -> None:  # fmt: skip
    """Draw the list; numbers by `formats` (printf, "localized" where none is given), texts of `wide` get more room.

    opens   what each row stands for; a click writes it into the picker whose key is `into`
    """
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(format=(formats or {}).get(name, "localized"))
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name])
    }
    columns |= {name: st.column_config.TextColumn(width="large") for name in wide}
    shown: dict[str, Any] = {
        "hide_index": True, "height": height, "column_config": columns, "placeholder": "–", "alt": alt, "key": key,
    }  # fmt: skip
    if not into:
        st.dataframe(frame, **shown)
        return
    st.dataframe(frame, **shown, selection_mode="single-row", on_select=lambda: _open(key, list(opens), into))


def _open(key: str, opens: Sequence[Any], into: str) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(opens):
        st.session_state[into] = opens[rows[0]]
