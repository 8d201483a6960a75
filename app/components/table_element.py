"""The table element itself, handed to the page without a pandas Styler in between."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import streamlit as st
from streamlit.dataframe_util import convert_arrow_table_to_arrow_bytes
from streamlit.elements.lib.layout_utils import LayoutConfig
from streamlit.proto.Table_pb2 import Table

from app.components.figure_first import give_way


@dataclass(frozen=True, kw_only=True)
class Filled:
    """One column: its header, its values (figures are set flush right), and each value as printed, in Markdown."""

    header: str
    values: pd.Series
    texts: Sequence[str]


def show_table(columns: Sequence[Filled], *, alt: str) -> None:
    """What `st.table(styler, border="horizontal", hide_index=True, alt=alt)` draws.

    A Styler is translated, copied and assigned back cell by cell for it, which takes longer than all the arithmetic of
    a page. A test holds the two against each other.
    """
    names = [column.header for column in columns]
    values = pa.Table.from_arrays([_array(column.values) for column in columns], names=names)
    texts = pa.Table.from_arrays([pa.array(column.texts, pa.string()) for column in columns], names=names)
    element = Table(border_mode=Table.HORIZONTAL, hide_index=True, alt=alt)
    element.arrow_data.data = convert_arrow_table_to_arrow_bytes(values)
    element.arrow_data.styler.uuid = str(zlib.crc32("\n".join([alt, *names]).encode()))
    element.arrow_data.styler.display_values = convert_arrow_table_to_arrow_bytes(texts)
    give_way()
    st._main._enqueue("table", element, layout_config=LayoutConfig(width="stretch", height="content"))


def _array(values: pd.Series) -> pa.Array:
    """Floats as they are, texts as texts; a column of several kinds as texts."""
    if pd.api.types.is_numeric_dtype(values):
        return pa.array(values.astype(float).to_numpy())
    try:
        return pa.array(values.tolist(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if pd.isna(each) else str(each) for each in values.tolist()])
