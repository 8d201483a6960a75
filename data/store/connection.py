"""The one door to the DuckDB file: where it lies, how it is opened, locked, migrated and written."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import duckdb
import platformdirs

from data.errors import StoreError

FILE_NAME = "waferline.duckdb"
FOLDER_VARIABLE = "WAFERLINE_DATA"
HELD = "the store is open in another program"
MEMORY_LIMIT = "1GB"
_HOLDER = re.compile(r"PID (\d+)")
_CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",  # no reading, writing, attaching or installing from inside a query
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": MEMORY_LIMIT,
    "lock_configuration": "true",
}

_write_locks: dict[Path, threading.RLock] = {}
_write_locks_guard = threading.Lock()


def store_path(path: str | Path | None = None) -> Path:
    """The store's file: as given (a folder means the file in it), else in WAFERLINE_DATA, else in the user's data."""
    if path is not None:
        chosen = Path(path).expanduser()
        return (chosen / FILE_NAME if chosen.is_dir() else chosen).resolve()
    folder = os.environ.get(FOLDER_VARIABLE) or platformdirs.user_data_dir("waferline", appauthor=False)
    return _resolved(os.path.abspath(os.path.expanduser(folder))) / FILE_NAME


@lru_cache(maxsize=16)
def _resolved(folder: str) -> Path:
    """The folder without links; asked for several times by every run of a page."""
    return Path(folder).resolve()


def connect(path: Path) -> duckdb.DuckDBPyConnection:
    """An open connection. Raises StoreError if another process holds the file or it is no store."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return duckdb.connect(str(path), config=_CONFIGURATION)
    except (duckdb.Error, OSError) as error:
        raise _opening_error(path, error) from error


def _opening_error(path: Path, error: Exception) -> StoreError:
    text = str(error)
    holder = _HOLDER.search(text)
    if holder or "lock" in text.lower():
        return StoreError(
            HELD,
            where=str(path),
            found=f"process {holder[1]}" if holder else "a lock",
            remedy="Close that program (perhaps the dashboard), or use another store with --store.",
        )
    if "not a valid DuckDB" in text or "version number" in text:
        return StoreError(
            "the file is no store that this program can read",
            where=str(path),
            found=text[:200],
            remedy="Move it away and start again, or update Waferline.",
        )
    return StoreError("the store cannot be opened", where=str(path), found=text[:200])


def write_lock(path: Path) -> threading.RLock:
    """The lock that every writer of this process to this file holds while it writes."""
    with _write_locks_guard:
        return _write_locks.setdefault(path, threading.RLock())


@contextmanager
def transaction(cursor: duckdb.DuckDBPyConnection, lock: threading.RLock) -> Iterator[None]:
    """All or nothing: commits at the end, rolls back if anything raises. One writer at a time in this process."""
    with lock:
        cursor.execute("BEGIN TRANSACTION")
        try:
            yield
        except duckdb.Error as error:
            cursor.execute("ROLLBACK")
            raise StoreError("the store refused the change, nothing was written", found=str(error)[:300]) from error
        except BaseException:
            cursor.execute("ROLLBACK")
            raise
        cursor.execute("COMMIT")
