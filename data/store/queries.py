"""Which runs to fetch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Conditions that all must hold; None or empty means no condition."""

    run_ids: Sequence[str] = ()
    upload_id: str | None = None
    outcomes: Sequence[str] = ()
    model_ids: Sequence[str] = ()
    hardware_keys: Sequence[str] = ()
    source_formats: Sequence[str] = ()
    configuration_id: str | None = None
    limit: int | None = None


def select(cursor: duckdb.DuckDBPyConnection, chosen: Filter) -> duckdb.DuckDBPyConnection:
    """An executed query for the runs, newest upload first, then in the order of their file."""
    conditions, values = _conditions(chosen)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    limit = f"LIMIT {int(chosen.limit)}" if chosen.limit is not None else ""
    first = (
        "SELECT run_id, max(imported_at) AS newest, min(position) AS position "
        "FROM upload_run JOIN upload USING (upload_id) GROUP BY run_id"
    )
    query = (
        f"SELECT run.* FROM run JOIN ({first}) AS place USING (run_id) {where} "  # noqa: S608 - text from above only
        f"ORDER BY newest DESC, source_file, position, run_id {limit}"
    )
    return cursor.execute(query, values)


def _conditions(chosen: Filter) -> tuple[list[str], list[object]]:
    lists = {
        "run.run_id": chosen.run_ids,
        "run.outcome": chosen.outcomes,
        "run.model_id": chosen.model_ids,
        "run.hardware_key": chosen.hardware_keys,
        "run.source_format": chosen.source_formats,
    }
    conditions = [f"{column} IN (SELECT unnest(?))" for column, wanted in lists.items() if wanted]
    values: list[object] = [list(wanted) for wanted in lists.values() if wanted]
    if chosen.configuration_id is not None:
        conditions.append("run.configuration_id = ?")
        values.append(chosen.configuration_id)
    if chosen.upload_id is not None:
        conditions.append("run.run_id IN (SELECT run_id FROM upload_run WHERE upload_id = ?)")
        values.append(chosen.upload_id)
    return conditions, values
