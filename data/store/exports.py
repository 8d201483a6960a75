"""Runs as CSV, Parquet, JSON or llm-d reports; text that a spreadsheet would run as a formula is escaped in CSV."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import BinaryIO, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from data.readers.intake.report import run_report
from data.records import Run
from data.spreadsheets import without_formulas
from data.store.llmd_export import reports
from data.store.runs import RUN_SCHEMA, run_table

ExportKind = Literal["csv", "parquet", "json", "llm-d"]
EXPORTED = RUN_SCHEMA.remove(RUN_SCHEMA.get_field_index("native"))


def export(runs: Sequence[Run], kind: ExportKind) -> bytes:
    """These runs as one file (see write)."""
    buffer = io.BytesIO()
    write(buffer, kind, [runs])
    return buffer.getvalue()


def write(stream: BinaryIO, kind: ExportKind, chunks: Iterable[Sequence[Run] | pa.Table]) -> None:
    """Runs in the file format: canonical columns in CSV and Parquet, provenance and native records too in JSON.

    What is not known is empty or null. An unlimited request rate is inf in CSV and Parquet, null in JSON. Chunks are
    written as they come, so that no more than one is held; those of JSON and reports are records.
    """
    if kind in ("csv", "parquet"):
        tables = (_with_unlimited(run_table(one), one) if not isinstance(one, pa.Table) else one for one in chunks)
        (_write_csv if kind == "csv" else _write_parquet)(stream, tables)
        return
    stream.write(b"[")
    first = True
    for runs in chunks:
        if isinstance(runs, pa.Table) or not runs:
            continue
        listed = reports(runs) if kind == "llm-d" else [{**run_report(run), "native": json.loads(run.native)}
                                                        for run in runs]  # fmt: skip
        for one in listed:
            text = json.dumps(one, ensure_ascii=False, allow_nan=False, indent=1)
            stream.write(b"\n" if first else b",\n")
            stream.write(text.encode())
            first = False
    stream.write(b"]" if first else b"\n]")


def _write_parquet(stream: BinaryIO, tables: Iterable[pa.Table]) -> None:
    with pq.ParquetWriter(stream, EXPORTED) as writer:
        for table in tables:
            if table.num_rows:
                writer.write_table(table.select(EXPORTED.names).cast(EXPORTED))


def _write_csv(stream: BinaryIO, tables: Iterable[pa.Table]) -> None:
    stream.write((",".join(EXPORTED.names) + "\n").encode())
    for table in tables:
        if table.num_rows:
            cells = without_formulas(table.select(EXPORTED.names).to_pandas(types_mapper=_nullable))
            stream.write(cells.to_csv(index=False, header=False).encode())


def _with_unlimited(table: pa.Table, runs: Sequence[Run]) -> pa.Table:
    """The table with infinite request rates where no limit was asked for."""
    rates = [math.inf if "request_rate" in run.values and run.values["request_rate"] is None
             else run.values.get("request_rate") for run in runs]  # fmt: skip
    column = pa.array(rates, pa.float64())
    return table.set_column(table.schema.get_field_index("request_rate"), "request_rate", column)


def _nullable(kind: pa.DataType) -> object:
    return pd.Int64Dtype() if kind == pa.int64() else None
