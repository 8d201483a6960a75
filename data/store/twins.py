"""Runs that came before in another file: kept once, as the fuller of the two, unless somebody edited them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import duckdb

from data.readers.intake.twins import ROUNDED, same_run
from data.records import Run
from data.store.runs import dictionaries, records

_CANDIDATES = (
    "SELECT * FROM run WHERE source_format <> ? AND (abs(ttft_mean_ms - ?) < ? OR abs(e2e_mean_ms - ?) < ? "
    "OR abs(ttft_p50_ms - ?) < ? OR abs(e2e_p50_ms - ?) < ?) LIMIT 50"
)
_KEYS = ("ttft_mean_ms", "e2e_mean_ms", "ttft_p50_ms", "e2e_p50_ms")
OWN_FORMAT = "waferline_export"
_NEAR = 0.001  # share within which a stored run is looked at more closely


def find_twins(cursor: duckdb.DuckDBPyConnection, runs: Sequence[Run]) -> dict[str, Run]:
    """Stored runs that are one with an incoming run, by the incoming run's id."""
    found: dict[str, Run] = {}
    for run in runs:
        values = [run.values.get(key) for key in _KEYS]
        numbers = [float(value) if isinstance(value, int | float) else None for value in values]
        if all(number is None for number in numbers):
            continue
        near = [(number, None if number is None else 2 * ROUNDED + _NEAR * number) for number in numbers]
        query = cursor.execute(_CANDIDATES, [run.source_format, *(figure for pair in near for figure in pair)])
        twin = next((one for one in records(cursor, dictionaries(query)) if same_run(run, one)), None)
        if twin is not None:
            found[run.run_id] = twin
    return found


def is_fuller(incoming: Run, stored: Run) -> bool:
    """True if the incoming run says more and replaces nothing that a person said of the stored one."""
    said = any(field.origin == "person" for field in stored.fields.values())
    return not said and len(incoming.values) > len(stored.values)


def settle(cursor: duckdb.DuckDBPyConnection, kept: Sequence[Run], twins: Mapping[str, Run]) -> dict[str, str]:
    """Give every stored twin's place to the fuller run that has come; under which id the other ones are stored."""
    stored_as = {run_id: twin.run_id for run_id, twin in twins.items()}
    for run_id in [run.run_id for run in kept if run.run_id in twins]:
        old_id = stored_as.pop(run_id)
        cursor.execute("UPDATE upload_run SET run_id = ? WHERE run_id = ?", [run_id, old_id])
        for table in ("run_field", "run"):
            cursor.execute(f"DELETE FROM {table} WHERE run_id = ?", [old_id])  # noqa: S608 - our own names
    return stored_as


def told_apart(cursor: duckdb.DuckDBPyConnection, runs: Sequence[Run]) -> list[Run]:
    """The runs; one of our own exports that was edited since gets an identity of its own."""
    own = [run.run_id for run in runs if run.source_format == OWN_FORMAT]
    if not own:
        return list(runs)
    query = cursor.execute("SELECT * FROM run WHERE run_id IN (SELECT unnest(?))", [own])
    stored = {run.run_id: run for run in records(cursor, dictionaries(query))}
    edited = {run_id for run_id, run in stored.items() if any(one.run_id == run_id and _edited(one, run)
                                                              for one in runs)}  # fmt: skip
    return [replace(run, run_id=_digest(run)) if run.run_id in edited else run for run in runs]


def _edited(one: Run, other: Run) -> bool:
    names = one.values.keys() | other.values.keys()
    return one.outcome != other.outcome or any(
        not _equal(one.values.get(name), other.values.get(name)) for name in names
    )


def _equal(one: object, other: object) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def _digest(run: Run) -> str:
    text = json.dumps([run.outcome, sorted((name, str(value)) for name, value in run.values.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
