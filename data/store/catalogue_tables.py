"""The catalogue's records as tables, rebuilt only when its files have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from data.catalogue.catalogue import FOLDER, Catalogue
from data.records import Architecture, Chip, Price
from data.sources import Fact
from data.store.runs import insert

_TABLES = ("chip", "chip_fact", "architecture", "architecture_fact", "price", "catalogue_build")


def files_hash(folder: Path = FOLDER) -> str:
    """SHA-256 over the names and bytes of every catalogue file."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".yaml", ".csv")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_current(cursor: duckdb.DuckDBPyConnection, sha256: str) -> bool:
    """True if the tables were built from files of this hash."""
    return cursor.execute("SELECT 1 FROM catalogue_build WHERE sha256 = ?", [sha256]).fetchone() is not None


def build(cursor: duckdb.DuckDBPyConnection, catalogue: Catalogue, sha256: str) -> None:
    """Replace every catalogue table. To be called inside a transaction."""
    for table in _TABLES:
        cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - table names are ours
    _insert(cursor, "chip", (_flat(chip) for chip in catalogue.chips.values()))
    _insert(cursor, "chip_fact", (row for chip in catalogue.chips.values() for row in _facts(chip.key, chip.facts)))
    models = catalogue.architectures.values()
    _insert(cursor, "architecture", ({**_flat(model), "layers": model.layers} for model in models))
    _insert(cursor, "architecture_fact", (row for model in models for row in _facts(model.key, model.facts)))
    _insert(cursor, "price", (_price(price) for price in catalogue.prices))
    cursor.execute("INSERT INTO catalogue_build VALUES (?, now()::TIMESTAMP)", [sha256])


def _flat(record: Chip | Architecture) -> dict[str, Any]:
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float) or value is None}


def _facts(key: str, facts: Mapping[str, Fact]) -> Iterable[dict[str, Any]]:
    for name, fact in facts.items():
        number = isinstance(fact.value, int | float) and not isinstance(fact.value, bool)
        source = fact.sources[0]
        yield {
            "key": key,
            "field": name,
            "value": float(fact.value) if number else None,
            "value_text": None if number else str(fact.value),
            "shown": fact.shown,
            "kind": fact.kind,
            "source_title": source.title,
            "source_where": source.where,
            "located_at": fact.at,
            "note": fact.note,
        }


def _price(price: Price) -> dict[str, Any]:
    kept = ("item", "unit", "amount", "currency", "date", "provider", "chip_key", "note")
    source = {"source_title": price.source.title, "source_where": price.source.where}
    return {name: getattr(price, name) for name in kept} | source


def _insert(cursor: duckdb.DuckDBPyConnection, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Append rows, keeping the fields for which the table has a column."""
    columns = [row[0] for row in cursor.execute(f"DESCRIBE {table}").fetchall()]
    kept = [{name: row.get(name) for name in columns} for row in rows]
    insert(cursor, table, pa.Table.from_pylist(kept) if kept else pa.table({}))
