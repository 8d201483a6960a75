"""What a kept file does not say, asked anew; of a long table it is counted by columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import duckdb

from data.catalogue.catalogue import Catalogue
from data.readers.intake.registry import readers
from data.readers.intake.result import Question
from data.store import long_tables
from data.store.completion import open_questions
from data.store.queries import Filter
from data.store.store import Store
from data.store.uploads import Upload

NAMES = ("hardware", "model_raw")
MOST_NAMES = 500  # different names of a column that are looked at
_COUNTED = "runs do not say"


def asked(store: Store, upload: Upload, catalogue: Catalogue) -> list[Question]:
    """Questions about a kept file, whose answers `Store.complete` takes."""
    runs = store.runs(Filter(upload_id=upload.upload_id))
    if not upload.is_long:
        return open_questions(runs, upload.format, upload.file, catalogue)
    cursor, told = store.cursor(), {run.run_id for run in runs}
    fields = next((one.asks for one in readers() if one.key == upload.format), ())
    wanted = [one for one in dict.fromkeys(_representatives(cursor, upload.upload_id, fields)) if one not in told]
    runs += store.runs(Filter(upload_id=upload.upload_id, run_ids=wanted)) if wanted else []
    found = open_questions(runs, upload.format, upload.file, catalogue)
    return [replace(one, because=_counted(cursor, upload, one)) for one in found]


def _representatives(cursor: duckdb.DuckDBPyConnection, upload_id: str, fields: tuple[str, ...]) -> Iterator[str]:
    """Runs that between them state and lack whatever some run does, and bear every name."""
    name = long_tables.name_of(upload_id)
    present = long_tables.columns_of(cursor, upload_id)
    for field in (one for one in fields if one in present):
        query = f"SELECT min(run_id) FROM {name} GROUP BY {field} IS NULL"  # noqa: S608 - our own names
        yield from (f"{row[0]:016x}" for row in cursor.execute(query).fetchall())
    for field in (one for one in NAMES if one in present):
        query = f"SELECT min(run_id) FROM {name} GROUP BY {field} ORDER BY count(*) DESC LIMIT {MOST_NAMES}"  # noqa: S608
        yield from (f"{row[0]:016x}" for row in cursor.execute(query).fetchall())


def _counted(cursor: duckdb.DuckDBPyConnection, upload: Upload, question: Question) -> str:
    """Why it is asked, with the number of all runs that do not say instead of those looked at."""
    if not question.because.endswith(_COUNTED):
        return question.because
    lacking = "count(*)"
    if question.field in long_tables.columns_of(cursor, upload.upload_id):
        lacking = f"count(*) - count({question.field})"
    query = f"SELECT {lacking}, count(*) FROM {long_tables.name_of(upload.upload_id)}"  # noqa: S608 - our own names
    count, total = cursor.execute(query).fetchall()[0]
    return f"{count:,} of {total:,} {_COUNTED}"
