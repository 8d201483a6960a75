"""Imported files: what an import did, and the list of those that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import duckdb

from data.errors import StoreError
from data.readers.intake.result import Notice, ReadResult, Skipped
from data.records import Run
from data.store.runs import dictionaries, texts

_LISTED = (
    "SELECT upload_id, file, format, tool_version, size_byte, imported_at, "
    "count(run_id) + coalesce(max(run_count), 0) AS run_count, max(run_count) IS NOT NULL AS is_long, "
    "warnings, skipped FROM upload LEFT JOIN upload_run USING (upload_id) LEFT JOIN long_table USING (upload_id) "
    "GROUP BY ALL ORDER BY imported_at DESC, file"
)


@dataclass(frozen=True, kw_only=True)
class ImportReceipt:
    """What an import did.

    added          runs that are new in the store
    already_there  runs that another file (or this very file, `file_known`) had brought before
    replaced       runs read anew because the same file came with other answers
    same_as        runs that a file of another format had brought, by id: the name of that file
    """

    upload_id: str
    added: int
    already_there: int
    file_known: bool
    replaced: int = 0
    same_as: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Upload:
    """One imported file; `is_long` if it is a long table, kept by columns."""

    upload_id: str
    file: str
    format: str
    tool_version: str | None
    size_byte: int
    imported_at: datetime
    run_count: int
    is_long: bool
    warnings: tuple[Notice, ...]
    skipped: tuple[Skipped, ...]


def check_taken(result: ReadResult) -> None:
    """Raises StoreError for a result with open questions, or of a file that was refused."""
    if result.status != "taken":
        raise StoreError(f"{result.file} is not ready to be stored", found=result.reason or result.status)


def add_upload(
    cursor: duckdb.DuckDBPyConnection, upload_id: str, result: ReadResult, runs: Sequence[Run],
    stored_as: Mapping[str, str],
) -> None:  # fmt: skip
    """Store a file and which runs it holds; `stored_as` where a run is one with a stored one of another identity."""
    values = [upload_id, result.sha256, result.file, result.format, result.tool_version or None, result.size_byte]
    kept = [
        json.dumps(result.answers or {}),
        texts(map(asdict, result.warnings)),
        texts(map(asdict, result.skipped)),
    ]
    cursor.execute("INSERT INTO upload VALUES (?, ?, ?, ?, ?, ?, now()::TIMESTAMP, ?, ?, ?)", [*values, *kept])
    ids = dict.fromkeys(stored_as.get(run.run_id, run.run_id) for run in runs)
    links = [[upload_id, run_id, position] for position, run_id in enumerate(ids)]
    if links:
        cursor.executemany("INSERT INTO upload_run VALUES (?, ?, ?)", links)


def list_uploads(cursor: duckdb.DuckDBPyConnection) -> list[Upload]:
    """Imported files, newest first."""
    return [_upload(row) for row in dictionaries(cursor.execute(_LISTED))]


def _upload(row: dict[str, Any]) -> Upload:
    warnings = tuple(Notice(**{**one, "fields": tuple(one["fields"])}) for one in json.loads(row.pop("warnings")))
    skipped = tuple(Skipped(**one) for one in json.loads(row.pop("skipped")))
    return Upload(**row, warnings=warnings, skipped=skipped)
