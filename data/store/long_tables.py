"""Runs of long files in tables of their own: written by columns, provenance by column, single runs put together."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from data.readers.intake.fields import FIELDS
from data.readers.large.lines import unpacked
from data.readers.large.runs import BLOCK_ROWS, ColumnOrigin, LargeRuns
from data.readers.tables.numbers import MISSING
from data.records import Run, RunField
from data.store.queries import Filter, picked
from data.store.runs import RUN_SCHEMA, dictionaries

SHOWN = 1_000  # runs of a long file that pages are handed


def add(cursor: duckdb.DuckDBPyConnection, upload_id: str, large: LargeRuns | None) -> int:
    """Store the runs that no long file has brought before; how many. To be called inside a transaction.

    Rows that state the same as a row before them, or as a row of another long file, are left out.
    """
    if large is None:
        return 0
    cursor.register("incoming", large.table)
    cursor.execute(f"CREATE TABLE {name_of(upload_id)} AS SELECT * FROM incoming")  # noqa: S608 - our own names
    cursor.unregister("incoming")
    count = without_repeats(cursor, upload_id)
    head = [upload_id, count, large.delimiter, json.dumps(large.labels)]
    cursor.execute("INSERT INTO long_table VALUES (?, ?, ?, ?)", head)
    add_origins(cursor, upload_id, large.origins)
    blocks = [[upload_id, number, block] for number, block in enumerate(large.lines)]
    cursor.executemany("INSERT INTO file_block VALUES (?, ?, ?)", blocks)
    return count


def add_origins(cursor: duckdb.DuckDBPyConnection, upload_id: str, origins: Sequence[ColumnOrigin]) -> None:
    """Store where every column comes from."""
    rows = [[upload_id, o.field, o.column, o.unit, o.origin, o.path, o.raw] for o in origins]
    cursor.executemany("INSERT INTO column_field VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def name_of(upload_id: str) -> str:
    """The table of a long file's runs, quoted."""
    return f'"long_{int(upload_id, 16):016x}"'


def without_repeats(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> int:
    """Delete rows that stand twice in the file or in an earlier long file; how many rows are left."""
    table = name_of(upload_id)
    for other in [one for one in uploads(cursor) if one != upload_id]:
        cursor.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT run_id FROM {name_of(other)})")  # noqa: S608
    counted = f"SELECT count(*), count(DISTINCT run_id) FROM {table}"  # noqa: S608
    count, different = cursor.execute(counted).fetchone() or (0, 0)
    if count > different:
        again = f"SELECT rowid FROM {table} QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY line) > 1"  # noqa: S608
        cursor.execute(f"DELETE FROM {table} WHERE rowid IN ({again})")  # noqa: S608
    return int(different)


