"""What was measured: a sweep over rising load, or a series over time; nan where a figure is not known."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LoadKind = Literal["concurrency", "batch", "rate", "offline"]  # offline: all requests at once, no load to name
Outcome = Literal["ok", "partial", "failed", "oom", "invalid"]
_Observed = TypeVar("_Observed", "Sweep", "Series")


def _unknown() -> Floats:
    return np.empty(0)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Runs that differ in load alone, by rising load; arrays of equal length, left out where nothing is known.

    A run that did not end has its load, which may be nan, and no figures.

    load                    requests in flight asked for, sequences of a batch, or requests offered a second
    output_rate             generated tokens/s of the whole system
    tpot_s, ttft_s, e2e_s   means
    tail_ratio              99th percentile over median of the gaps between tokens
    in_flight               requests really in flight, mean
    delivered_fraction      requests answered over requests offered, at an arrival rate
    client_over_server      tokens that the client counted over those that the server counted
    modelled_rate, modelled_tpot_s, high_tpot_s   by the model, and the upper end of its 80 % interval
    room                    sequences whose cache has room at once, by the model
    outcomes                how each run ended; left out where all ended well
    sent                    requests sent
    failed_fraction, cut_off_fraction   of those; 1 where a run failed as a whole
    """

    kind: LoadKind
    load: Floats
    output_rate: Floats = field(default_factory=_unknown)
    tpot_s: Floats = field(default_factory=_unknown)
    ttft_s: Floats = field(default_factory=_unknown)
    e2e_s: Floats = field(default_factory=_unknown)
    tail_ratio: Floats = field(default_factory=_unknown)
    in_flight: Floats = field(default_factory=_unknown)
    delivered_fraction: Floats = field(default_factory=_unknown)
    client_over_server: Floats = field(default_factory=_unknown)
    modelled_rate: Floats = field(default_factory=_unknown)
    modelled_tpot_s: Floats = field(default_factory=_unknown)
    high_tpot_s: Floats = field(default_factory=_unknown)
    room: float = float("nan")
    outcomes: tuple[Outcome, ...] = ()
    sent: Floats = field(default_factory=_unknown)
    failed_fraction: Floats = field(default_factory=_unknown)
    cut_off_fraction: Floats = field(default_factory=_unknown)


@dataclass(frozen=True, kw_only=True)
class Series:
    """One load held over time, samples by rising time; arrays of equal length, left out where nothing is known.

    time_s          seconds since the first sample
    load            requests in flight
    preemptions     requests thrown out of the batch since the sample before
    cache_used_fraction  share of the KV cache in use
    hit_fraction    share of prompt tokens found in the prefix cache
    outcomes, sent, failed_fraction, cut_off_fraction   as of a sweep
    """

    time_s: Floats
    output_rate: Floats = field(default_factory=_unknown)
    tpot_s: Floats = field(default_factory=_unknown)
    ttft_s: Floats = field(default_factory=_unknown)
    load: Floats = field(default_factory=_unknown)
    power_w: Floats = field(default_factory=_unknown)
    clock_hz: Floats = field(default_factory=_unknown)
    cache_used_fraction: Floats = field(default_factory=_unknown)
    preemptions: Floats = field(default_factory=_unknown)
    hit_fraction: Floats = field(default_factory=_unknown)
    outcomes: tuple[Outcome, ...] = ()
    sent: Floats = field(default_factory=_unknown)
    failed_fraction: Floats = field(default_factory=_unknown)
    cut_off_fraction: Floats = field(default_factory=_unknown)


def filled(observed: _Observed) -> _Observed:
    """The same with nan in place of every array that was left out."""
    length = len(observed.load if isinstance(observed, Sweep) else observed.time_s)
    missing: dict[str, Any] = {
        each.name: np.full(length, np.nan)
        for each in fields(observed)
        if isinstance(getattr(observed, each.name), np.ndarray) and not len(getattr(observed, each.name))
    }
    return replace(observed, **missing)
