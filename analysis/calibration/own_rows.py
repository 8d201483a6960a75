"""What a few measured runs of one's own are worth: the error that is left when they correct the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.folds import Errors
from analysis.calibration.runs import Runs
from analysis.engine.arrays import Floats

SHARED = 0.5  # of the variance within a group is one offset; the rest fades with the distance between loads
NOISE = 0.25  # variance that no other run tells, against the variance of an offset
DOUBLINGS = np.array([3.0, 3.0, 6.0, 2.0, 1.0])  # of sequences, prompt, output and tp, and whether experts are spread
DRAWS = 20


def errors_after(runs: Runs, predicted: Floats, count: int) -> Errors:
    """Errors of all clean runs when `count` other runs of the same group are known, drawn at random.

    predicted   by a fit that has seen nothing of the run's model   (rows,)
    """
    offsets = np.log(runs.tpot_s / predicted)
    where, generator = positions(runs), np.random.default_rng(0)
    found = []
    for name in np.unique(runs.group[runs.clean]):
        rows = np.flatnonzero(runs.clean & (runs.group == name))
        if rows.size > count:
            found.append(_group(offsets[rows], where[rows], count, generator))
    error = np.concatenate(found) * 100.0
    middle, high = np.percentile(error, [50, 90])
    rows_used = sum(each.size for each in found) // DRAWS
    return Errors(
        rows=rows_used, mape_percent=float(error.mean()), median_percent=float(middle), p90_percent=float(high)
    )


def positions(runs: Runs) -> Floats:
    """Where a run stands among the loads of its group, in doublings. (rows, 5)"""
    inputs, plan = runs.loads.marked.inputs, runs.loads.plan
    columns = [np.log2(each) for each in (inputs.concurrency, inputs.input_tokens, inputs.output_tokens, plan.tp)]
    return np.stack([*columns, (inputs.ep > 1).astype(float)], axis=1)


def _group(offsets: Floats, where: Floats, count: int, generator: np.random.Generator) -> Floats:
    """Relative errors of every run of a group, each corrected by `count` others, DRAWS times. (rows * DRAWS,)"""
    apart = np.sqrt((((where[:, None] - where[None]) / DOUBLINGS) ** 2).sum(axis=-1))
    alike = SHARED + (1.0 - SHARED) * np.exp(-apart)
    errors = np.empty((offsets.size, DRAWS))
    for at in range(offsets.size):
        others = np.delete(np.arange(offsets.size), at)
        for draw in range(DRAWS):
            known = generator.choice(others, count, replace=False)
            errors[at, draw] = offsets[at] - _told(alike, offsets, at, known)
    return np.abs(np.exp(-errors) - 1.0).ravel()


def _told(alike: Floats, offsets: Floats, at: int, known: NDArray[np.int64]) -> float:
    """Offset of one run that others tell: their mean, weighted by likeness and drawn to zero by the noise."""
    among = alike[np.ix_(known, known)] + NOISE * np.eye(known.size)
    return float(alike[at, known] @ np.linalg.solve(among, offsets[known]))
