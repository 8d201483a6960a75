"""Made-up sweeps and series of a sound machine whose runs or requests do not all end well, by a known onset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from analysis.diagnosis import Series, Sweep
from analysis.diagnosis.observed import Outcome
from tests.analysis.diagnosis.constructed import CASES, Server, loads, series_of, sweep_of

NOISE = 0.02
FIGURES = ("output_rate", "tpot_s", "ttft_s", "e2e_s", "tail_ratio", "in_flight", "client_over_server", "modelled_rate",
           "modelled_tpot_s", "high_tpot_s")  # fmt: skip


def sound(seed: int) -> Sweep:
    """Seven loads of a machine that still gains at the last, a thousand requests each, all answered."""
    rng = np.random.default_rng(seed)
    sweep = sweep_of(Server(fixed=rng.uniform(0.012, 0.03), slope=1e-5, prompt=0.004), loads(7), rng, NOISE)
    none = np.zeros(7)
    return replace(sweep, outcomes=("ok",) * 7, sent=none + 1000, failed_fraction=none, cut_off_fraction=none)


def onset(seed: int) -> int:
    """Place of the first run that does not end well: the third to the last."""
    return 2 + seed % 5


def _ended(seed: int, outcome: Outcome, share: float) -> Sweep:
    sweep, at = sound(seed), np.arange(7) >= onset(seed)
    gone = {name: np.where(at, np.nan, getattr(sweep, name)) for name in FIGURES}
    outcomes: tuple[Outcome, ...] = tuple(outcome if over else "ok" for over in at)
    return replace(sweep, outcomes=outcomes, failed_fraction=np.where(at, share, 0.0), **gone)  # type: ignore[arg-type]


def no_memory(seed: int) -> Sweep:
    """Loads beyond what the memory holds leave nothing but their names."""
    return _ended(seed, "oom", float("nan"))


def dead(seed: int) -> Sweep:
    """The server dies at some load and answers nothing from there on."""
    return _ended(seed, "failed", 1.0)


def not_counted(seed: int) -> Sweep:
    """The tool says of its own results that they do not count."""
    return _ended(seed, "invalid", float("nan"))


def impatient(seed: int) -> Sweep | Series:
    """Requests that wait too long are given up: 3 % at first, twice as many every doubling; or after a time."""
    if seed % 4 == 3:
        rng = np.random.default_rng(seed)
        share = np.where(np.arange(40) >= 25, 0.2, 0.0)
        outcomes: tuple[Outcome, ...] = tuple("partial" if each else "ok" for each in share)
        calm = series_of(rng, 40, NOISE)
        return replace(calm, failed_fraction=share, sent=np.full(40, 50.0), outcomes=outcomes)
    sweep, over = sound(seed), np.arange(7) - onset(seed)
    share = np.where(over >= 0, 0.03 * 2.0**over, 0.0)
    ends: tuple[Outcome, ...] = tuple("partial" if each else "ok" for each in share)
    return replace(sweep, outcomes=ends, failed_fraction=share)


def by_the_clock(seed: int) -> Sweep:
    """Every run stops with as many requests under way as it kept in flight, of ten times as many sent."""
    sweep = sound(seed)
    return replace(sweep, outcomes=("partial",) * 7, sent=10 * sweep.load, cut_off_fraction=np.full(7, 0.1))


ENDINGS: dict[str, Callable[[int], Sweep | Series]] = {
    "out_of_memory": no_memory, "runs_fail": dead, "requests_fail": impatient, "invalid": not_counted,
    "cut_off": by_the_clock,
}  # fmt: skip
ALL_CASES: dict[str, Callable[[int], Sweep | Series]] = {**ENDINGS, **CASES}
