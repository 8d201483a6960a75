"""Answers remembered per format and folder, so that what was said once is proposed the next time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from data.readers.intake.result import ReadResult
from data.store.connection import transaction, write_lock
from data.store.store import Store


def remember(store: Store, result: ReadResult, folder: str = "") -> None:
    """Keep what the person said about a file, for its format and for the folder it came from."""
    said = dict(result.answers or {})
    scopes = [scope for scope in (_format(result), _folder(folder)) if scope]
    rows = [[scope, field, answer] for scope in scopes for field, answer in said.items()]
    if not rows:
        return
    cursor = store.cursor()
    with transaction(cursor, write_lock(store.path)):
        cursor.executemany("INSERT OR REPLACE INTO remembered_answer VALUES (?, ?, ?, now()::TIMESTAMP)", rows)


def remembered(store: Store, result: ReadResult, folder: str = "") -> Mapping[str, str]:
    """Earlier answers by field; those for the folder win over those for the format."""
    found: dict[str, str] = {}
    for scope in (_format(result), _folder(folder)):
        query = "SELECT field, answer FROM remembered_answer WHERE scope = ?"
        found.update(dict(store.cursor().execute(query, [scope]).fetchall()))
    return found


def with_memory(store: Store, result: ReadResult, folder: str = "") -> ReadResult:
    """The result with earlier answers as proposals of its questions, saying that they are."""
    earlier = remembered(store, result, folder)
    questions = tuple(
        replace(one, proposal=earlier[one.field], because="the answer given the last time")
        if one.field in earlier
        else one
        for one in result.questions
    )
    return replace(result, questions=questions)


def _format(result: ReadResult) -> str:
    return f"format:{result.format}"


def _folder(folder: str) -> str:
    return f"folder:{folder}" if folder else ""
