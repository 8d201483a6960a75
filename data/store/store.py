"""The store: uploaded runs with the provenance of every figure, and the catalogue as tables."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import duckdb
import pandas as pd
import pyarrow as pa

from data.catalogue.catalogue import Catalogue
from data.errors import StoreError
from data.readers.intake.result import ReadResult
from data.records import Run, RunField
from data.store import catalogue_tables, long_tables, long_undo
from data.store.completion import completed
from data.store.connection import connect, store_path, transaction, write_lock
from data.store.exports import ExportKind, write
from data.store.long_completion import completed_columns
from data.store.queries import Filter, select
from data.store.runs import dictionaries, field_table, insert, load_fields, records, run_table
from data.store.schema import migrate, steps
from data.store.twins import find_twins, is_fuller, settle, told_apart
from data.store.undo import Snapshot, restore, take
from data.store.uploads import ImportReceipt, Upload, add_upload, check_taken, list_uploads


class Store:
    """One open store. Safe to share between threads: each works on its own cursor, writers wait for each other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = write_lock(path)
        self._connection = connect(path)
        self._local = threading.local()
        self.changes = 0  # grows with every import and deletion, so that what was read can be kept until then
        try:
            migrate(self.cursor(), self._lock, steps())
            self._tidy()
        except (StoreError, duckdb.Error):
            self.close()
            raise

    def _tidy(self) -> None:
        """Let go of what deletions left aside: whoever could take them back has closed the program."""
        cursor = self.cursor()
        for upload_id in long_undo.left_aside(cursor):
            with transaction(cursor, self._lock):
                long_undo.discard(cursor, upload_id)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """This thread's own cursor."""
        if not hasattr(self._local, "cursor"):
            self._local.cursor = self._connection.cursor()
        cursor: duckdb.DuckDBPyConnection = self._local.cursor
        return cursor

    def import_result(self, result: ReadResult) -> ImportReceipt:
        """Store a file's runs, all or none. Raises StoreError unless the result is taken.

        The same file again adds nothing; with other answers its runs are replaced by the new reading.
        """
        check_taken(result)
        cursor, upload_id = self.cursor(), result.sha256[:16]
        with transaction(cursor, self._lock):
            earlier, replaced = self.answers_of(result.sha256), 0
            if earlier is not None and (not result.answers or dict(result.answers) == earlier):
                return ImportReceipt(upload_id=upload_id, added=0, already_there=result.run_count, file_known=True)
            if earlier is not None:
                replaced = self._forget(cursor, upload_id, [run.run_id for run in result.single_runs])
            incoming = told_apart(cursor, result.single_runs)
            present = self._present([run.run_id for run in incoming])
            new = [run for run in incoming if run.run_id not in present]
            twins = find_twins(cursor, new)
            kept = [run for run in new if run.run_id not in twins or is_fuller(run, twins[run.run_id])]
            insert(cursor, "run", run_table(kept))
            insert(cursor, "run_field", field_table(kept))
            add_upload(cursor, upload_id, result, incoming, settle(cursor, kept, twins))
            long = long_tables.add(cursor, upload_id, result.large)
        self.changes += 1
        return ImportReceipt(
            upload_id=upload_id,
            added=max(long + len(new) - len(twins) - replaced, 0), replaced=replaced,
            already_there=result.run_count - len(result.single_runs) - long + len(present) + len(twins),
            file_known=earlier is not None,
            same_as={run_id: twin.source_file for run_id, twin in twins.items()},
        )  # fmt: skip

    def answers_of(self, sha256: str) -> dict[str, str] | None:
        """What was said when the file of this hash was imported; None if it never was."""
        row = self.cursor().execute("SELECT answers FROM upload WHERE sha256 = ?", [sha256]).fetchone()
        return None if row is None else dict(json.loads(row[0]))

    def _present(self, run_ids: Sequence[str]) -> set[str]:
        query = "SELECT run_id FROM run WHERE run_id IN (SELECT unnest(?))"
        return {row[0] for row in self.cursor().execute(query, [list(run_ids)]).fetchall()}

    def runs(self, chosen: Filter | None = None, part: int = 0) -> list[Run]:
        """Runs as records, newest upload first, in the order of their file; of a long file a thousand (see parts)."""
        rows = dictionaries(select(self.cursor(), chosen or Filter()))
        long = long_tables.runs(self.cursor(), chosen or Filter(), start=part * long_tables.SHOWN)
        return [*records(self.cursor(), rows), *long]

    def parts(self) -> int:
        """Parts of a thousand runs that the longest file has; 1 if no file is long."""
        longest = max(self.long_files().values(), default=1)
        return -(-max(longest, 1) // long_tables.SHOWN)

    def long_files(self) -> dict[str, int]:
        """Uploads of which only the first runs are handed out as records, with their number of runs."""
        return long_tables.uploads(self.cursor())

    def long_table(self, upload_id: str) -> pa.Table:
        """Every run of a long file by columns."""
        return long_tables.table(self.cursor(), upload_id)

    def frame(self, chosen: Filter | None = None) -> pd.DataFrame:
        """Runs as a table with every canonical column; what is not known is missing."""
        return select(self.cursor(), chosen or Filter()).df().drop(columns="native")

    def export(self, kind: ExportKind, chosen: Filter | None = None) -> bytes:
        """Every run as a CSV, Parquet, JSON or llm-d file (see exports.write)."""
        buffer = io.BytesIO()
        self.export_to(buffer, kind, chosen)
        return buffer.getvalue()

    def export_to(self, stream: BinaryIO, kind: ExportKind, chosen: Filter | None = None) -> None:
        """Write every run, those of long files a block at a time."""
        write(stream, kind, self._chunks(kind, chosen or Filter()))

    def each(self, chosen: Filter) -> Iterator[Sequence[Run]]:
        """Every run as records, those of long files a thousand at a time: all of them in bounded memory."""
        yield records(self.cursor(), dictionaries(select(self.cursor(), chosen)))
        yield from long_tables.pages(self.cursor(), chosen)

    def _chunks(self, kind: ExportKind, chosen: Filter) -> Iterator[Sequence[Run] | pa.Table]:
        if kind not in ("csv", "parquet"):
            yield from self.each(chosen)
            return
        yield records(self.cursor(), dictionaries(select(self.cursor(), chosen)))
        yield from long_tables.tables(self.cursor(), chosen)

    def complete(self, upload_id: str, answers: Mapping[str, str], catalogue: Catalogue) -> int:
        """Put what a person says later into all of a file's runs (origin `person`), or none; how many were changed."""
        cursor = self.cursor()
        with transaction(cursor, self._lock):
            changed = completed(cursor, upload_id, answers, catalogue)
            changed += completed_columns(cursor, upload_id, answers, catalogue)
        self.changes += 1
        return changed

    def run_fields(self, run_id: str) -> Mapping[str, RunField]:
        """Where each figure of a run comes from; empty for an unknown run."""
        return load_fields(self.cursor(), [run_id])[run_id]

    def uploads(self) -> list[Upload]:
        """Imported files, newest first."""
        return list_uploads(self.cursor())

    def delete_upload(self, upload_id: str) -> int:
        """Forget a file and the runs that no other file holds; the number of runs deleted."""
        cursor = self.cursor()
        with transaction(cursor, self._lock):
            gone = self._forget(cursor, upload_id, [])
        self.changes += 1
        return gone

    def remove(self, upload_id: str) -> Snapshot | None:
        """Delete a file so that `restore` can bring it back; None if there is no such file.

        The runs of a long file stay in the store, out of sight, until `discard` or until the store is opened anew.
        """
        cursor = self.cursor()
        with transaction(cursor, self._lock):
            snapshot = take(cursor, upload_id)
            self._forget(cursor, upload_id, [])
        self.changes += 1
        return snapshot

    def discard(self, snapshot: Snapshot) -> None:
        """Make a deletion final."""
        cursor = self.cursor()
        with transaction(cursor, self._lock):
            long_undo.discard(cursor, snapshot.upload_id)

    def restore(self, snapshot: Snapshot) -> None:
        """Undo a deletion. A file that was imported again in the meantime stays as it is."""
        cursor = self.cursor()
        with transaction(cursor, self._lock):
            restore(cursor, snapshot)
        self.changes += 1

    def delete_run(self, run_id: str) -> int:
        """Forget one run, in whichever files it is; the number of runs deleted (0 or 1)."""
        cursor = self.cursor()
        with transaction(cursor, self._lock):
            cursor.execute("DELETE FROM upload_run WHERE run_id = ?", [run_id])
            gone = self._forget(cursor, "", [run_id])
        self.changes += 1
        return gone

    @staticmethod
    def _forget(cursor: duckdb.DuckDBPyConnection, upload_id: str, run_ids: Sequence[str]) -> int:
        """Delete an upload, the runs named, and every run that no upload holds any more; how many runs went."""
        long = long_tables.forget(cursor, upload_id)
        for table in ("upload_run", "upload"):
            cursor.execute(f"DELETE FROM {table} WHERE upload_id = ?", [upload_id])  # noqa: S608 - our own names
        gone = (
            "SELECT run_id FROM run WHERE run_id IN (SELECT unnest(?)) OR run_id NOT IN (SELECT run_id FROM upload_run)"
        )
        found = [row[0] for row in cursor.execute(gone, [list(run_ids)]).fetchall()]
        for table in ("run_field", "run"):
            cursor.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT unnest(?))", [found])  # noqa: S608
        return len(found) + long

    def ensure_catalogue(self, catalogue: Catalogue) -> bool:
        """Build the catalogue tables if its files have changed; True if they were built."""
        cursor, sha256 = self.cursor(), catalogue_tables.files_hash()
        if catalogue_tables.is_current(cursor, sha256):
            return False
        with transaction(cursor, self._lock):
            catalogue_tables.build(cursor, catalogue, sha256)
        return True


def open_store(path: str | Path | None = None) -> Store:
    """The store at `path`, made if it is missing; without a path the user's own (see connection.store_path).

    Raises StoreError if another process holds it, if it is newer than this program, or if the file is no store.
    """
    return Store(store_path(path))
