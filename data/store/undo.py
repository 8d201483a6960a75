"""What a deletion takes away, held so that it can be put back."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pyarrow as pa

from data.store.long_undo import put_back, set_aside

_TABLES = {
    "upload": "SELECT * FROM upload WHERE upload_id = ?",
    "upload_run": "SELECT * FROM upload_run WHERE upload_id = ?",
    "run": "SELECT run.* FROM run JOIN upload_run USING (run_id) WHERE upload_id = ?",
    "run_field": "SELECT run_field.* FROM run_field JOIN upload_run USING (run_id) WHERE upload_id = ?",
}
_LONG = {
    "long_table": "SELECT * FROM long_table WHERE upload_id = ?",
    "column_field": "SELECT * FROM column_field WHERE upload_id = ?",
}


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """An imported file with its runs and the provenance of their figures, as Arrow tables by the name of theirs.

    The runs of a long file are not held here: they are left aside in the store (see long_undo).
    """

    upload_id: str
    file: str
    tables: dict[str, pa.Table]


def take(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> Snapshot | None:
    """The file and its runs as they are; None if there is no such file. To be called inside a transaction.

    The runs of a long file are left aside: only a deletion may follow.
    """
    queries = (_TABLES | _LONG).items()
    tables = {name: cursor.sql(query, params=[upload_id]).to_arrow_table() for name, query in queries}
    files = tables["upload"].column("file").to_pylist()
    if tables["long_table"].num_rows:
        set_aside(cursor, upload_id)
    return Snapshot(upload_id=upload_id, file=str(files[0]), tables=tables) if files else None


def restore(cursor: duckdb.DuckDBPyConnection, snapshot: Snapshot) -> None:
    """Put back what is not there. To be called inside a transaction."""
    known = cursor.execute("SELECT 1 FROM upload WHERE upload_id = ?", [snapshot.upload_id]).fetchone()
    if known is not None:
        return
    for name in ("upload", "run", "run_field", "upload_run", *_LONG):
        missing = "" if name in ("upload", "upload_run", *_LONG) else (
            " WHERE run_id NOT IN (SELECT run_id FROM run)" if name == "run" else
            " WHERE (run_id, field) NOT IN (SELECT (run_id, field) FROM run_field)"
        )  # fmt: skip
        cursor.register("gone", snapshot.tables[name])
        cursor.execute(f"INSERT INTO {name} BY NAME SELECT * FROM gone{missing}")  # noqa: S608 - our own names
        cursor.unregister("gone")
    if snapshot.tables["long_table"].num_rows:
        put_back(cursor, snapshot.upload_id)
