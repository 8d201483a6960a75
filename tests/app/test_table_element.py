"""A table handed over directly is the one that Streamlit makes of a pandas Styler."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest


def page() -> None:
    """One table drawn both ways."""
    import pandas as pd
    import streamlit as st

    from app.components.tables import MISSING, Column, table

    frame = pd.DataFrame(
        {"name": ["8 × H200", None], "speed": [87.1234, float("nan")], "reason": ["", "does not fit"], "count": [8, 2]}
    )
    shown = [Column(name="name", header="Slot"), Column(name="speed", header="tok/s per user", strong=True),
             Column(name="reason", header="Binds"), Column(name="count", header="devices")]  # fmt: skip
    table(frame, shown, alt="Which is fastest?", muted=["does not fit"])
    pad = "\u2003\u2060"
    texts = {
        "Slot": {"8 × H200": "8\u00a0×\u00a0H200"},
        "tok/s\u00a0per\u00a0user": {87.1234: "**87.1**"},
        "\u2003\u2060Binds": {"": pad + MISSING, "does not fit": f"{pad}:gray[does\u00a0not\u00a0fit]"},
        "devices": {8.0: "8", 2.0: "2"},
    }
    same = pd.DataFrame(
        {header: frame[column.name].astype(float if column.name in ("speed", "count") else "object")
         for header, column in zip(texts, shown, strict=True)}
    )  # fmt: skip
    styled = same.style.format({header: said.get for header, said in texts.items()}, na_rep=MISSING)
    st.table(styled, border="horizontal", hide_index=True, alt="Which is fastest?")


def decoded(stream: bytes) -> pd.DataFrame:
    """The table of an Arrow stream."""
    return pa.ipc.open_stream(stream).read_pandas()


def test_the_table_is_the_one_streamlit_makes() -> None:
    """The oracle is `st.table` itself, given a Styler of the same values and texts."""
    tester = AppTest.from_function(page).run()
    assert not tester.exception
    ours, theirs = (element.proto for element in tester.table)
    for name in ("border_mode", "hide_index", "hide_header", "alt"):
        assert getattr(ours, name) == getattr(theirs, name)
    pd.testing.assert_frame_equal(decoded(ours.arrow_data.data), decoded(theirs.arrow_data.data), check_dtype=False)
    shown = [decoded(each.arrow_data.styler.display_values) for each in (ours, theirs)]
    pd.testing.assert_frame_equal(*shown, check_dtype=False)
    assert ours.arrow_data.styler.uuid


def test_figures_stay_figures_and_texts_texts() -> None:
    """The browser sets a column flush right by the type of its values."""
    tester = AppTest.from_function(page).run()
    schema = pa.ipc.open_stream(tester.table[0].proto.arrow_data.data).schema
    assert [str(kind) for kind in schema.types] == ["string", "double", "string", "double"]
