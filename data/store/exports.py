"""Runs as CSV, Parquet, JSON or llm-d reports; text that a spreadsheet would run as a formula is escaped in CSV."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from typing import Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from data.readers.intake.own import FORMULA_STARTS
from data.readers.intake.report import run_report
from data.records import Run
from data.store.llmd_export import reports
from data.store.runs import run_table

ExportKind = Literal["csv", "parquet", "json", "llm-d"]


def export(runs: Sequence[Run], kind: ExportKind) -> bytes:
    """Runs in the file format: canonical columns in CSV and Parquet, provenance and native records too in JSON.

    What is not known is empty or null. An unlimited request rate is inf in CSV, null in Parquet, where `load_mode` says
    what the load was.
    """
    if kind == "llm-d":
        return reports(runs)
    if kind == "json":
        listed = [{**run_report(run), "native": json.loads(run.native)} for run in runs]
        return json.dumps(listed, ensure_ascii=False, allow_nan=False, indent=1).encode()
    table: pa.Table = run_table(runs).drop_columns("native")
    if kind == "parquet":
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        return buffer.getvalue()
    frame = table.to_pandas(types_mapper=_nullable)
    unlimited = ["request_rate" in run.values and run.values["request_rate"] is None for run in runs]
    frame.loc[unlimited, "request_rate"] = math.inf
    return _csv(frame).encode()


def _nullable(kind: pa.DataType) -> object:
    return pd.Int64Dtype() if kind == pa.int64() else None


def _csv(frame: pd.DataFrame) -> str:
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = [harmless(value) if isinstance(value, str) else value for value in frame[name]]
    return frame.to_csv(index=False)


def harmless(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text
