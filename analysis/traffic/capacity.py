"""How many replicas keep a promise under a load, what one less would mean, and the same followed request by request."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from analysis.models.capacity import replicas_for_rate
from analysis.models.streaming import transfer_time
from analysis.traffic.open_loop import Served, most_rate, prompts_at, served_at
from analysis.traffic.replica import NEXT_STEP, Replica
from analysis.traffic.requests import Goals, RequestMix
from analysis.traffic.simulate import Outcome, Routing, simulated_steady
from analysis.traffic.spread import Spread, uniform
from analysis.traffic.waiting import window_wait

HALVINGS = 7  # of the range of rates in which the largest that keeps the promise is sought
QUIET = 1e-4  # of the most a replica carries: a request that meets nobody
FOLLOWED = 1500  # requests of the check by simulation
MOST_FOLLOWED_REPLICAS = 4  # of a shared queue; more only share it better
MOST_REPLICAS = 100_000
RAISES = 4  # replicas added at most where the simulation asks for more than the law
HALF_RANGE = 3.0**-0.5  # variation of a wait spread evenly from nothing to twice its mean
GOAL_NAMES = ("ttft", "tpot", "e2e")


@dataclass(frozen=True, kw_only=True)
class Load:
    """What arrives and how it is run.

    routing         how requests find a replica
    together        sequences at once at most, whatever the memory holds
    window_prompts, window_s   a batch of prompts opens with its first and closes when full or when the time is over
    link_byte_per_s   between a machine that computes prompts and one that decodes
    """

    rate_per_s: float
    goals: Goals
    routing: Routing = "random"
    together: float = math.inf
    window_prompts: int = 1
    window_s: float = 0.0
    link_byte_per_s: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Sized:
    """Replicas for a load.

    replicas, prefill_replicas   0 of the second where prompts are computed by the same machines
    most_per_s    requests per second that one replica may be given under the promise
    served        what requests meet; with one replica down in `one_down`, None where the queue then never ends
    alone         what a request meets that meets nobody
    broken        the promise that not even `alone` keeps: "ttft", "tpot" or "e2e"; empty if replicas suffice
    outcome       the check by simulation, with `raised` replicas more than the law asked for
    """

    replica: Replica
    prefill: Replica | None = None
    replicas: int = 0
    prefill_replicas: int = 0
    most_per_s: float = math.nan
    served: Served | None = None
    one_down: Served | None = None
    alone: Served | None = None
    broken: str = ""
    outcome: Outcome | None = None
    raised: int = 0


def broken_goal(served: Served, goals: Goals) -> str:
    """The first promise that is not kept; empty if all are."""
    for name in GOAL_NAMES:
        spread: Spread = getattr(served, f"{name}_s")
        if spread.quantile(goals.share) > getattr(goals, f"{name}_s"):
            return name
    return ""


def served_by(replica: Replica, mix: RequestMix, load: Load, replicas: float, queues: int = 1) -> Served | None:
    """What requests meet at each of so many replicas; None where the queue never ends."""
    rate = load.rate_per_s / replicas
    found = served_at(replica, mix, rate, queues)
    return None if found is None else _after_window(found, load, rate)


def _after_window(served: Served, load: Load, rate_per_s: float) -> Served:
    """With the time that prompts wait for their batch to close, spread evenly round its mean."""
    mean, _ = window_wait(rate_per_s, load.window_prompts, load.window_s)
    if mean <= 0:
        return served
    wait = uniform(mean, HALF_RANGE)
    return replace(
        served, wait_s=served.wait_s.plus(wait), ttft_s=served.ttft_s.plus(wait), e2e_s=served.e2e_s.plus(wait)
    )


def sized(replica: Replica, mix: RequestMix, load: Load, *, check: bool = False) -> Sized:
    """Replicas that compute prompts and decode, for a load and its promises."""
    replica = replica.limited(load.together)
    alone = served_by(replica, mix, replace(load, rate_per_s=QUIET * most_rate(replica, mix)), 1.0)
    if alone is None:
        return Sized(replica=replica, broken="none")
    if broken := broken_goal(alone, load.goals):
        return Sized(replica=replica, alone=alone, broken=broken)
    queues, most = 1, _most(replica, mix, load, 1)
    if load.routing == "least busy":
        queues = _whole(load.rate_per_s, most)
        most = max(most, _most(replica, mix, load, queues))
    found = Sized(replica=replica, alone=alone, replicas=_whole(load.rate_per_s, most), most_per_s=most)
    return _with_outcome(found, mix, load) if check else _with_laws(found, mix, load)


def _whole(rate_per_s: float, most_per_s: float) -> int:
    return int(min(replicas_for_rate(rate_per_s, most_per_s), MOST_REPLICAS))


def _most(replica: Replica, mix: RequestMix, load: Load, queues: int) -> float:
    """The largest rate to one replica under which every promise is kept."""

    def keeps(rate: float) -> bool:
        served = served_by(replica, mix, replace(load, rate_per_s=rate), 1.0, queues)
        return served is not None and not broken_goal(served, load.goals)

    return _largest(keeps, most_rate(replica, mix))


def _largest(keeps: Callable[[float], bool], end: float) -> float:
    low, high = QUIET * end, end
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return low


def _with_laws(found: Sized, mix: RequestMix, load: Load) -> Sized:
    """What requests meet at the replicas found, and with one of them down."""
    count = found.replicas
    queues = count if load.routing == "least busy" else 1
    served = served_by(found.replica, mix, load, count, queues)
    down = served_by(found.replica, mix, load, count - 1, max(queues - 1, 1)) if count > 1 else None
    return replace(found, served=served, one_down=down)


def _with_outcome(found: Sized, mix: RequestMix, load: Load) -> Sized:
    """Followed request by request, with as many replicas more as that takes."""
    for raised in range(RAISES + 1):
        tried = _with_laws(replace(found, replicas=found.replicas + raised, raised=raised), mix, load)
        outcome = followed(tried, mix, load)
        tried = replace(tried, outcome=outcome)
        if outcome is None or outcome.meets(load.goals):
            break
    return tried


def followed(plan: Sized, mix: RequestMix, load: Load, requests: int = FOLLOWED) -> Outcome | None:
    """The plan's requests one by one; of a shared queue at most four replicas, of others one, for it stands for all."""
    if plan.served is None:
        return None
    shown = min(plan.replicas, MOST_FOLLOWED_REPLICAS) if load.routing == "least busy" else 1
    rate = load.rate_per_s / plan.replicas
    outcome = simulated_steady(
        plan.replica, mix, rate * shown, plan.served.sequences, replicas=shown, routing=load.routing, requests=requests
    )
    mean, _ = window_wait(rate, load.window_prompts, load.window_s)
    return outcome.later(np.linspace(0.0, 2.0 * mean, len(outcome.ttft_s))) if mean > 0 else outcome


