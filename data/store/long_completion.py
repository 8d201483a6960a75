"""Answers that come after a long table was stored, put into its columns as if they had been given when it was read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.catalogue.catalogue import Catalogue
from data.readers.intake.answers import apply, canonical
from data.readers.intake.derive import UNLIMITED_RATE
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS
from data.readers.intake.result import ReadResult
from data.readers.large.columns import Columns
from data.readers.large.derive import complete
from data.readers.large.reading import fields_of, say
from data.readers.large.runs import ColumnOrigin, LargeRuns
from data.store.long_tables import add_origins, empty_cells, name_of, uploads
from data.store.resolve import resolve_names
from data.store.runs import dictionaries

_HEAD = ("run_id", "line", "outcome")
_FROM_NAME = "from the model's name"  # formats assumed from a name are assumed anew


def completed_columns(
    cursor: duckdb.DuckDBPyConnection, upload_id: str, answers: Mapping[str, str], catalogue: Catalogue
) -> int:
    """Put the answers into every run of a long file; how many there are, 0 for a file that is not long.

    To be called inside a transaction. Runs keep identity, line and outcome; what follows from their columns is derived
    anew. Raises ReadError for an answer that fits no field.
    """
    if upload_id not in uploads(cursor):
        return 0
    said = _checked(canonical(answers))
    table = cursor.sql(f"SELECT * FROM {name_of(upload_id)} ORDER BY line").to_arrow_table()  # noqa: S608 - our names
    query = "SELECT field, place AS column, unit, origin, path, raw FROM column_field WHERE upload_id = ?"
    stated = [ColumnOrigin(**row) for row in dictionaries(cursor.execute(query, [upload_id]))]
    columns = _columns(table, stated)
    filled = [one for one in stated if one.column is not None and one.raw]
    for one in filled:
        _empty_again(columns, one, empty_cells(cursor, upload_id, table.column("line").to_pylist(), one.column or 0))
    say(columns, {one.field: one.raw for one in filled} | said)
    complete(columns)
    rows = cursor.execute("SELECT answers FROM upload WHERE upload_id = ?", [upload_id]).fetchall()
    earlier = json.loads(rows[0][0]) if rows else {}
    _replace(cursor, upload_id, _resolved(table, columns, {**earlier, **said}, catalogue))
    return int(table.num_rows)


def _checked(said: Mapping[str, str]) -> dict[str, str]:
    """The answers without those that no run can have. Raises ReadError for a word where a number is asked."""
    draft = Draft(place="")
    apply([draft], said)
    copied = {"concurrency": "batch_size"}
    return {
        name: value
        for name, value in said.items()
        if name not in FIELDS or name in draft.values or copied.get(name) == value
    }


def _columns(table: pa.Table, origins: list[ColumnOrigin]) -> Columns:
    """The columns as they were before anything was derived from them."""
    columns = Columns(row_count=table.num_rows, odd=np.zeros(table.num_rows, dtype=bool))
    for origin in origins:
        if origin.origin == "derived" or origin.path == _FROM_NAME:
            continue
        cells = table.column(origin.field)
        columns.origins[origin.field] = origin
        if FIELDS[origin.field].kind == "text":
            columns.texts[origin.field] = pc.dictionary_encode(cells).combine_chunks()
        else:
            columns.numbers[origin.field] = cells.cast(pa.float64()).to_numpy()
    if "request_rate" in columns.numbers and "load_mode" in table.column_names:  # no limit is kept as the mode alone
        unlimited = pc.equal(table.column("load_mode"), "offline").fill_null(False).to_numpy()
        rate = columns.numbers["request_rate"]
        columns.numbers["request_rate"] = np.where(unlimited & np.isnan(rate), UNLIMITED_RATE, rate)
    return columns


def _empty_again(columns: Columns, filled: ColumnOrigin, empty: list[bool]) -> None:
    """Take an earlier answer out of the cells that it filled, so that what the file states is not taken for it."""
    name = filled.field
    if name in columns.numbers:
        columns.numbers[name] = np.where(empty, np.nan, columns.numbers[name])
    elif name in columns.texts:
        words = pc.if_else(pa.array(empty), pa.scalar(None, pa.string()), columns.texts[name].cast(pa.string()))
        columns.texts[name] = pc.dictionary_encode(words)
    if name in columns.origins:
        columns.origins[name] = replace(filled, raw="")


def _resolved(table: pa.Table, columns: Columns, said: Mapping[str, str], catalogue: Catalogue) -> LargeRuns:
    head = {name: table.column(name) for name in _HEAD}
    large = LargeRuns(
        table=pa.table({**head, **fields_of(columns)}), labels=(), delimiter="",
        origins=tuple(columns.origins.values()), lines=(),
    )  # fmt: skip
    result = ReadResult(
        file="", format="", tool_version="", status="taken", reason="", runs=(), answers=dict(said), large=large
    )
    return resolve_names(result, catalogue).large or large


def _replace(cursor: duckdb.DuckDBPyConnection, upload_id: str, large: LargeRuns) -> None:
    name = name_of(upload_id)
    cursor.register("incoming", large.table)
    cursor.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM incoming")  # noqa: S608 - our own names
    cursor.unregister("incoming")
    cursor.execute("DELETE FROM column_field WHERE upload_id = ?", [upload_id])
    add_origins(cursor, upload_id, large.origins)
