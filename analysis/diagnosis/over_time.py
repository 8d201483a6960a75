"""What a series over time shows: a level that drops and stays, a first token that gets faster, jumps, a full cache."""

from __future__ import annotations

import numpy as np

from analysis.diagnosis.finding import Finding
from analysis.diagnosis.observed import Floats, Series
from analysis.diagnosis.trends import Shift, series_noise, shift_of

FEWEST = 8  # samples from which a level before and one after can be told
PART = 0.15  # of the samples, the least on each side of a change
WARM_PART = 0.05  # a cache fills within the first prompts
SURE = 4.0  # standard errors of a change of level: the place of the change is picked as the best of many
DROP_LEAST = 0.07  # a throttled chip loses more than 7 %; ambient drift and boost clocks take less
CLOCKS_FALL = 0.03
FASTER_LEAST = 0.22  # a first token that gets a fifth faster
STEADY = 0.10  # change of the time per token that leaves decoding as it was
HITS_RISE = 0.05
JUMPY = 0.10  # scatter of samples from which a series is called unsteady: twice what healthy ones show
EXCURSIONS = 3  # separate departures from the level: one dip is an event, not a habit
FULL, NEARLY_ALWAYS = 0.90, 0.5  # share of the cache in use while requests are thrown out, and of those samples
OFTEN = 0.02  # share of samples with a request thrown out below which it is an accident


def _values(values: Floats) -> tuple[Floats, np.ndarray]:
    with np.errstate(invalid="ignore"):
        at = np.flatnonzero(values > 0)
    return np.log(values[at]), at


def _shift(values: Floats, part: float = PART) -> tuple[Shift, np.ndarray] | None:
    y, at = _values(values)
    if len(y) < FEWEST:
        return None
    return shift_of(y, max(3, int(np.ceil(part * len(y))))), at


def _change_at(values: Floats, split: int) -> float:
    """Relative change of another figure at the same moment; nan where it is not known."""
    before, after = values[:split], values[split:]
    if not (np.isfinite(before).any() and np.isfinite(after).any()):
        return float("nan")
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.log(np.nanmedian(after) / np.nanmedian(before)))


def throttling(series: Series) -> Finding | None:
    """Throughput that drops under an unchanged load and stays down; clocks that drop with it confirm it."""
    found = _shift(series.output_rate)
    if found is None:
        return None
    shift, at = found
    split = int(at[shift.at])
    least = max(DROP_LEAST, SURE * shift.error)
    clocks, load, token = (_change_at(each, split) for each in (series.clock_hz, series.load, series.tpot_s))
    y, _ = _values(series.output_rate)
    if -shift.change < least or clocks > -CLOCKS_FALL or load < shift.change / 2 or _returns(y, shift):
        return None
    if token < -shift.change / 2 or _is_preempted(series):
        return None
    before = float(np.exp(np.median(y[: shift.at])))
    also = f" The clocks fall by {100 * (1 - np.exp(clocks)):.0f} %." if np.isfinite(clocks) else ""
    return Finding(
        kind="throttling", quantity="output_rate", at=tuple(int(each) for each in at[shift.at :]),
        effect=-shift.change, least=least, noise=shift.noise, level=before,
        level_words="at first", confirmed=bool(np.isfinite(clocks)),
        brief=f"{100 * (1 - np.exp(shift.change)):.0f} % less after {series.time_s[split]:,.0f} s",
        words=f"After {series.time_s[split]:,.0f} s throughput is {100 * (1 - np.exp(shift.change)):.0f} % lower than "
        f"before and stays so.{also}",
    )  # fmt: skip