def uploads(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Runs of every long file by upload."""
    return dict(cursor.execute("SELECT upload_id, run_count FROM long_table").fetchall())


def forget(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> int:
    """Delete a long file's runs; how many."""
    count = uploads(cursor).get(upload_id, 0)
    if count or upload_id in uploads(cursor):
        cursor.execute(f"DROP TABLE IF EXISTS {name_of(upload_id)}")  # it may be left aside
    for table in ("long_table", "column_field", "file_block"):
        cursor.execute(f"DELETE FROM {table} WHERE upload_id = ?", [upload_id])  # noqa: S608 - our own names
    return count


def runs(cursor: duckdb.DuckDBPyConnection, chosen: Filter, start: int = 0) -> list[Run]:
    """A part of the runs of every long file that fit the conditions, as records, from the start-th on (first = 0)."""
    shown = SHOWN if chosen.most_of_file is None else chosen.most_of_file
    return [run for upload_id in uploads(cursor) for run in _runs_of(cursor, upload_id, chosen, shown, start)]


def pages(cursor: duckdb.DuckDBPyConnection, chosen: Filter) -> Iterator[list[Run]]:
    """All runs of every long file that fit the conditions, as records, a part at a time."""
    for upload_id, count in uploads(cursor).items():
        for start in range(0, count, SHOWN):
            yield _runs_of(cursor, upload_id, chosen, SHOWN, start)


def tables(cursor: duckdb.DuckDBPyConnection, chosen: Filter) -> Iterator[pa.Table]:
    """All runs of every long file that fit the conditions, in the columns of the run table, a block at a time."""
    for upload_id in uploads(cursor):
        head = _head(cursor, upload_id)
        where = _where(cursor, upload_id, chosen, head["format"])
        if where is None:
            continue
        present = columns_of(cursor, upload_id)
        texts = {"run_id": "format('{:016x}', run_id)", "source_file": "?", "source_format": "?", "native": "NULL"}
        columns = ", ".join(
            f"{texts.get(name) or (name if name in present else 'NULL')} AS {name}" for name in RUN_SCHEMA.names
        )
        query = f"SELECT {columns} FROM {name_of(upload_id)} WHERE {where[0]} ORDER BY line"  # noqa: S608 - our names
        answer = cursor.cursor().sql(query, params=[head["file"], head["format"], *where[1]])
        for batch in answer.to_arrow_reader(BLOCK_ROWS):
            yield pa.Table.from_batches([batch]).cast(RUN_SCHEMA)


def columns_of(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> set[str]:
    """Columns of a long file's table."""
    return {row[0] for row in cursor.execute(f"DESCRIBE {name_of(upload_id)}").fetchall()}


def table(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> pa.Table:
    """Every run of a long file: run_id, outcome and the canonical columns that it fills."""
    run_id = "format('{:016x}', run_id) AS run_id"
    query = f"SELECT {run_id}, * EXCLUDE (run_id, line) FROM {name_of(upload_id)} ORDER BY line"  # noqa: S608
    return cursor.sql(query).to_arrow_table()


def _head(cursor: duckdb.DuckDBPyConnection, upload_id: str) -> dict[str, Any]:
    query = "SELECT file, format, labels, delimiter FROM upload JOIN long_table USING (upload_id) WHERE upload_id = ?"
    return dictionaries(cursor.execute(query, [upload_id]))[0]


def _where(
    cursor: duckdb.DuckDBPyConnection, upload_id: str, chosen: Filter, source_format: str
) -> tuple[str, list[object]] | None:
    """(condition, its values) that the file's rows must meet; None if none of them can."""
    names = columns_of(cursor, upload_id)
    lists = {"run_id": chosen.run_ids, "outcome": chosen.outcomes, "model_id": chosen.model_ids,
             "hardware_key": chosen.hardware_keys}  # fmt: skip
    wanted: dict[str, object] = {name: list(values) for name, values in lists.items() if values}
    if "run_id" in wanted:
        wanted["run_id"] = [int(one, 16) for one in chosen.run_ids if len(one) == 16]
    other_file = chosen.upload_id not in (None, upload_id) or chosen.configuration_id is not None
    other_format = bool(chosen.source_formats) and source_format not in chosen.source_formats
    if other_file or other_format or not wanted.keys() <= names:
        return None
    where = " AND ".join(f"{name} IN (SELECT unnest(?))" for name in wanted) or "true"
    if chosen.most_of_file is not None:
        whole = f"SELECT *, '' AS file_id FROM {name_of(upload_id)}"  # noqa: S608 - our own names
        where += f" AND run_id IN ({picked(chosen, whole, names)})"
    return where, list(wanted.values())


def _runs_of(
    cursor: duckdb.DuckDBPyConnection, upload_id: str, chosen: Filter, shown: int, start: int = 0
) -> list[Run]:
    head = _head(cursor, upload_id)
    where = _where(cursor, upload_id, chosen, head["format"])
    if where is None:
        return []
    limit = min(shown, chosen.limit if chosen.limit is not None else shown)
    query = f"SELECT * FROM {name_of(upload_id)} WHERE {where[0]} ORDER BY line LIMIT {limit} OFFSET {int(start)}"  # noqa: S608
    return _records(cursor, upload_id, head, dictionaries(cursor.execute(query, where[1])))


def _records(
    cursor: duckdb.DuckDBPyConnection, upload_id: str, head: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]
) -> list[Run]:
    fields = dictionaries(cursor.execute("SELECT * FROM column_field WHERE upload_id = ?", [upload_id]))
    by_field = {one["field"]: one for one in fields}
    labels = json.loads(head["labels"])
    lines = _lines(cursor, upload_id, [row["line"] for row in rows])
    found = []
    for row in rows:
        cells = next(csv.reader([lines[row["line"]]], delimiter=head["delimiter"]))
        values = {name: row[name] for name in FIELDS if row.get(name) is not None and name in by_field}
        found.append(Run(
            run_id=f"{row['run_id']:016x}", source_file=head["file"], source_format=head["format"],
            outcome=row["outcome"],
            values=values, native=json.dumps(dict(zip(labels, cells, strict=True)), ensure_ascii=False),
            fields={name: _field(by_field[name], cells, row["line"]) for name in values},
        ))  # fmt: skip
    return found


def _field(kept: Mapping[str, Any], cells: Sequence[str], line: int) -> RunField:
    place = kept["place"]
    path = kept["path"] if place is None else f"row {line}, {kept['path']}"
    raw = kept["raw"] if place is None else cells[place].strip()
    if place is not None and kept["raw"] and _is_empty(raw):
        return RunField(raw=kept["raw"], unit="", origin="person", path=f"said by the person; {path} is empty")
    return RunField(raw=raw, unit=kept["unit"], origin=kept["origin"], path=path)


def _lines(cursor: duckdb.DuckDBPyConnection, upload_id: str, wanted: Sequence[int]) -> dict[int, str]:
    """Lines of the file by number."""
    by_block: dict[int, list[int]] = {}
    for line in wanted:
        by_block.setdefault((line - 2) // BLOCK_ROWS, []).append(line)
    found: dict[int, str] = {}
    query = "SELECT block, content FROM file_block WHERE upload_id = ? AND block IN (SELECT unnest(?))"
    for block, content in cursor.execute(query, [upload_id, sorted(by_block)]).fetchall():
        pieces = unpacked(content)
        found |= {line: pieces[(line - 2) % BLOCK_ROWS].decode("utf-8", "replace") for line in by_block[block]}
    return found


def empty_cells(cursor: duckdb.DuckDBPyConnection, upload_id: str, lines: Sequence[int], place: int) -> list[bool]:
    """Whether the file's cell in this column is empty, line by line."""
    query = "SELECT delimiter FROM long_table WHERE upload_id = ?"
    (delimiter,) = cursor.execute(query, [upload_id]).fetchall()[0]
    texts = _lines(cursor, upload_id, lines)
    rows = csv.reader((texts[line] for line in lines), delimiter=delimiter)
    return [_is_empty(cells[place]) for cells in rows]


def _is_empty(cell: str) -> bool:
    return cell.strip().lower() in MISSING
