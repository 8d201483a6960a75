"""Long tables that were deleted, left aside in the store's file until the deletion can no longer be taken back."""

from __future__ import annotations

import duckdb

from data.errors import StoreError
from data.store.long_tables import name_of, without_repeats

_ASIDE = "gone_"


def set_aside(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> None:
    """Keep the runs and lines of a long file out of sight; nothing is copied. To be called inside a transaction."""
    discard(cursor, upload_id)
    cursor.execute(f"ALTER TABLE {name_of(upload_id)} RENAME TO {_aside(upload_id)}")
    cursor.execute("UPDATE file_block SET upload_id = ? WHERE upload_id = ?", [_ASIDE + upload_id, upload_id])


def put_back(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> None:
    """Undo `set_aside`, less the runs that another long file has brought since. To be called inside a transaction.

    The file's head must stand in `long_table` again; its number of runs is set anew.
    """
    if upload_id not in left_aside(cursor):
        raise StoreError("the deletion cannot be taken back any more", remedy="Bring the file again.")
    cursor.execute(f"ALTER TABLE {_aside(upload_id)} RENAME TO {name_of(upload_id)}")
    cursor.execute("UPDATE file_block SET upload_id = ? WHERE upload_id = ?", [upload_id, _ASIDE + upload_id])
    count = without_repeats(cursor, upload_id)
    cursor.execute("UPDATE long_table SET run_count = ? WHERE upload_id = ?", [count, upload_id])


def discard(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> None:
    """Delete for good what `set_aside` kept of a file, if it did. To be called inside a transaction."""
    cursor.execute(f"DROP TABLE IF EXISTS {_aside(upload_id)}")
    cursor.execute("DELETE FROM file_block WHERE upload_id = ?", [_ASIDE + upload_id])


def left_aside(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """Uploads whose runs are aside."""
    query = "SELECT table_name FROM information_schema.tables WHERE starts_with(table_name, ?)"
    return [row[0].removeprefix(_ASIDE) for row in cursor.execute(query, [_ASIDE]).fetchall()]


def _aside(upload_id: str) -> str:
    return f'"{_ASIDE}{int(upload_id, 16):016x}"'
