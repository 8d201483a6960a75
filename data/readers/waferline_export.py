"""Runs that Waferline exported as CSV, Parquet or JSON, read back with the values they had."""

from __future__ import annotations

import csv
import io
import re
from typing import get_args

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft, Origin, clean
from data.readers.intake.own import put_back
from data.readers.intake.parquet import PARQUET
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.records import RunField
from data.spreadsheets import unescaped

_ID = re.compile(r"[0-9a-f]{16}")
_HEAD = ["run_id", "configuration_id", "source_file", "source_format", "outcome"]


def _recognise(content: Content) -> bool:
    if content.values:
        first = content.records[0].value if content.records else None
        told = isinstance(first, dict) and {"run_id", "source_format", "outcome"} <= first.keys()
        return told and isinstance(first, dict) and ("fields" in first or content.encoding == PARQUET)
    return content.text[:200].startswith(",".join(_HEAD))


def _read(content: Content, answers: Answers) -> Reading:
    drafts, left = list[Draft](), list[Skipped]()
    for place, line, record in _records(content):
        if not {"run_id", "outcome"} <= record.keys():
            left.append(Skipped(line=line, why=f"{place} is no exported run"))
            continue
        draft = Draft(place=place, line=line, native={"source_file": record.get("source_file")})
        put_back(draft, record, place)
        draft.known_id = str(record["run_id"]) if _ID.fullmatch(str(record["run_id"])) else ""
        _origins(draft, record.get("fields"))
        drafts.append(draft)
    if not drafts:
        raise ReadError("the export holds no run")
    return Reading(drafts=drafts, questions=[], skipped=left, notices=[])


def _records(content: Content) -> list[tuple[str, int, dict[str, object]]]:
    if content.values:
        found = [(one.place, one.line, one.value) for one in content.records if isinstance(one.value, dict)]
        return [(place, line, _unlimited(record)) for place, line, record in found]
    table = csv.DictReader(io.StringIO(content.text, newline=""))
    return [
        (f"row {n}", n, {name: unescaped(cell) for name, cell in row.items() if name and isinstance(cell, str)})
        for n, row in enumerate(table, start=2)
    ]


def _origins(draft: Draft, fields: object) -> None:
    """Where each figure came from before it was exported; a figure changed since then is what the file states."""
    for name, one in fields.items() if isinstance(fields, dict) else ():
        if name not in draft.fields or not isinstance(one, dict) or one.get("origin") not in get_args(Origin):
            continue
        texts = {key: clean(str(one.get(key, ""))) for key in ("raw", "unit", "path")}
        draft.fields[name] = RunField(**texts, origin=one["origin"])


def _unlimited(record: dict[str, object]) -> dict[str, object]:
    """JSON writes an unlimited rate as null; the key is there, unlike that of an unknown one. Parquet leaves it out."""
    return {**record, "request_rate": "inf"} if "request_rate" in record and record["request_rate"] is None else record


READER = Reader(
    key="waferline_export",
    title="Runs exported by Waferline (CSV, Parquet, JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("the origin of every figure in CSV and Parquet",),
    asks=(),
    sample="waferline_export.csv",
    first=True,
)
