"""Runs into tables and back: canonical columns, provenance rows, records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import duckdb
import pyarrow as pa

from data.readers.intake.draft import Outcome
from data.readers.intake.fields import FIELDS
from data.readers.intake.identity import configuration
from data.records import Run, RunField

_ARROW = {"number": pa.float64(), "count": pa.int64(), "text": pa.string()}
_HEAD = ("run_id", "configuration_id", "source_file", "source_format", "outcome", "native")
RUN_SCHEMA = pa.schema(
    [(name, pa.string()) for name in _HEAD] + [(name, _ARROW[spec.kind]) for name, spec in FIELDS.items()]
)
FIELD_SCHEMA = pa.schema([(name, pa.string()) for name in ("run_id", "field", "raw", "unit", "origin", "path")])
OUTCOMES = get_args(Outcome)


def run_table(runs: Sequence[Run]) -> pa.Table:
    """Runs as an Arrow table with every canonical column."""
    rows = []
    for run in runs:
        head = (run.run_id, configuration(run.values), run.source_file, run.source_format, run.outcome, run.native)
        values = {name: _typed(name, run.values.get(name)) for name in FIELDS}
        rows.append({**dict(zip(_HEAD, head, strict=True)), **values})
    return pa.Table.from_pylist(rows, schema=RUN_SCHEMA)


def field_table(runs: Iterable[Run]) -> pa.Table:
    """Provenance of every field of the runs as an Arrow table."""
    rows = [
        {"run_id": run.run_id, "field": name, "raw": one.raw, "unit": one.unit, "origin": one.origin, "path": one.path}
        for run in runs
        for name, one in run.fields.items()
        if name in FIELDS
    ]
    return pa.Table.from_pylist(rows, schema=FIELD_SCHEMA)


def _typed(name: str, value: object) -> float | int | str | None:
    kind = FIELDS[name].kind
    if value is None or isinstance(value, bool):
        return None
    if kind == "text":
        return str(value)
    if not isinstance(value, int | float):
        return None
    return round(value) if kind == "count" else float(value)


def insert(cursor: duckdb.DuckDBPyConnection, table: str, rows: pa.Table) -> None:
    """Append an Arrow table by column name."""
    if rows.num_rows:
        cursor.register("incoming", rows)
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")  # noqa: S608 - table names are ours
        cursor.unregister("incoming")


def dictionaries(answer: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """The rows of an executed query by column name."""
    names = [column[0] for column in answer.description or []]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def load_fields(cursor: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> dict[str, dict[str, RunField]]:
    """Provenance by run and field."""
    found: dict[str, dict[str, RunField]] = {run_id: {} for run_id in run_ids}
    query = "SELECT run_id, field, raw, unit, origin, path FROM run_field WHERE run_id IN (SELECT unnest(?))"
    for run_id, name, raw, unit, origin, path in cursor.execute(query, [list(run_ids)]).fetchall():
        found[run_id][name] = RunField(raw=raw, unit=unit, origin=origin, path=path)
    return found


def records(cursor: duckdb.DuckDBPyConnection, rows: Sequence[Mapping[str, Any]]) -> list[Run]:
    """Rows of the run table as records, with the provenance of every field."""
    fields = load_fields(cursor, [row["run_id"] for row in rows])
    return [_record(row, fields[row["run_id"]]) for row in rows]


def _record(row: Mapping[str, Any], fields: Mapping[str, RunField]) -> Run:
    in_order = {name: fields[name] for name in FIELDS if name in fields}
    return Run(
        run_id=row["run_id"],
        source_file=row["source_file"],
        source_format=row["source_format"],
        outcome=row["outcome"],
        values={name: row[name] for name in in_order},
        fields=in_order,
        native=row["native"],
    )


def texts(rows: Iterable[Mapping[str, object]]) -> str:
    """A list of plain dictionaries as JSON text."""
    return json.dumps(list(rows), ensure_ascii=False)
