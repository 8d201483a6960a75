"""Which runs to fetch, and which of a long file stand for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import duckdb

# What a sweep over load holds fixed, and the loads; lengths are rounded to half powers of two, as tools scatter them.
_HELD = (
    "model_id", "model_raw", "hardware_key", "hardware", "device_count", "tp", "pp", "ep", "dp", "engine",
    "weight_format", "kv_format", "spec_decoding", "prefix_cache", "depth_tokens", "dataset", "load_mode",
)  # fmt: skip
_LENGTHS = ("isl_mean", "isl_nominal", "osl_mean", "osl_nominal")
_LOADS = ("request_rate", "concurrency", "concurrency_mean", "batch_size")


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Conditions that all must hold; None or empty means no condition.

    most_of_file   runs to take of every file; where it has more, they are picked at random, the same ones every time
    over_loads     pick every load of a sweep before a second run of any, and whole sweeps before others
    """

    run_ids: Sequence[str] = ()
    upload_id: str | None = None
    outcomes: Sequence[str] = ()
    model_ids: Sequence[str] = ()
    hardware_keys: Sequence[str] = ()
    source_formats: Sequence[str] = ()
    configuration_id: str | None = None
    limit: int | None = None
    most_of_file: int | None = None
    over_loads: bool = False


def picked(chosen: Filter, runs: str, columns: Collection[str]) -> str:
    """Identities of the runs picked of every file, as SQL; a file with no more than that is taken whole.

    runs      SQL of runs with `file_id` and these columns

    An identity is a hash of what its run states, so that an order by it has nothing to do with that of the file.
    """
    sweep = repeat = "0"
    if chosen.over_loads:
        held = [name for name in _HELD if name in columns]
        held += [f"round(2 * log2(greatest({name}, 1)))" for name in _LENGTHS if name in columns]
        sweep = f"hash({', '.join(['0', *held])})"
        alike = ", ".join(["file_id", sweep, *(name for name in _LOADS if name in columns)])
        repeat = f"row_number() OVER (PARTITION BY {alike} ORDER BY run_id)"
    ranked = f"SELECT run_id, file_id, {repeat} AS repeat, {sweep} AS sweep FROM ({runs})"  # noqa: S608 - our names
    place = "row_number() OVER (PARTITION BY file_id ORDER BY repeat, sweep, run_id)"
    return f"SELECT run_id FROM ({ranked}) QUALIFY {place} <= {int(chosen.most_of_file or 0)}"  # noqa: S608


def select(cursor: duckdb.DuckDBPyConnection, chosen: Filter) -> duckdb.DuckDBPyConnection:
    """An executed query for the runs, newest upload first, then in the order of their file."""
    conditions, values = _conditions(chosen)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    limit = f"LIMIT {int(chosen.limit)}" if chosen.limit is not None else ""
    query = (
        f"SELECT run.* FROM run JOIN ({_PLACES}) AS place USING (run_id) {where} "  # noqa: S608 - text from above only
        f"ORDER BY newest DESC, source_file, position, run_id {limit}"
    )
    return cursor.execute(query, values)


_PLACES = (
    "SELECT run_id, max(imported_at) AS newest, min(position) AS position, arg_max(upload_id, imported_at) AS file_id "
    "FROM upload_run JOIN upload USING (upload_id) GROUP BY run_id"
)


def counts(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Runs by the newest file that holds them, those of long tables aside."""
    return dict(cursor.execute(f"SELECT file_id, count(*) FROM ({_PLACES}) GROUP BY file_id").fetchall())  # noqa: S608


def _conditions(chosen: Filter) -> tuple[list[str], list[object]]:
    lists = {
        "run.run_id": chosen.run_ids,
        "run.outcome": chosen.outcomes,
        "run.model_id": chosen.model_ids,
        "run.hardware_key": chosen.hardware_keys,
        "run.source_format": chosen.source_formats,
    }
    conditions = [f"{column} IN (SELECT unnest(?))" for column, wanted in lists.items() if wanted]
    values: list[object] = [list(wanted) for wanted in lists.values() if wanted]
    if chosen.configuration_id is not None:
        conditions.append("run.configuration_id = ?")
        values.append(chosen.configuration_id)
    if chosen.upload_id is not None:
        conditions.append("run.run_id IN (SELECT run_id FROM upload_run WHERE upload_id = ?)")
        values.append(chosen.upload_id)
    if chosen.most_of_file is not None:
        runs = f"SELECT run.*, file_id FROM run JOIN ({_PLACES}) USING (run_id)"  # noqa: S608 - text from above only
        conditions.append(f"run.run_id IN ({picked(chosen, runs, (*_HELD, *_LENGTHS, *_LOADS))})")
    return conditions, values
