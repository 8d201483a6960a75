"""Brings a store to this program's schema, one numbered step after another, each in a transaction."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import duckdb

from data.errors import StoreError
from data.store.connection import transaction

FOLDER = Path(__file__).parent
_NUMBERED = re.compile(r"(\d{4})_\w+\.sql")


def steps(folder: Path = FOLDER) -> list[tuple[int, str]]:
    """(version, SQL) of every step. Raises StoreError if a number is missing."""
    later = sorted((folder / "migrations").glob("*.sql"))
    found = [(1, (folder / "schema.sql").read_text(encoding="utf-8"))]
    for path in later:
        match = _NUMBERED.fullmatch(path.name)
        if match is None or int(match[1]) != found[-1][0] + 1:
            expected = f"{found[-1][0] + 1:04d}_name.sql"
            raise StoreError("the migrations are not numbered in order", found=path.name, expected=expected)
        found.append((int(match[1]), path.read_text(encoding="utf-8")))
    return found


def version_of(cursor: duckdb.DuckDBPyConnection) -> int:
    """The store's schema version, 0 for an empty file."""
    known = cursor.execute("SELECT 1 FROM information_schema.tables WHERE table_name = 'schema_version'").fetchone()
    if known is None:
        return 0
    row = cursor.execute("SELECT max(version) FROM schema_version").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def migrate(cursor: duckdb.DuckDBPyConnection, lock: threading.RLock, wanted: list[tuple[int, str]]) -> None:
    """Apply the steps that the store lacks. Raises StoreError if the store is newer than this program."""
    with lock:
        present = version_of(cursor)
        if present > wanted[-1][0]:
            raise StoreError(
                "the store was written by a newer Waferline",
                found=f"schema {present}",
                expected=f"at most {wanted[-1][0]}",
                remedy="Update Waferline, or use another store with --store.",
            )
        for version, sql in wanted:
            if version > present:
                with transaction(cursor, lock):
                    cursor.execute(sql)
                    cursor.execute("INSERT INTO schema_version VALUES (?, now()::TIMESTAMP)", [version])
