"""What a sweep shows by its shape: throughput that falls, jumps about, lies below the model, or stops growing."""

from __future__ import annotations

import numpy as np

from analysis.diagnosis.finding import Finding
from analysis.diagnosis.observed import Floats, Sweep
from analysis.diagnosis.trends import Slope, flat_end, levels, noise_of, slope_from

FALL_LEAST, FALL_NOISE = (
    0.07,
    4.0,
)  # a fall beyond 7 % and beyond four times the scatter: the peak is picked as a maximum
FLAT = 0.15  # elasticity: a doubling of load that brings less than a tenth more (2 ** 0.15 = 1.11)
FLAT_AT_MOST = 0.40  # the slope plus twice its error stays below what healthy sweeps end with
MODEL_GROWS = 0.25  # how much steeper the model's own curve must be for a flat end to count
WAITS = 0.60  # elasticity of latency from which requests queue: by Little's law it is 1 where throughput stands still
DELIVERED, KEPT_UP = 0.90, 0.93  # answered over offered: where it is short of the offer, and where it still kept up
SLOW_LEAST = 0.22  # logarithm; 25 % slower than the model at the median of the sweep
MOSTLY = 0.80  # share of points above the model's interval: one in ten lies above it by its making
JUMPY = 0.10  # scatter from which a sweep is called unsteady: twice what healthy ones show
JUMPY_DOWN = 0.12  # a dip below the line of its neighbours, which no saturating curve has
FEWEST_REPEATS = 4  # repeats beyond one for each load
FEWEST_LOADS = 6  # of a sweep that is to tell scatter from shape


def known(x: Floats, y: Floats) -> tuple[Floats, Floats, np.ndarray]:
    """Logarithms of the points where both are positive numbers, and their places."""
    with np.errstate(invalid="ignore"):
        at = np.flatnonzero((x > 0) & (y > 0))
    return np.log(x[at]), np.log(y[at]), at


def falls_with_load(sweep: Sweep) -> Finding | None:
    """Throughput that is lower at the highest load than at some load before it."""
    x, y, at = known(sweep.load, sweep.output_rate)
    if len(np.unique(x)) < 3:
        return None
    noise = noise_of(x, y)
    x, y = levels(x, y)
    peak = int(np.argmax(y[:-1]))
    fall, least = float(y[peak] - y[-1]), max(FALL_LEAST, FALL_NOISE * noise)
    if fall < least:
        return None
    top = float(np.exp(y[peak]))
    lost = 1 - np.exp(-fall)
    return Finding(
        kind="falls_with_load", quantity="output_rate", at=_places(sweep, at, np.exp(x[peak])), effect=fall,
        least=least, noise=noise, level=top, level_words=f"peak at {np.exp(x[peak]):,.3g}",
        brief=f"{100 * lost:.0f} % less throughput at {np.exp(x[-1]):,.3g} than at {np.exp(x[peak]):,.3g}",
        words=f"Throughput peaks at a load of {np.exp(x[peak]):,.3g} and is {100 * lost:.0f} % lower at "
        f"{np.exp(x[-1]):,.3g}.",
    )  # fmt: skip


def _places(sweep: Sweep, at: np.ndarray, above: float) -> tuple[int, ...]:
    return tuple(int(each) for each in at if sweep.load[each] > above * (1 + 1e-9))


def saturates(sweep: Sweep) -> Finding | None:
    """Throughput that stops growing with load although the model's grows, or, without a model, while requests queue."""
    if sweep.kind == "rate":
        return _falls_behind(sweep)
    x, y, at = known(sweep.load, sweep.output_rate)
    if len(np.unique(x)) < 3:
        return None
    noise = noise_of(x, y)
    x, y = levels(x, y)
    flat = flat_end(x, y, noise, FLAT)
    if flat is None or flat.value + 2 * flat.error > FLAT_AT_MOST or not _counts(sweep, flat, x):
        return None
    start = float(np.exp(x[flat.first]))
    more = float(np.exp(y[-1] - y[flat.first]) - 1)
    return Finding(
        kind="saturates", quantity="output_rate", at=_places(sweep, at, start / 1.001),
        effect=float(np.log2(flat.span)), least=1.0, noise=noise, level=float(np.exp(y[flat.first])),
        level_words=f"reached at {start:,.3g}",
        brief=f"{100 * more:+.0f} % throughput from a load of {start:,.3g} to {np.exp(x[-1]):,.3g}",
        words=f"From a load of {start:,.3g} to {np.exp(x[-1]):,.3g}, {flat.span:.3g} times as much, throughput changes "
        f"by {100 * more:+.0f} %.", confirmed=bool(np.isfinite(sweep.modelled_rate).sum() >= 3),
    )  # fmt: skip


