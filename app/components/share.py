"""Share: the address of this view, its tables as CSV and Parquet, and reports."""

from __future__ import annotations

import io
from collections.abc import Callable

import pandas as pd
import streamlit as st

from app.components.navigation import address_of_this_view
from app.components.page import Page
from app.exhibits import Exhibit, exhibits_of
from app.report.page_of_html import report_html
from app.report.versions import versions
from app.report.workbook import report_workbook
from app.state import offered_downloads
from data.spreadsheets import without_formulas

WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


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
        _reports(page)


def _reports(page: Page) -> None:
    """Reports of this page, and of every page opened in this visit; nothing where no study was shown."""
    opened = exhibits_of(st.session_state)
    this = tuple(each for each in opened if each.page == page.key)
    if this:
        st.caption("Report of this page: figures, tables, arithmetic, assumptions and sources in one file")
        _report_pair(this, f"waferline-{page.key}", key=f"report_{page.key}")
    if len(opened) > len(this) > 0:
        st.caption(f"Report of the {len(opened)} pages opened in this visit")
        _report_pair(opened, "waferline-report", key=f"report_all_{page.key}")


def _report_pair(exhibits: tuple[Exhibit, ...], name: str, *, key: str) -> None:
    """Two buttons, HTML and workbook; the file is made when the button is pressed."""
    with st.container(horizontal=True, gap="xsmall"):
        st.download_button("HTML", lambda: report_html(exhibits, versions()), f"{name}.html", "text/html",
                           key=f"{key}_html", on_click="ignore")  # fmt: skip
        st.download_button("Excel", lambda: report_workbook(exhibits, versions()), f"{name}.xlsx", WORKBOOK,
                           key=f"{key}_xlsx", on_click="ignore")  # fmt: skip