def _returns(y: Floats, shift: Shift) -> bool:
    """True if the end of the series is back where it was: a dip, not a drop that stays."""
    end = y[shift.at :][-max(3, (len(y) - shift.at) // 3) :]
    return bool(np.median(end) - np.median(y[: shift.at]) > shift.change / 2)


def prefix_warm_up(series: Series) -> Finding | None:
    """A time to first token that falls while decoding stays as it was: prompts are found in the cache."""
    found = _shift(series.ttft_s, WARM_PART)
    if found is None:
        return None
    shift, at = found
    split, least = int(at[shift.at]), max(FASTER_LEAST, SURE * shift.error)
    token, hits = abs(_change_at(series.tpot_s, split)), _rise(series.hit_fraction, split)
    load = _change_at(series.load, split)
    y, _ = _values(series.ttft_s)
    if -shift.change < least or token > STEADY or hits < HITS_RISE or load < shift.change / 2 or _returns(y, shift):
        return None
    before = float(np.exp(np.median(y[: shift.at])))
    also = (
        f" The share of prompt tokens found in the cache rises by {100 * hits:.0f} points." if np.isfinite(hits) else ""
    )
    return Finding(
        kind="prefix_warm_up", quantity="ttft_s", at=tuple(int(each) for each in at[: shift.at]), effect=-shift.change,
        least=least, noise=shift.noise, level=float(np.exp(np.median(y[shift.at :]))), level_words="later",
        confirmed=bool(np.isfinite(hits)),
        brief=f"first token {100 * (1 - np.exp(shift.change)):.0f} % sooner after {series.time_s[split]:,.0f} s",
        words=f"The first token takes {1e3 * before:,.3g} ms during the first {series.time_s[split]:,.0f} s and "
        f"{100 * (1 - np.exp(shift.change)):.0f} % less afterwards, while decoding is as before.{also}",
    )  # fmt: skip


def _rise(values: Floats, split: int) -> float:
    if not (np.isfinite(values[:split]).any() and np.isfinite(values[split:]).any()):
        return float("nan")
    return float(np.nanmedian(values[split:]) - np.nanmedian(values[:split]))


def _preempted(series: Series) -> np.ndarray:
    """Places of the samples in which requests were thrown out."""
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(series.preemptions > 0)


def _is_preempted(series: Series) -> bool:
    at = _preempted(series)
    if at.size < max(1.0, OFTEN * len(series.time_s)):
        return False
    use = series.cache_used_fraction[at]
    return not np.isfinite(use).any() or bool((use >= FULL).mean() >= NEARLY_ALWAYS)


def kv_preemption(series: Series) -> Finding | None:
    """Requests thrown out of the batch while the cache is full."""
    if not _is_preempted(series):
        return None
    at, count = _preempted(series), float(np.nansum(series.preemptions))
    use = series.cache_used_fraction[at]
    also = f" with {100 * np.nanmedian(use):.0f} % of the cache in use" if np.isfinite(use).any() else ""
    quantity = "cache_used_fraction" if np.isfinite(use).any() else "preemptions"
    return Finding(
        kind="kv_preemption", quantity=quantity, at=tuple(int(each) for each in at),
        effect=at.size / len(series.time_s), least=OFTEN, noise=float("nan"), confirmed=True,
        brief=f"{count:,.0f} requests",
        words=f"{count:,.0f} requests are thrown out and computed again, in {at.size} of {len(series.time_s)} samples"
        f"{also}.",
    )  # fmt: skip


def fluctuates(series: Series) -> Finding | None:
    """Throughput, or the time per token, that jumps about its level."""
    for name in ("output_rate", "tpot_s"):
        found = _shift(getattr(series, name))
        if found is None:
            continue
        shift, at = found
        y, _ = _values(getattr(series, name))
        level = np.where(np.arange(len(y)) < shift.at, np.median(y[: shift.at]), np.median(y[shift.at :]))
        scatter = float(np.std(y - level))
        if scatter < JUMPY:
            return None
        off = np.abs(y - level) > JUMPY
        if (np.diff(off.astype(int)) > 0).sum() + off[0] < EXCURSIONS:
            return None
        far = at[off]
        what = "Throughput" if name == "output_rate" else "The time per token"
        return Finding(
            kind="fluctuates", quantity=name, at=tuple(int(each) for each in far), effect=scatter, least=JUMPY,
            noise=series_noise(y), level=float(np.exp(np.median(y))), level_words="median",
            brief=f"{100 * scatter:.0f} % scatter under one load",
            words=f"{what} scatters by {100 * scatter:.0f} % (one standard deviation) under one load.",
        )  # fmt: skip
    return None
