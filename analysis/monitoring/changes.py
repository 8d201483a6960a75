"""Regressions: a series that has moved away from its baseline by more than noise explains.

A cumulative sum over the logarithm of the series, so that a shift is a share. Its limit is set for one false alarm in a
million scrapes were the baseline known exactly; with a baseline of 200 scrapes the four series together raise less
than one in 50,000, and a shift of 5 % under 3 % of noise is found within 20 scrapes in 97 cases of 100 (both shown by
simulation in the tests).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import trim_mean

from analysis.models.change import alarm_limit, correlated_noise, cumulative_sum, standardised
from analysis.monitoring.series import SIGNALS, Signal

Floats = NDArray[np.float64]
BASELINE_SCRAPES = 200  # 40 minutes at one every 12 s: the mean is then known to a fourteenth of the noise
LEAST_BASELINE = 30  # below, the noise itself is known to worse than 13 %
SHIFT = 0.05  # what is to be found
BETWEEN_FALSE_ALARMS = 1e6  # scrapes, for one series whose baseline is known exactly
LEAST_ALLOWANCE, MOST_ALLOWANCE = 0.25, 1.0  # of the noise: finer shifts cannot be told from an uncertain baseline
QUIET = 0.003  # noise below this share is taken as this: counters are rounded
SPREAD_OF_MEDIAN = 1.4826  # standard deviation of normal values per median absolute deviation
MOST_CORRELATION = 0.8
TRIMMED = 0.1  # share of the baseline left out at each end for its mean


@dataclass(frozen=True, kw_only=True)
class Watch:
    """One series against its baseline.

    level        geometric mean of the baseline, in the series' own unit
    noise        standard deviation of its logarithm, widened where values follow each other
    per_load     share by which the series changes per share of running requests, taken out of it; 0 if load stood still
    allowance    half the shift looked for, in units of the noise
    limit        evidence that raises an alarm
    settled      logarithms with the effect of the load taken out; nan where series or load was not observed
    evidence     the cumulative sum at every row; nan within the baseline
    """

    signal: Signal
    level: float
    noise: float
    per_load: float
    allowance: float
    baseline_rows: int
    limit: float
    settled: Floats = field(repr=False)
    evidence: Floats = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """A regression found.

    began, found   rows: where the sum last stood at zero, and where it passed the limit
    shift          how far the series lies from its baseline from then to the end, the load's effect taken out; a share
    scrapes        observations that it took to find
    """

    signal: Signal
    began: int
    found: int
    shift: float
    scrapes: int


def watched(table: pd.DataFrame, baseline_rows: int = BASELINE_SCRAPES) -> list[Watch]:
    """A watch for every signal with enough observations in the first `baseline_rows` rows."""
    found = [_watch(table, signal, baseline_rows) for signal in SIGNALS]
    return [each for each in found if each is not None]


def alarms(watches: Sequence[Watch]) -> list[Alarm]:
    """The first regression of every series that has one, in order of time."""
    found = [_alarm(watch) for watch in watches]
    return sorted((each for each in found if each is not None), key=lambda each: each.found)


def _logarithms(table: pd.DataFrame, signal: Signal) -> Floats:
    values = table[signal.key].to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values > 0, np.log(values), np.nan)


def _watch(table: pd.DataFrame, signal: Signal, rows: int) -> Watch | None:
    logs = _logarithms(table, signal)
    if np.isfinite(logs[:rows]).sum() < LEAST_BASELINE or len(logs) <= rows:
        return None
    load = np.log1p(table["running"].to_numpy(dtype=float))
    slope = _slope(load[:rows], logs[:rows])
    settled = logs - slope * (load - np.nanmean(load[:rows])) if slope else logs
    base = settled[:rows][np.isfinite(settled[:rows])]
    level = float(trim_mean(base, TRIMMED))
    noise = max(float(correlated_noise(_spread(base), _correlation(base - level))), QUIET)
    allowance = min(max(math.log1p(SHIFT) / noise / 2, LEAST_ALLOWANCE), MOST_ALLOWANCE)
    worse = 1.0 if signal.worse == "up" else -1.0
    return Watch(
        signal=signal,
        level=math.exp(level),
        noise=noise,
        per_load=slope,
        allowance=allowance,
        baseline_rows=rows,
        evidence=evidence_of(worse * np.asarray(standardised(settled, level, noise)), allowance, rows),
        limit=float(alarm_limit(allowance, BETWEEN_FALSE_ALARMS)),
        settled=settled,
    )


def evidence_of(distances: Floats, allowance: float | Floats, start: int) -> Floats:
    """The cumulative sum after each row from `start`; what was not observed leaves it as it is.

    distances   shape (rows,) or (rows, series); the allowance a number, or one for each series
    """
    evidence = np.full(distances.shape, np.nan)
    sums = np.zeros(distances.shape[1:])
    for row in range(start, len(distances)):
        new = np.asarray(cumulative_sum(sums, distances[row], allowance))
        sums = np.where(np.isnan(new), sums, new)
        evidence[row] = sums
    return evidence


def _spread(values: Floats) -> float:
    """Standard deviation, or the same from the median deviation where outliers make it larger."""
    robust = SPREAD_OF_MEDIAN * float(np.median(np.abs(values - np.median(values))))
    plain = float(values.std(ddof=1))
    return min(plain, 2 * robust) if robust > 0 else plain


def _correlation(values: Floats) -> float:
    """Correlation of each value with the one before, 0 unless it stands out from chance."""
    variance = float((values * values).sum())
    found = float((values[1:] * values[:-1]).sum()) / variance if variance > 0 else 0.0
    return min(found, MOST_CORRELATION) if found > 2 / math.sqrt(len(values)) else 0.0


def _slope(load: Floats, logs: Floats) -> float:
    """Change of the series per change of load, where the load is known and moved enough to tell; else 0."""
    known = np.isfinite(logs) & np.isfinite(load)
    if known.sum() < LEAST_BASELINE:
        return 0.0
    x, y = load[known] - load[known].mean(), logs[known] - logs[known].mean()
    moved = float((x * x).sum())
    if moved / len(x) < 0.1**2:  # the load moved by less than a tenth
        return 0.0
    slope = float((x * y).sum()) / moved
    error = float(np.sqrt(((y - slope * x) ** 2).sum() / max(len(x) - 2, 1) / moved))
    return slope if abs(slope) > 3 * error else 0.0


def _alarm(watch: Watch) -> Alarm | None:
    over = np.flatnonzero(watch.evidence > watch.limit)
    if not len(over):
        return None
    found = int(over[0])
    zero = np.flatnonzero(watch.evidence[:found] == 0)
    began = int(zero[-1]) + 1 if len(zero) else watch.baseline_rows
    seen = np.isfinite(watch.settled[began : found + 1])
    shift = math.exp(float(np.nanmean(watch.settled[began:])) - math.log(watch.level)) - 1
    return Alarm(signal=watch.signal, began=began, found=found, shift=shift, scrapes=int(seen.sum()))
