"""Uploaded runs as sweeps over load and series over time: grouped by all but load, beside the model's figures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.diagnosis import Finding, Series, Sweep, diagnose_series, diagnose_sweep
from analysis.diagnosis.observed import Floats, LoadKind
from analysis.engine import evaluate
from analysis.parameters import Parameters
from analysis.studies.benchmark_cases import ENDED, Measured, case_of, comparable
from analysis.studies.explore import engine_of, length_groups, lengths_of, machine_of, model_of
from analysis.study import rows_of
from data.records import Architecture, Chip, Run

MS = 1e-3
LEAST_LOADS = 3  # of a sweep worth showing although nothing is wrong with it
LEAST_SAMPLES = 8  # runs of one load, each with a start time, that make a series
_KINDS: Mapping[str, tuple[LoadKind, tuple[str, ...]]] = {
    "rate": ("rate", ("request_rate",)),
    "batch": ("batch", ("batch_size",)),
    "": ("concurrency", ("concurrency", "concurrency_mean")),
}
_ALIKE = ("tp", "pp", "ep", "dp", "weight_format", "kv_format", "spec_decoding", "prefix_cache", "depth_tokens",
          "dataset", "load_mode", "disagg_prefill_count", "disagg_decode_count")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Observation:
    """Runs that differ in load alone (or only in when they ran), what they show, and what is wrong with them.

    runs       in the order of the arrays
    compared   the same runs as the engine is asked for them, None where something is not known
    """

    name: str
    runs: tuple[Run, ...]
    compared: tuple[Measured | None, ...]
    observed: Sweep | Series
    findings: tuple[Finding, ...]

    @property
    def is_series(self) -> bool:
        """True over time, False over load."""
        return isinstance(self.observed, Series)


def observations(
    runs: Sequence[Run],
    models: Mapping[str, Architecture],
    chips: Mapping[str, Chip],
    parameters: Parameters | None = None,
) -> list[Observation]:
    """Every sweep and series among the runs, those with a fault first; single runs only where something is wrong."""
    kept = [run for run in runs if run.outcome not in ENDED and load_of(run)[1] is not None]
    able = {one.run.run_id: one for one in comparable(kept, models, chips)[0]}
    answers = dict(zip(able, rows_of(evaluate([case_of(one) for one in able.values()], parameters)), strict=True)
                   if able else ())  # fmt: skip
    found = []
    for name, group in _groups(kept).items():
        found += [_sweep(name, group, able, answers), *_series(name, group, able)]
    shown = [each for each in found if each.findings or _worth_showing(each)]
    return sorted(shown, key=_order)


def _order(each: Observation) -> tuple[bool, int, bool, int]:
    """What is wrong before what is not, the surest and the longest first, made of several runs before single ones."""
    sure = ("clear", "likely", "possible").index(each.findings[0].confidence) if each.findings else 0
    return not each.findings, sure, len(each.runs) < LEAST_LOADS, -len(each.runs)


def _worth_showing(each: Observation) -> bool:
    return each.is_series or len({load_of(run)[1] for run in each.runs}) >= LEAST_LOADS


def load_of(run: Run) -> tuple[LoadKind, float | None]:
    """How a run was loaded, and how much."""
    kind, names = _KINDS.get(str(run.values.get("load_mode") or ""), _KINDS[""])
    for name in names:
        value = _number(run, name)
        if value is not None:
            return kind, value
    batch = _number(run, "batch_size")
    return ("batch", batch) if kind == "concurrency" else (kind, None)


def _number(run: Run, name: str) -> float | None:
    value = run.values.get(name)
    known = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) if known else None  # type: ignore[arg-type]


def _groups(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs that differ in load alone, under a name; what is not named is told apart by its file."""
    lengths = length_groups(runs)
    found: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        model, machine = model_of(run), machine_of(run)
        unnamed = run.source_file if "not said" in (model, machine) else ""
        said = (model, machine, engine_of(run), lengths[run.run_id])
        key: tuple[object, ...] = (*said, load_of(run)[0], run.source_format, unnamed,
               *(run.values.get(name) for name in _ALIKE))  # fmt: skip
        found.setdefault(key, []).append(run)
    names: dict[str, list[Run]] = {}
    for key, group in found.items():
        name = _name(group, [str(each) for each in key[:4]])
        names[name if name not in names else f"{name}, {len(names)}"] = group
    return names


def _name(group: Sequence[Run], parts: Sequence[str]) -> str:
    said = [each for each in parts[:3] if each != "not said"] or [group[0].source_file]
    file = [] if len(said) > 1 else [group[0].source_file] if said != [group[0].source_file] else []
    return ", ".join([*said, *file, parts[3]])


def _column(runs: Sequence[Run], *names: str, size: float = 1.0) -> Floats:
    """The first of these fields each run states, SI; nan where it states none."""
    values = [next((v for name in names if (v := _number(run, name)) is not None), math.nan) for run in runs]
    return np.array(values) * size