def _counts(sweep: Sweep, flat: Slope, x: Floats) -> bool:
    """Whether a flat end is more than the model expects; without a model, whether latency grows with load instead."""
    modelled_x, modelled_y, _ = known(sweep.load, sweep.modelled_rate)
    if len(modelled_x) >= 3:
        modelled_x, modelled_y = levels(modelled_x, modelled_y)
        first = int(np.searchsorted(modelled_x, x[flat.first] - 1e-9))
        if first < len(modelled_x) - 1:
            return slope_from(modelled_x, modelled_y, first, 0.0).value - flat.value > MODEL_GROWS
    return latency_slope(sweep, float(x[flat.first])) >= WAITS


def latency_slope(sweep: Sweep, start: float) -> float:
    """Elasticity of request time over load from a load (its logarithm) on; of TTFT or TPOT where that is not stated."""
    for values in (sweep.e2e_s, sweep.ttft_s, sweep.tpot_s):
        x, y, _ = known(sweep.load, values)
        x, y = levels(x, y) if len(x) else (x, y)
        first = int(np.searchsorted(x, start - 1e-9))
        if len(x) - first >= 2:
            return slope_from(x, y, first, 0.0).value
    return float("nan")


def _falls_behind(sweep: Sweep) -> Finding | None:
    """Offered requests that are no longer answered as fast as they come."""
    share = sweep.delivered_fraction
    late = np.flatnonzero(share < DELIVERED)
    kept = np.flatnonzero(share >= KEPT_UP)
    if not late.size or not kept.size or sweep.load[late].max() < sweep.load[np.isfinite(share)].max() * (1 - 1e-9):
        return None
    behind = 1 - float(share[late[-1]])
    return Finding(
        kind="saturates", quantity="output_rate", at=tuple(int(each) for each in late), effect=behind,
        least=1 - DELIVERED, noise=float("nan"), level=float(sweep.output_rate[kept[-1]]),
        level_words="kept up until here",
        brief=f"{100 * (1 - behind):.0f} % of {sweep.load[late[-1]]:,.3g} requests a second are answered",
        words=f"At {sweep.load[late[-1]]:,.3g} requests offered a second only {100 * (1 - behind):.0f} % are answered "
        f"in that time; {sweep.load[kept[-1]]:,.3g} a second were still kept up with.",
    )  # fmt: skip


def below_peak(sweep: Sweep) -> Finding | None:
    """Time per token above the model's interval at nearly every load, the lowest included."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.log(sweep.tpot_s / sweep.modelled_tpot_s)
        above = sweep.tpot_s > sweep.high_tpot_s
    at = np.flatnonzero(np.isfinite(ratio) & np.isfinite(sweep.high_tpot_s))
    if at.size < 2 or above[at].mean() < MOSTLY or not above[at[0]]:
        return None
    middle = float(np.median(ratio[at]))
    if middle < SLOW_LEAST:
        return None
    noise = noise_of(np.log(sweep.load[at]), ratio[at])
    return Finding(
        kind="below_peak", quantity="tpot_s", at=tuple(int(each) for each in at[above[at]]), effect=middle,
        least=SLOW_LEAST, noise=noise,
        brief=f"{np.exp(middle):.2f} times the model's time a token",
        words=f"Each token takes {np.exp(middle):.2f} times what the model says at the median, and more than "
        f"its 80 % interval at {int(above[at].sum())} of {at.size} loads, the lowest among them.",
    )  # fmt: skip


def fluctuates(sweep: Sweep) -> Finding | None:
    """Repeats of one load that differ, or throughput that jumps up and down along a sweep."""
    x, y, at = known(sweep.load, sweep.output_rate)
    if len(x) < 3:
        return None
    once, place, count = np.unique(x, return_inverse=True, return_counts=True)
    spare = len(x) - len(once)
    if spare >= FEWEST_REPEATS:
        apart = y - (np.bincount(place, weights=y) / count)[place]
        scatter = float(np.sqrt((apart**2).sum() / spare))
        far = at[(np.abs(apart) > JUMPY / 2) & (count[place] > 1)]
        words = f"Repeats of one load differ by {100 * scatter:.0f} % (one standard deviation)."
        return None if scatter < JUMPY else _unsteady(scatter, far, words)
    return _zigzag(*levels(x, y), at)


def _zigzag(x: Floats, y: Floats, at: np.ndarray) -> Finding | None:
    if len(x) < FEWEST_LOADS or len(x) != len(at):
        return None
    weight = (x[2:] - x[1:-1]) / (x[2:] - x[:-2])
    apart = y[1:-1] - (weight * y[:-2] + (1 - weight) * y[2:])
    scatter = noise_of(x, y)
    if scatter < JUMPY or apart.min() > -JUMPY_DOWN or apart.max() < JUMPY_DOWN:
        return None
    far = at[1:-1][np.abs(apart) > JUMPY_DOWN]
    words = f"Throughput jumps up and down between neighbouring loads, {100 * scatter:.0f} % about a smooth curve."
    return _unsteady(scatter, far, words)


def _unsteady(scatter: float, far: np.ndarray, words: str) -> Finding:
    places = tuple(int(each) for each in far)
    return Finding(kind="fluctuates", quantity="output_rate", at=places, effect=scatter, least=JUMPY, noise=scatter,
                   brief=f"{100 * scatter:.0f} % scatter of throughput", words=words)  # fmt: skip
