"""How far each free parameter moves when whole groups of runs are drawn again: bootstrap over model and GPU."""

from __future__ import annotations

import numpy as np

from analysis.calibration.fit import Space, fitted
from analysis.calibration.runs import Runs

TAILS = (10, 90)


def bootstrap(space: Space, runs: Runs, times: int) -> dict[str, tuple[float, float]]:
    """10-90 % range of each free parameter; empty for no draws. Deterministic."""
    rows = np.flatnonzero(runs.clean)
    seen = runs.rows(rows)
    clusters = np.char.add(np.char.add(seen.labels["model"], " "), seen.labels["GPU"])
    names, place = np.unique(clusters, return_inverse=True)
    generator = np.random.default_rng(0)
    found = []
    for _ in range(times):
        drawn = np.bincount(generator.integers(0, names.size, names.size), minlength=names.size)
        weight = drawn[place].astype(float)
        kept = np.flatnonzero(weight > 0)
        serving = fitted(space, seen.rows(kept), weight=weight[kept])
        found.append([getattr(serving, name) for name in space.names])
    if not found:
        return {}
    low, high = np.percentile(np.array(found), TAILS, axis=0)
    return {name: (float(low[at]), float(high[at])) for at, name in enumerate(space.names)}
