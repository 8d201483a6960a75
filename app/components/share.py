"""Share: the address of this view, and its tables as CSV and Parquet."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import streamlit as st

from app.components.navigation import address_of_this_view
from app.components.page import Page
from app.state import offered_downloads

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with every text cell that a spreadsheet would run as a formula quoted by an apostrophe."""
    safe = frame.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            cells = safe[column].astype("object")
            safe[column] = cells.map(lambda cell: f"'{cell}" if str(cell).startswith(STARTS_A_FORMULA) else cell)
    return safe


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """The table as CSV in full precision, UTF-8 with a byte order mark so that spreadsheets read the signs."""
    return without_formulas(frame).to_csv(index=False).encode("utf-8-sig")


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """The table as Parquet."""
    into = io.BytesIO()
    frame.to_parquet(into, index=False)
    return into.getvalue()


def download_pair(name: str, frame: Callable[[], pd.DataFrame], *, key: str) -> None:
    """Two buttons, CSV and Parquet; the file is built when the button is pressed."""
    with st.container(horizontal=True, gap="xsmall"):
        st.download_button(
            "CSV", lambda: csv_bytes(frame()), f"{name}.csv", "text/csv", key=f"{key}_csv", on_click="ignore"
        )
        st.download_button(
            "Parquet",
            lambda: parquet_bytes(frame()),
            f"{name}.parquet",
            "application/vnd.apache.parquet",
            key=f"{key}_parquet",
            on_click="ignore",
        )


def share_menu(page: Page) -> None:
    """The link to this view, ready to copy, then the tables the page has offered."""
    menu = st.popover("Share", type="tertiary", key=f"share_{page.key}", on_change="rerun")
    if not menu.open:
        return
    with menu:
        st.caption("This link opens the same view in another browser on this machine. Uploaded runs are not in it.")
        st.code(address_of_this_view(), language=None, wrap_lines=True)
        for number, download in enumerate(offered_downloads()):
            st.caption(f"{download.name.replace('-', ' ').capitalize()}, full precision")
            download_pair(f"waferline-{download.name}", download.frame, key=f"share_{page.key}_{number}")