def sized_apart(decode: Replica, prefill: Replica, mix: RequestMix, load: Load) -> Sized:
    """Replicas that decode, and others that compute the prompts for them and send the cache over."""
    decode = decode.limited(load.together).decoding_alone()
    alone = _apart(decode, prefill, mix, replace(load, rate_per_s=QUIET * most_rate(decode, mix)), (1, 1))
    if alone is None:
        return Sized(replica=decode, prefill=prefill, broken="none")
    if broken := broken_goal(alone, load.goals):
        return Sized(replica=decode, prefill=prefill, alone=alone, broken=broken)
    first = _fewest(lambda count: _prompts_kept(decode, prefill, mix, load, count), load, prefill, mix)

    def keeps(rate: float) -> bool:
        served = _apart(decode, prefill, mix, replace(load, rate_per_s=rate), (first, 1), load)
        return served is not None and not broken_goal(served, load.goals)

    most = _largest(keeps, most_rate(decode, mix))
    count = _whole(load.rate_per_s, most)
    served = _apart(decode, prefill, mix, load, (first, count))
    down = _apart(decode, prefill, mix, load, (first, count - 1)) if count > 1 else None
    return Sized(
        replica=decode, prefill=prefill, replicas=count, prefill_replicas=first, most_per_s=most, served=served,
        one_down=down, alone=alone,
    )  # fmt: skip


def _prompts_kept(decode: Replica, prefill: Replica, mix: RequestMix, load: Load, count: int) -> bool:
    """True if so many prefill replicas give the first token in time, whatever decodes."""
    served = _first_tokens(decode, prefill, mix, load, count)
    return served is not None and served[1].quantile(load.goals.share) <= load.goals.ttft_s


def _fewest(keeps: Callable[[int], bool], load: Load, prefill: Replica, mix: RequestMix) -> int:
    """The fewest prefill replicas that keep the promise of the first token."""
    hold = prefill.prompt_s(mix.prompts, mix.cached_fraction).mean / prefill.stages
    low = max(math.floor(load.rate_per_s * hold), 0)
    high = low + 1
    while not keeps(high) and high < MOST_REPLICAS:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return high


def _first_tokens(
    decode: Replica, prefill: Replica, mix: RequestMix, load: Load, count: int
) -> tuple[Spread, Spread, Spread] | None:
    """Wait, first token and prompt where `count` replicas with one queue compute the prompts."""
    prompts, waits = prompts_at(prefill, mix, load.rate_per_s / count, count)
    if waits is None or not prefill.computes_prompts:
        return None
    sent = float(transfer_time(decode.cache_byte_per_token, 1.0, load.link_byte_per_s))
    alone = prefill.prompt_s(mix.prompts, mix.cached_fraction)
    both = alone.mapped(prompts.values + sent * mix.prompts.values)
    later = prefill.front_s + NEXT_STEP * float(decode.steps_s[0])
    first = waits.plus(both)
    return waits, first.mapped(first.values + later), both


def _apart(
    decode: Replica, prefill: Replica, mix: RequestMix, load: Load, counts: tuple[int, int], all_of: Load | None = None
) -> Served | None:
    """What requests meet at prefill and decode replicas; `all_of` is the load of the prefill pool where it differs."""
    first = _first_tokens(decode, prefill, mix, all_of or load, counts[0])
    found = served_at(decode, mix, load.rate_per_s / counts[1])
    if first is None or found is None:
        return None
    waits, ttft, prompts = first
    return replace(
        found, wait_s=waits, prompt_s=prompts, ttft_s=ttft, e2e_s=ttft.plus(found.decoding_s), busy_share=0.0
    )