def _sweep(
    name: str, group: Sequence[Run], able: Mapping[str, Measured], answers: Mapping[str, Mapping[str, Any]]
) -> Observation:
    runs = sorted(group, key=lambda run: load_of(run)[1] or 0.0)
    load = np.array([load_of(run)[1] for run in runs], dtype=float)
    first, token = (_column(runs, f"{each}_mean_ms", f"{each}_p50_ms", size=MS) for each in ("ttft", "tpot"))
    answer = _column(runs, "osl_mean", "osl_nominal")
    e2e = _column(runs, "e2e_mean_ms", "e2e_p50_ms", size=MS)
    e2e = np.where(np.isnan(e2e), first + (answer - 1) * token, e2e)
    per_second = _column(runs, "request_rps")
    told = _modelled(runs, answers)
    sweep = Sweep(
        kind=load_of(runs[0])[0], load=load, output_rate=_column(runs, "output_tps"), tpot_s=token, ttft_s=first,
        e2e_s=e2e,
        tail_ratio=_tail(runs), in_flight=_in_flight(runs, per_second * e2e),
        delivered_fraction=per_second / _column(runs, "request_rate"), client_over_server=counted_apart(runs), **told,
    )  # fmt: skip
    compared = tuple(able.get(run.run_id) for run in runs)
    return Observation(name=name, runs=tuple(runs), compared=compared, observed=sweep, findings=diagnose_sweep(sweep))


def _tail(runs: Sequence[Run]) -> Floats:
    """99th percentile of the gaps between tokens over the median one; of times per token where no gaps are stated."""
    gaps, tokens = (_column(runs, f"{each}_p99_ms") / _column(runs, f"{each}_p50_ms") for each in ("itl", "tpot"))
    return gaps if np.isfinite(gaps).all() else tokens


def _in_flight(runs: Sequence[Run], by_law: Floats) -> Floats:
    """Mean requests in flight as stated, else rate times request time (Little's law)."""
    stated = _column(runs, "concurrency_mean")
    return np.where(np.isnan(stated), by_law, stated)


def _modelled(runs: Sequence[Run], answers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The model's figures for every run; nan where it cannot be asked, and under an arrival rate."""
    blank: Mapping[str, Any] = {}
    rows = [answers.get(run.run_id, blank) for run in runs]

    def column(name: str) -> Floats:
        return np.array([float(row.get(name, math.nan)) for row in rows])

    tokens = np.array([sum(lengths_of(run)) for run in runs])
    with np.errstate(invalid="ignore", divide="ignore"):
        room = column("kv_room_tokens") / tokens
    known = room[np.isfinite(room)]
    return {"modelled_rate": column("output_tokens_per_s"), "modelled_tpot_s": column("tpot_s"),
            "high_tpot_s": column("high_tpot_s"), "room": float(known.min()) if known.size else math.nan}  # fmt: skip


def counted_apart(runs: Sequence[Run]) -> Floats:
    """Output tokens by the client over those by the server, from the tool's own record; nan where it has not both."""
    return np.array([_counted_apart(run) for run in runs])


def _counted_apart(run: Run) -> float:
    try:
        native = json.loads(run.native)
    except ValueError:
        return math.nan
    if not isinstance(native, dict):
        return math.nan
    pairs = (
        (native.get("total_output_tokens_retokenized"), native.get("total_output_tokens")),
        (_mean(native.get("output_sequence_length")), _mean(native.get("usage_completion_tokens"))),
    )
    for client, server in pairs:
        if isinstance(client, int | float) and isinstance(server, int | float) and client > 0 and server > 0:
            return float(client) / float(server)
    return math.nan


def _mean(value: object) -> object:
    return value.get("avg") if isinstance(value, dict) else None


def _series(name: str, group: Sequence[Run], able: Mapping[str, Measured]) -> list[Observation]:
    """Runs of one load that say when they started, if there are enough of them, one series a load."""
    started = pd.to_datetime(pd.Series([run.values.get("started_at") for run in group], dtype=object), errors="coerce",
                             utc=True, format="ISO8601")  # fmt: skip
    by_load: dict[float, list[tuple[pd.Timestamp, Run]]] = {}
    for run, moment in zip(group, started, strict=True):
        if pd.notna(moment):
            by_load.setdefault(load_of(run)[1] or 0.0, []).append((moment, run))
    return [
        _one_series(f"{name}, {load:,.3g} over time", pairs, able)
        for load, pairs in by_load.items()
        if len({moment for moment, _ in pairs}) >= LEAST_SAMPLES
    ]


def _one_series(name: str, pairs: list[tuple[pd.Timestamp, Run]], able: Mapping[str, Measured]) -> Observation:
    pairs = sorted(pairs, key=lambda pair: pair[0])
    runs = [run for _, run in pairs]
    seconds = np.array([(moment - pairs[0][0]).total_seconds() for moment, _ in pairs])
    series = Series(
        time_s=seconds, output_rate=_column(runs, "output_tps"), tpot_s=_column(runs, "tpot_mean_ms", size=MS),
        ttft_s=_column(runs, "ttft_mean_ms", size=MS), power_w=_column(runs, "power_w"),
        hit_fraction=_column(runs, "prefix_hit_rate"),
    )  # fmt: skip
    compared = tuple(able.get(run.run_id) for run in runs)
    return Observation(
        name=name, runs=tuple(runs), compared=compared, observed=series, findings=diagnose_series(series)
    )
