"""Uploaded runs as sweeps over load and series over time: grouped by all but load, beside the model's figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.diagnosis import Finding, Series, Sweep, diagnose_series, diagnose_sweep
from analysis.diagnosis.observed import Floats, LoadKind
from analysis.engine import evaluate
from analysis.parameters import Parameters
from analysis.studies.benchmark_cases import Measured, case_of, comparable
from analysis.studies.diagnosis_counts import counted_apart
from analysis.studies.diagnosis_ended import adopted, asked_of_ended, ends_of, without_figures
from analysis.studies.explore import engine_of, length_groups, lengths_of, machine_of, model_of
from analysis.studies.run_names import NOT_SAID, lengths_name, names_of
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
    kept = [run for run in runs if run.outcome != "ok" or load_of(run)[1] is not None]
    able = {one.run.run_id: one for one in comparable(kept, models, chips)[0]}
    answers = dict(zip(able, rows_of(evaluate([case_of(one) for one in able.values()], parameters)), strict=True)
                   if able else ())  # fmt: skip
    able |= asked_of_ended(kept, models, chips)
    found = []
    for name, group in _named(_groups(kept), models, chips).items():
        series = _series(name, group, able)
        sweep = _sweep(name, group, able, answers)
        found += series if _is_told_by(sweep, series) else [sweep, *series]
    shown = [each for each in found if each.findings or _worth_showing(each)]
    return sorted(shown, key=_order)


def _order(each: Observation) -> tuple[bool, int, bool, int]:
    """What is wrong before what is not, the surest and the longest first, made of several runs before single ones."""
    sure = ("clear", "likely", "possible").index(each.findings[0].confidence) if each.findings else 0
    return not each.findings, sure, len(each.runs) < LEAST_LOADS, -len(each.runs)


def _is_told_by(sweep: Observation, series: Sequence[Observation]) -> bool:
    """True if one series holds the same runs and says all that the sweep does."""
    said = {each.kind for each in series[0].findings} if len(series) == 1 else set()
    return len(series) == 1 and len(series[0].runs) == len(sweep.runs) and {e.kind for e in sweep.findings} <= said


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
    if batch is None and run.values.get("load_mode") == "offline":
        return "offline", None
    return ("batch", batch) if kind == "concurrency" and batch is not None else (kind, None)


def _number(run: Run, name: str) -> float | None:
    value = run.values.get(name)
    known = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) if known else None  # type: ignore[arg-type]


def _groups(runs: Sequence[Run]) -> dict[tuple[object, ...], list[Run]]:
    """Runs that differ in load alone; what is not named is told apart by its file."""
    lengths = length_groups(runs)
    found: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        model, machine = model_of(run), machine_of(run)
        unnamed = run.source_file if NOT_SAID in (model, machine) else ""
        said = (model, machine, engine_of(run), lengths[run.run_id])
        key: tuple[object, ...] = (*said, load_of(run)[0], run.source_format, unnamed,
               *(run.values.get(name) for name in _ALIKE))  # fmt: skip
        found.setdefault(key, []).append(run)
    return adopted(found)


def _named(
    groups: Mapping[tuple[object, ...], list[Run]], models: Mapping[str, Architecture], chips: Mapping[str, Chip]
) -> dict[str, list[Run]]:
    """The groups under names that differ: by format, then file, where model, machine, engine and lengths do not."""
    names = [_name(group[0], str(key[3]), models, chips) for key, group in groups.items()]
    formats = [str(group[0].values.get("weight_format") or "").upper() for group in groups.values()]
    files = [group[0].source_file for group in groups.values()]
    for more in (formats, files):
        often = Counter(names)
        names = [", ".join([name, *([add] * (often[name] > 1 and add != "" and add not in name))])
                 for name, add in zip(names, more, strict=True)]  # fmt: skip
    often, numbered = Counter(names), Counter[str]()
    named = {}
    for name, group in zip(names, groups.values(), strict=True):
        numbered[name] += 1
        named[f"{name}, set {numbered[name]}" if often[name] > 1 else name] = group
    return named


def _name(run: Run, lengths: str, models: Mapping[str, Architecture], chips: Mapping[str, Chip]) -> str:
    said = [each for each in (*names_of(run, models, chips), engine_of(run)) if each != NOT_SAID]
    file = [run.source_file] if len(said) < 2 else []
    return ", ".join([*said, *file, lengths_name(lengths), *(["all at once"] * (load_of(run)[0] == "offline"))])


def _column(runs: Sequence[Run], *names: str, size: float = 1.0) -> Floats:
    """The first of these fields each run states, SI; nan where it states none."""
    values = [next((v for name in names if (v := _number(run, name)) is not None), math.nan) for run in runs]
    return np.array(values) * size


def _sweep(
    name: str, group: Sequence[Run], able: Mapping[str, Measured], answers: Mapping[str, Mapping[str, Any]]
) -> Observation:
    runs = sorted(group, key=lambda run: load_of(run)[1] or math.inf)
    compared, ends = tuple(able.get(run.run_id) for run in runs), ends_of(runs)
    kind = load_of(runs[0])[0]
    load = np.array([load_of(run)[1] for run in runs], dtype=float)
    told = _modelled(runs, answers)
    measured, runs = tuple(runs), [without_figures(run) for run in runs]
    first, token = (_column(runs, f"{each}_mean_ms", f"{each}_p50_ms", size=MS) for each in ("ttft", "tpot"))
    answer = _column(runs, "osl_mean", "osl_nominal")
    e2e = _column(runs, "e2e_mean_ms", "e2e_p50_ms", size=MS)
    e2e = np.where(np.isnan(e2e), first + (answer - 1) * token, e2e)
    per_second = _column(runs, "request_rps")
    sweep = Sweep(
        kind=kind, load=load, output_rate=_column(runs, "output_tps"), tpot_s=token, ttft_s=first,
        e2e_s=e2e,
        tail_ratio=_tail(runs), in_flight=_in_flight(runs, per_second * e2e),
        delivered_fraction=per_second / _column(runs, "request_rate"), client_over_server=counted_apart(runs),
        **told, **ends,
    )  # fmt: skip
    return Observation(name=name, runs=measured, compared=compared, observed=sweep, findings=diagnose_sweep(sweep))


def _tail(runs: Sequence[Run]) -> Floats:
    """99th percentile of the gaps between tokens over the median one; of times per token where no gaps are stated."""
    gaps, tokens = (_column(runs, f"{each}_p99_ms") / _column(runs, f"{each}_p50_ms") for each in ("itl", "tpot"))
    ended_well = np.array([bool(run.values) for run in runs])
    return gaps if np.isfinite(gaps[ended_well]).all() else tokens


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
    all_runs = tuple(run for _, run in pairs)
    runs = [without_figures(run) for run in all_runs]
    seconds = np.array([(moment - pairs[0][0]).total_seconds() for moment, _ in pairs])
    series = Series(
        time_s=seconds, output_rate=_column(runs, "output_tps"), tpot_s=_column(runs, "tpot_mean_ms", size=MS),
        ttft_s=_column(runs, "ttft_mean_ms", size=MS), power_w=_column(runs, "power_w"),
        hit_fraction=_column(runs, "prefix_hit_rate"), **ends_of(all_runs),
    )  # fmt: skip
    compared = tuple(able.get(run.run_id) for run in all_runs)
    return Observation(name=name, runs=all_runs, compared=compared, observed=series, findings=diagnose_series(series))
