"""Percentiles of a replica that requests reach at random: waiting, first token, time per token, end to end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from analysis.models.queueing import busy_share_of, interrupted_step
from analysis.traffic.replica import Replica
from analysis.traffic.requests import RequestMix
from analysis.traffic.spread import Floats, Spread, fixed, weighted
from analysis.traffic.waiting import wait_spread

QUEUED = 4096  # requests beyond a full replica that the law of its population counts
CROWD_POINTS = 31  # equal shares that stand for the population and for the prompts met meanwhile
NEVER = 1e-6  # a share too small to show in a percentile
LEAST_SHAPE = 1e-2  # of a gamma law, below which nearly nobody meets a prompt


@dataclass(frozen=True, kw_only=True)
class Served:
    """What requests meet at one replica.

    busy_share    share of the time in which a prompt is being computed
    sequences     mean number of sequences decoding
    wait_s        before the prompt is begun
    prompt_s, ttft_s, tpot_s, decoding_s, e2e_s   each over all requests
    """

    busy_share: float
    sequences: float
    wait_s: Spread
    prompt_s: Spread
    ttft_s: Spread
    tpot_s: Spread
    decoding_s: Spread
    e2e_s: Spread


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """How many requests decode or wait for room, as a law.

    full_share      requests that find no room, and `room_wait_s` how long they wait for it
    decoding_share  part of the requests inside that decode; on a wafer prompts under way are inside too
    """

    counts: Floats
    shares: Floats
    full_share: float
    room_wait_s: float
    decoding_share: float

    @property
    def mean(self) -> float:
        """Mean number of requests."""
        return float(self.counts @ self.shares)


def most_rate(replica: Replica, mix: RequestMix) -> float:
    """Requests per second that one replica can carry for ever; its queue grows without end from there on. [1/s]"""
    prompt = replica.prompt_s(mix.prompts, mix.cached_fraction).mean
    hold, room, generated = prompt / replica.stages, max(replica.room, 1.0), mix.output_tokens.mean
    decoding = generated * float(replica.step_s(room))
    if not replica.layer_s:
        rate = 1.0 / (decoding / room + replica.delaying_share * hold)
        return float(min(rate, 1.0 / hold) if hold > 0 else rate)
    # A wafer: prompts and tokens share its regions, and prompts under way take room as well. With b the busy share:
    # (b / hold) x (decoding + prompt / (1 - b)) = room, the smaller root.
    shared = 1.0 / (hold + generated * replica.layer_s)
    middle = decoding + prompt + room * hold
    root = middle - np.sqrt(max(middle**2 - 4.0 * decoding * room * hold, 0.0))
    full = root / (2.0 * decoding * hold) if hold > 0 else room / decoding
    return float(min(shared, full))


def served_at(replica: Replica, mix: RequestMix, rate_per_s: float, queues: int = 1) -> Served | None:
    """Percentiles at so many requests per second to this replica; None where the queue grows without end.

    queues   replicas that share one queue, each of which takes this rate
    """
    if not replica.computes_prompts or replica.room < 1 or rate_per_s >= most_rate(replica, mix):
        return None
    prompts, waits = prompts_at(replica, mix, rate_per_s, queues)
    if waits is None:
        return None
    alone = replica.prompt_s(mix.prompts, mix.cached_fraction)
    holds = alone.mapped(alone.values / replica.stages)
    stalls = stalls_at(replica, rate_per_s, holds, waits)
    crowd = crowd_at(replica, mix, rate_per_s, stalls, prompts.mean if replica.layer_s else 0.0)
    step = float(replica.step_s(max(crowd.mean, 1.0))) * min(crowd.mean, 1.0)
    wait = waits.plus(_room_wait(crowd)) if crowd.full_share > NEVER else waits
    first = wait.plus(prompts)
    ttft = first.mapped(first.values + replica.front_s + replica.first_steps * step)
    tpot, decoding = _decoding(replica, mix, stalls, crowd)
    return Served(
        busy_share=stalls.busy_share, sequences=rate_per_s * decoding.mean, wait_s=wait, prompt_s=prompts,
        ttft_s=ttft, tpot_s=tpot, decoding_s=decoding, e2e_s=ttft.plus(decoding),
    )  # fmt: skip


def prompts_at(replica: Replica, mix: RequestMix, rate_per_s: float, queues: int = 1) -> tuple[Spread, Spread | None]:
    """Time of a prompt and the wait before it, None where the queue never ends; `queues` replicas share one queue.

    The regions of a wafer take turns between all prompts under way, so that none waits and each takes
    1 / (1 - busy) as long (M/G/1 with processor sharing; Kleinrock 1976, "Queueing Systems" volume 2, section 4.4).
    """
    alone = replica.prompt_s(mix.prompts, mix.cached_fraction)
    holds = alone.mapped(alone.values / replica.stages)
    if not replica.layer_s:
        return alone, wait_spread(holds, queues * rate_per_s, queues)
    busy = float(busy_share_of(rate_per_s, holds.mean))
    if busy >= 1.0:
        return alone, None
    return alone.mapped(alone.values / (1.0 - busy)), fixed(0.0)


@dataclass(frozen=True, kw_only=True)
class Stalls:
    """What prompts do to decoding: they stop it for `share` of the time, a request also for those queued before it.

    first_s    mean time that prompts already waiting take from a request at its beginning
    noise      how far the population swings beyond that of evenly shared service, as a variance ratio
    size_s     variance of the time taken over its mean
    """

    busy_share: float
    share: float
    first_s: float
    noise: float
    size_s: float


def stalls_at(replica: Replica, rate_per_s: float, holds: Spread, waits: Spread) -> Stalls:
    """Delay cycles of M/G/1: a stop lasts for the prompts that arrive during it as well.

    Source: Conway, Maxwell, Miller (1967), "Theory of Scheduling", delay cycles; the noise is a linear estimate.
    """
    delaying, busy = replica.delaying_share, float(busy_share_of(rate_per_s, holds.mean))
    share = delaying * busy
    left = 1.0 - share
    queued = rate_per_s * (waits.mean + holds.mean)
    noise = 1.0 + share / left + (rate_per_s * delaying / left) ** 2 * holds.second_moment / 2.0
    size = delaying * holds.second_moment / holds.mean / left**2 if holds.mean > 0 else 0.0
    return Stalls(
        busy_share=busy, share=share, first_s=delaying * queued * holds.mean / left if share else 0.0,
        noise=noise if share else 1.0, size_s=size,
    )  # fmt: skip


def crowd_at(replica: Replica, mix: RequestMix, rate_per_s: float, stalls: Stalls, inside_s: float = 0.0) -> Crowd:
    """Law of the number of requests past their first token, or waiting for room to get there.

    inside_s   time in which a request has room without decoding yet

    All sequences share the machine evenly, so the law depends on the mean length of an answer alone:
    P(n) / P(n - 1) = rate x generated x step(n) / n up to the room, constant beyond it.
    Source: Cohen (1979), Acta Informatica 12, 245-284 (generalised processor sharing).
    """
    room, generated = max(int(replica.room), 1), mix.output_tokens.mean
    counts = np.arange(0.0, room + QUEUED)
    inside = np.clip(counts[1:], 1.0, room)
    tpot = interrupted_step(replica.step_s(inside), 1.0, stalls.share) + stalls.first_s / generated
    logs = np.concatenate([[0.0], np.cumsum(np.log(rate_per_s * (generated * tpot + inside_s) / inside))])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    over = counts >= room
    full = float(shares[over].sum())
    waiting = float((counts[over] - room) @ shares[over])
    return Crowd(
        counts=np.minimum(counts, room),
        shares=shares,
        full_share=full,
        room_wait_s=waiting / rate_per_s / full if full > NEVER else 0.0,
        decoding_share=float(1.0 / (1.0 + inside_s / (generated * tpot[0]))),
    )


def _room_wait(crowd: Crowd) -> Spread:
    """Time until there is room, exponential for those who find none."""
    shares = (np.arange(CROWD_POINTS) + 0.5) / CROWD_POINTS
    times = -crowd.room_wait_s * np.log1p(-shares)
    held = np.full(CROWD_POINTS, crowd.full_share / CROWD_POINTS)
    return weighted(np.concatenate([[0.0], times]), np.concatenate([[1.0 - crowd.full_share], held]))


def _decoding(replica: Replica, mix: RequestMix, stalls: Stalls, crowd: Crowd) -> tuple[Spread, Spread]:
    """Time per token and decoding time over all requests: long answers see the mean, short ones the moment.

    Whoever meets a crowd is taken to meet many prompts too, for both come with the same arrivals.
    """
    made = np.maximum(mix.output_tokens.values, 2.0)[:, None]
    lives = made / mix.output_tokens.mean
    steady = np.sqrt(stalls.noise * 2.0 * (lives - 1.0 + np.exp(-lives))) / lives
    usual = crowd.decoding_share * crowd.mean + 1.0
    met = np.clip(usual + steady * (_crowd_met(crowd)[None, :] - usual), 1.0, max(replica.room, 1.0))
    alone = (made - 1.0) * replica.step_s(met)
    longest = alone / (1.0 - replica.delaying_share) if replica.delaying_share < 1 else np.inf
    total = np.minimum(alone + _stopped(stalls, alone), longest)
    shares = np.broadcast_to(mix.output_tokens.shares[:, None], total.shape).ravel()
    return (
        weighted((total / (made - 1.0)).ravel(), shares).thinned(),
        weighted(total.ravel(), shares).thinned(),
    )


def _crowd_met(crowd: Crowd) -> Floats:
    """Equal shares of the law of sequences that a new request joins, itself counted."""
    middles = (np.arange(CROWD_POINTS) + 0.5) / CROWD_POINTS
    return crowd.decoding_share * crowd.counts[np.searchsorted(np.cumsum(crowd.shares), middles)] + 1.0


def _stopped(stalls: Stalls, alone_s: Floats) -> Floats:
    """Time that prompts take from requests, a row an answer and a column a crowd: a gamma law of the delay cycle."""
    if stalls.share <= 0:
        return np.zeros_like(alone_s)
    middles = (np.arange(alone_s.shape[1]) + 0.5) / alone_s.shape[1]
    mean = stalls.share * alone_s / (1.0 - stalls.share) + stalls.first_s
    shape = np.maximum(mean.mean(axis=1, keepdims=True) / stalls.size_s, LEAST_SHAPE)
    return np.asarray(mean / shape * gammaincinv(shape, middles[None, :]))
