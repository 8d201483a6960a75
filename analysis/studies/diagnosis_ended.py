"""How uploaded runs ended: counts of failed requests, runs without figures, and what the model is asked of those."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analysis.diagnosis.observed import Series, Sweep
from analysis.diagnosis.outcomes import at_load
from analysis.sentences import list_words, runs_words
from analysis.studies.benchmark_cases import ENDED, Measured, comparable
from data.records import Architecture, Chip, Run

WORDS = {"oom": "out of memory", "failed": "no request completed", "invalid": "called invalid", "partial": "partial"}
GroupKey = tuple[object, ...]
LENGTHS, UNKNOWN = 3, "? in, ? out"  # place of the lengths in a group's key, and what stands there for none


def without_figures(run: Run) -> Run:
    """The run as speeds are read from it: nothing where it did not end well, whatever its file still holds."""
    return replace(run, values={}, native="{}") if run.outcome in ENDED else run


def _count(run: Run, name: str) -> float:
    value = run.values.get(name)
    known = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return float(value) if known else math.nan  # type: ignore[arg-type]


def sent_of(run: Run) -> float:
    """Requests sent: as stated, or those that were answered, failed or cut off; nan where that is not known."""
    stated = _count(run, "num_requests")
    parts = [_count(run, name) for name in ("completed", "failed", "incomplete")]
    added = parts[0] + sum(each for each in parts[1:] if math.isfinite(each))
    sent = stated if math.isfinite(stated) else added
    return sent if sent > 0 else math.nan


def ends_of(runs: Sequence[Run]) -> dict[str, Any]:
    """Outcome, requests sent, and the shares that failed or were cut off, one a run, as sweeps and series hold them."""
    sent = np.array([sent_of(run) for run in runs])
    failed, cut = (np.array([_count(run, name) for run in runs]) for name in ("failed", "incomplete"))
    whole = np.array([run.outcome == "failed" for run in runs])
    return {
        "outcomes": tuple(run.outcome for run in runs),
        "sent": sent,
        "failed_fraction": np.where(whole, 1.0, failed / sent),
        "cut_off_fraction": cut / sent,
    }


def outcome_words(run: Run) -> str:
    """How a run ended, for a table: "125 of 1,000 failed"; empty where it ended well."""
    sent = sent_of(run)
    counted = [
        f"{_count(run, name):,.0f} of {sent:,.0f} {word}"
        for name, word in (("failed", "failed"), ("incomplete", "cut off"))
        if _count(run, name) > 0 and math.isfinite(sent)
    ]
    return list_words(counted) if counted and run.outcome not in ENDED else WORDS.get(run.outcome, "")


def left_out_words(runs: Sequence[Run], observed: Sweep | Series) -> str:
    """Which runs count in no speed, and whose figures are those of some of their requests; empty where none is."""
    parts = []
    for outcome, words in WORDS.items():
        at = [place for place, run in enumerate(runs) if run.outcome == outcome]
        if at and outcome in ENDED:
            first = f"{'from ' if len(at) > 1 else ''}{at_load(observed, at[0])}".replace("from at ", "from ")
            parts.append(
                f"{runs_words(len(at))} {'counts' if len(at) == 1 else 'count'} in no speed ({words}, {first})."
            )
        elif at:
            parts.append(f"Figures of {runs_words(len(at))} are those of the requests that succeeded.")
    return " ".join(parts)


def asked_of_ended(
    runs: Sequence[Run], models: Mapping[str, Architecture], chips: Mapping[str, Chip]
) -> dict[str, Measured]:
    """Runs that did not end well as the engine is asked for them, by run: with one user and token where none is said.

    Their step time is nan: nothing of them was measured.
    """
    least = {"tpot_mean_ms": 1.0, "osl_nominal": 1.0, "concurrency": 1.0}
    ended = {run.run_id: run for run in runs if run.outcome in ENDED}
    opened = [
        replace(run, outcome="ok", values=least | {name: v for name, v in run.values.items() if v is not None})
        for run in ended.values()
    ]
    able = comparable(opened, models, chips)[0]
    return {one.run.run_id: replace(one, run=ended[one.run.run_id], step_s=math.nan) for one in able}


def adopted(found: Mapping[GroupKey, list[Run]]) -> dict[GroupKey, list[Run]]:
    """Groups in which runs that did not end, of lengths no file states, join the only group that is otherwise alike."""
    kept = dict(found)
    for key, group in found.items():
        if not str(key[LENGTHS]).startswith(UNKNOWN) or any(run.outcome not in ENDED for run in group):
            continue
        alike = [other for other in found if other != key and _but_lengths(other) == _but_lengths(key)]
        if len(alike) == 1:
            kept[alike[0]] = [*kept[alike[0]], *kept.pop(key)]
    return kept


def _but_lengths(key: GroupKey) -> GroupKey:
    return (*key[:LENGTHS], *key[LENGTHS + 1 :])
