"""Answers that come after a file was stored, put into its runs as if they had been given when it was read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import duckdb

from data.catalogue.catalogue import Catalogue
from data.errors import StoreError
from data.readers.intake.answers import apply, canonical, missing
from data.readers.intake.derive import complete
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS
from data.readers.intake.registry import readers
from data.readers.intake.result import Question, ReadResult
from data.records import Run
from data.store.published_formats import with_published_proposals
from data.store.resolve import resolve_names
from data.store.runs import dictionaries, field_table, insert, records, run_table

_KEYS = {"hardware": "hardware_key", "model_raw": "model_id"}


def completed(
    cursor: duckdb.DuckDBPyConnection, upload_id: str, answers: Mapping[str, str], catalogue: Catalogue
) -> int:
    """Put the answers into the file's runs; how many were changed. To be called inside a transaction.

    A run keeps its identity; what follows from the answers is derived anew. Raises ReadError for an answer that fits
    no field, StoreError for a file that is not there.
    """
    said = canonical(answers)
    row = cursor.execute("SELECT answers FROM upload WHERE upload_id = ?", [upload_id]).fetchone()
    if row is None:
        raise StoreError("there is no such file in the store", found=upload_id)
    query = "SELECT run.* FROM run JOIN upload_run USING (run_id) WHERE upload_id = ?"
    runs = records(cursor, dictionaries(cursor.execute(query, [upload_id])))
    changed = with_answers(runs, said, catalogue)
    ids = [run.run_id for run in changed]
    for table in ("run_field", "run"):
        cursor.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT unnest(?))", [ids])  # noqa: S608 - our own names
    insert(cursor, "run", run_table(changed))
    insert(cursor, "run_field", field_table(changed))
    kept = json.dumps({**json.loads(row[0]), **said})
    cursor.execute("UPDATE upload SET answers = ? WHERE upload_id = ?", [kept, upload_id])
    return len(changed)


def with_answers(runs: Sequence[Run], said: Mapping[str, str], catalogue: Catalogue) -> list[Run]:
    """The runs with the answers in them, names resolved, and figures that follow from them."""
    about_fields = {name: value for name, value in said.items() if name in FIELDS}
    drafts = [_draft(run, about_fields) for run in runs]
    apply(drafts, about_fields)
    found = [_completed(run, draft) for run, draft in zip(runs, drafts, strict=True)]
    result = ReadResult(
        file="", format="", tool_version="", status="taken", reason="", runs=tuple(found), answers=dict(said)
    )
    return list(resolve_names(result, catalogue).runs)


def _draft(run: Run, said: Mapping[str, str]) -> Draft:
    """The run without the keys that its names were found under, where a name may change."""
    stale = {key for name, key in _KEYS.items() if name in said}
    draft = Draft(place=run.source_file, outcome=run.outcome)
    draft.values = {name: value for name, value in run.values.items() if name not in stale}
    draft.fields = {name: one for name, one in run.fields.items() if name not in stale}
    return draft


def _completed(run: Run, draft: Draft) -> Run:
    complete(draft)
    return replace(run, values=dict(draft.values), fields=dict(draft.fields))


def open_questions(runs: Sequence[Run], source_format: str, file: str, catalogue: Catalogue) -> list[Question]:
    """What these runs of one file lack or only assume, and names that the catalogue does not know."""
    reader = next((one for one in readers() if one.key == source_format), None)
    drafts = [Draft(place=run.source_file, values=dict(run.values), fields=dict(run.fields)) for run in runs]
    result = ReadResult(file=file, format=source_format, tool_version="", status="taken", reason="", runs=tuple(runs))
    resolved = resolve_names(result, catalogue)
    named = [one for one in resolved.questions if not _resolved(one, runs)]
    lacking = missing(drafts, reader.asks, file, {}) if reader else []
    models = catalogue.architectures
    return [*named, *with_published_proposals(lacking, runs, resolved.runs, models, stored=True)]


def _resolved(question: Question, runs: Sequence[Run]) -> bool:
    """True if every run with the name in question has a key all the same, because the person said which."""
    field, _, name = question.field.partition(":")
    return all(run.values.get(_KEYS[field]) for run in runs if run.values.get(field) == name)
