"""The whole calibration: every regime fitted to the shipped runs, errors with parts left out, intervals, ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analysis.calibration.fit import FREE, Space, fitted, space_of
from analysis.calibration.folds import Predicted, left_out, predicted
from analysis.calibration.outcomes import Goal, Outcome, Texts
from analysis.calibration.own_rows import errors_after
from analysis.calibration.ranges import bootstrap
from analysis.calibration.runs import Runs, serving_runs
from analysis.calibration.single_streams import stream_outcomes, wafer_outcomes
from analysis.calibration.trials import LOW_BATCH_FREE, OFFLINE_FREE, STEP, Trial, low_batch_trial, offline_trial
from analysis.calibration.unseen import unseen_outcomes
from analysis.parameters import Parameters, Serving, starting_parameters

SPLITS = ("model", "GPU", "GPU family", "engine")
GOALS: Mapping[str, Mapping[str, Goal]] = {
    "tpot_s": {"model": (13.0, 10.5), "GPU": (14.0, 11.3), "GPU family": (15.5, 12.0)},
    "e2e_s": {"model": (13.3, 10.8)},
    "ttft_s": {"model": (45.0, 33.0)},
}
OFFLINE_GOAL: Goal = (18.0, 13.0)
LOW_BATCH_GOAL: Goal = (20.0, 15.0)
SHORT = {"tpot_s": "tpot", "ttft_s": "ttft", "e2e_s": "e2e", "output_tokens_per_s": "rate"}


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Fitted parameters, what they predict, and how far free ones may move.

    values   new value of each fitted parameter by file and name
    ranges   10-90 % bootstrap range by name, serving only
    """

    parameters: Parameters
    values: Mapping[str, Mapping[str, float]]
    outcomes: tuple[Outcome, ...]
    ranges: Mapping[str, tuple[float, float]]


def calibrate(draws: int = 0) -> Calibration:
    """Everything refitted from the shipped runs, each regime after the one it builds on.

    draws   bootstrap draws for the ranges; 0 for none
    """
    start = starting_parameters()
    runs, space = serving_runs(start), space_of(FREE, start)
    serving = fitted(space, runs.rows(np.flatnonzero(runs.clean)))
    offline = offline_trial(start, space_of(OFFLINE_FREE, start))
    few = low_batch_trial(start, space_of(LOW_BATCH_FREE, start))
    whole = few.fitted(offline.fitted(serving))
    believed = replace(start, serving=whole)
    stream_values, streams = stream_outcomes(believed)
    outcomes = (
        *serving_outcomes(runs, space, serving),
        trial_outcome(offline, serving, "TensorRT-LLM offline", "offline", "model", OFFLINE_GOAL),
        trial_outcome(few, whole, "datacentre GPUs, batch 1 to 4", "low batch", "source", LOW_BATCH_GOAL),
        *streams,
        *wafer_outcomes(believed),
        *unseen_outcomes(believed),
    )
    names = (*FREE, *OFFLINE_FREE, *LOW_BATCH_FREE)
    values = {"gpu-serving": {name: float(getattr(whole, name)) for name in names}, "streamed-layers": stream_values}
    return Calibration(
        parameters=believed, values=values, outcomes=outcomes, ranges=bootstrap(space, runs, draws) if draws else {}
    )


def serving_outcomes(runs: Runs, space: Space, serving: Serving) -> list[Outcome]:
    """The serving table: time per token, request time and time to first token, each split left out."""
    inside = predicted(runs, serving)
    outside = {name: left_out(space, runs, runs.labels[name]) for name in SPLITS}
    return [_serving(runs, quantity, inside, outside) for quantity in ("tpot_s", "e2e_s", "ttft_s")]


def _serving(runs: Runs, quantity: str, inside: Predicted, outside: Mapping[str, Predicted]) -> Outcome:
    away = {name: getattr(each, quantity) for name, each in outside.items()}
    own = {count: errors_after(runs, away["model"], count) for count in (1, 3)} if quantity == "tpot_s" else {}
    return Outcome(
        group="serving",
        regime="serving",
        key="serving",
        quantity=quantity,
        short=SHORT[quantity],
        ids=runs.ids,
        models=runs.labels["model"],
        hardware=runs.labels["GPU"],
        engine=runs.labels["engine"],
        measured=getattr(runs, quantity),
        in_sample=getattr(inside, quantity),
        left_out=away,
        part=runs.labels["model"],
        offset=runs.group,
        clean=runs.clean,
        goals=GOALS[quantity],
        own_rows=own,
    )


def trial_outcome(trial: Trial, serving: Serving, group: str, regime: str, by: str, goal: Goal) -> Outcome:
    """One regime of the kernel-by-kernel form."""
    rows = trial.rows
    chips: Texts = rows.label(lambda case: case.chip.key)
    models: Texts = rows.label(lambda case: case.architecture.key)
    aside = len(rows.refused)
    return Outcome(
        group=group,
        regime=regime,
        key=regime.replace(" ", "_"),
        quantity=trial.quantity,
        short=SHORT[trial.quantity],
        ids=rows.ids,
        models=models,
        hardware=chips,
        engine=rows.engine,
        measured=trial.values,
        in_sample=trial.predicted(trial.fitted(serving)),
        left_out={by: trial.left_out(serving)},
        part=trial.part,
        offset=np.char.add(np.char.add(models, " "), chips) if trial.quantity == STEP else models,
        clean=np.ones(len(rows.ids), dtype=bool),
        goals={by: goal},
        note=f"{aside} rows without an answer: the chip's memory is not stated" if aside else "",
    )
