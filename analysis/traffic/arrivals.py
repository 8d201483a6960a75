"""Replicas for arrivals as they were recorded: found by following the requests, since no law knows their bursts."""

from __future__ import annotations

import math
from dataclasses import replace

from analysis.traffic.capacity import MOST_REPLICAS, Load, Sized, sized
from analysis.traffic.open_loop import Served, most_rate
from analysis.traffic.replica import Replica
from analysis.traffic.requests import RequestMix
from analysis.traffic.simulate import Outcome, simulated
from analysis.traffic.spread import Floats, seen


def mean_rate(arrivals_s: Floats) -> float:
    """Requests per second from the first arrival to the last. [1/s]"""
    span = float(arrivals_s[-1] - arrivals_s[0])
    return (len(arrivals_s) - 1) / span if span > 0 else math.inf


def sized_for(replica: Replica, mix: RequestMix, load: Load, arrivals_s: Floats) -> Sized:
    """The fewest replicas that keep every promise for these arrivals, and what the requests meet at them.

    The replicas are empty before the first request; every request counts.
    """
    first = sized(replica, mix, load)
    if first.broken:
        return first
    low = max(math.ceil(load.rate_per_s / most_rate(first.replica, mix)) - 1, 0)
    high = max(first.replicas, low + 1)
    found = simulated(first.replica, mix, arrivals_s, high, load.routing)
    while not found.meets(load.goals) and high < min(len(arrivals_s), MOST_REPLICAS):
        low, high = high, 2 * high
        found = simulated(first.replica, mix, arrivals_s, high, load.routing)
    while high - low > 1:
        middle = (low + high) // 2
        tried = simulated(first.replica, mix, arrivals_s, middle, load.routing)
        low, high, found = (low, middle, tried) if tried.meets(load.goals) else (middle, high, found)
    down = simulated(first.replica, mix, arrivals_s, high - 1, load.routing) if high > 1 else None
    met = served_of(found, first)
    return replace(
        first, replicas=high, outcome=found, served=met, one_down=None if down is None else served_of(down, first)
    )


def served_of(outcome: Outcome, plan: Sized) -> Served:
    """What was met, in the form that the laws have."""
    prompt = plan.served.prompt_s if plan.served is not None else seen([0.0])
    spreads = {name: seen(getattr(outcome, name).tolist()) for name in ("wait_s", "ttft_s", "tpot_s", "e2e_s")}
    decoding = seen((outcome.e2e_s - outcome.ttft_s).tolist())
    return Served(busy_share=math.nan, sequences=math.nan, prompt_s=prompt, decoding_s=decoding, **spreads)
