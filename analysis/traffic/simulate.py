"""Requests followed one by one through replicas that compute prompts in turn and decode all sequences together.

A prompt waits for its turn and for room; while it is computed, decoding stands still for the delaying share of its
time. All sequences of a replica advance together, one token a step, the step's time that of their number.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Literal

import numpy as np

from analysis.traffic.replica import Replica
from analysis.traffic.requests import Goals, RequestMix
from analysis.traffic.spread import Floats, Spread, weighted

Routing = Literal["least busy", "random"]
ROUTINGS: tuple[Routing, ...] = ("least busy", "random")
SEED = 20_231
BEFORE, AFTERWARDS = 0.5, 3.0  # arrivals before and after those counted, over the sequences decoding
NOBODY = -1  # a sequence that was decoding before the first request


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Times of every request counted. [s] (requests,)"""

    wait_s: Floats
    ttft_s: Floats
    tpot_s: Floats
    e2e_s: Floats

    def later(self, more_s: Floats) -> Outcome:
        """The same with every request held back by so much before it is looked at."""
        return replace(self, wait_s=self.wait_s + more_s, ttft_s=self.ttft_s + more_s, e2e_s=self.e2e_s + more_s)

    def attained(self, goals: Goals) -> tuple[float, float, float]:
        """Share of requests within each goal: first token, time per token, end to end."""
        pairs = ((self.ttft_s, goals.ttft_s), (self.tpot_s, goals.tpot_s), (self.e2e_s, goals.e2e_s))
        first, token, whole = (float(np.mean(times <= limit)) for times, limit in pairs)
        return first, token, whole

    def meets(self, goals: Goals) -> bool:
        """True if each goal holds for the share of requests that it is promised to."""
        return min(self.attained(goals)) >= goals.share


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Arrivals in order, and what each of them asks for: time of its prompt, tokens of its answer. (requests,)"""

    arrivals_s: Floats
    prompts_s: Floats
    generated: Floats


def random_arrivals(rate_per_s: float, count: int) -> Floats:
    """Poisson arrivals, the same ones for the same rate. [s]"""
    gaps = np.random.default_rng(SEED).exponential(1.0, count)
    return np.cumsum(gaps) / rate_per_s


def demand_of(replica: Replica, mix: RequestMix, arrivals_s: Floats) -> Demand:
    """Lengths drawn for arrivals, independently of one another."""
    count, draws = len(arrivals_s), np.random.default_rng(SEED + 1)
    prompts = replica.prompt_s(mix.prompts, mix.cached_fraction)
    return Demand(
        arrivals_s=arrivals_s,
        prompts_s=_drawn(prompts, count, draws),
        generated=np.maximum(np.round(_drawn(mix.output_tokens, count, draws)), 1.0),
    )


def _drawn(spread: Spread, count: int, draws: np.random.Generator) -> Floats:
    """As many values as asked for, spread evenly over the law and shuffled: less noise than drawing each alone."""
    shares = draws.permutation(count) + draws.random(count)
    at = np.searchsorted(np.cumsum(spread.shares), shares / count)
    return spread.values[np.minimum(at, len(spread.values) - 1)]


@dataclass(kw_only=True)
class _Machine:
    """One replica while it works: `done` counts the tokens that every sequence has made since the beginning."""

    clock: float = 0.0
    done: float = 0.0
    busy_until: float = 0.0
    waiting: deque[int] = field(default_factory=deque)
    ends: list[tuple[float, int]] = field(default_factory=list)  # tokens at which a sequence is finished, request
    arriving: list[tuple[float, int]] = field(default_factory=list)  # end of prompt, request
    last_end: float = 0.0  # of the prompt begun before; pipeline stages keep their order

    @property
    def load(self) -> int:
        """Requests that wait, are computed or decode."""
        return len(self.waiting) + len(self.ends) + len(self.arriving)


class Simulation:
    """Replicas with their requests; `run` follows all of them to their end."""

    def __init__(
        self, replica: Replica, demand: Demand, replicas: int, routing: Routing, running: Floats | None = None
    ) -> None:
        count = len(demand.arrivals_s)
        most = int(min(max(replica.room, 1.0), count + (0 if running is None else len(running)) + 1))
        self._steps = np.concatenate([[replica.steps_s[0]], replica.step_s(np.arange(1.0, most + 1))]).tolist()
        self._replica, self._most, self._routing = replica, most, routing
        self._demand, self._hold = demand, (demand.prompts_s / replica.stages).tolist()
        self._machines = [_Machine() for _ in range(replicas)]
        for machine in self._machines:
            machine.ends = [] if running is None else [(float(left), NOBODY) for left in np.sort(running)]
        self._first, self._last, self._extra, self._begun = (np.zeros(count) for _ in range(4))
        self._counted, self._open = range(count), count

    def run(self, counted: slice = slice(None)) -> Outcome:
        """Times of the requests counted; the others keep the replicas busy."""
        self._counted = range(len(self._first))[counted]
        self._open = len(self._counted)
        draws = np.random.default_rng(SEED + 2)
        chosen = draws.integers(len(self._machines), size=len(self._first)).tolist()
        for request, arrival in enumerate(self._demand.arrivals_s.tolist()):
            machine = self._machines[chosen[request]] if self._routing == "random" else self._least_busy(arrival)
            self._advance(machine, arrival)
            self._extra[request] = self._replica.front_s + self._replica.first_steps * self._step(machine)
            machine.waiting.append(request)
            self._admit(machine)
            if not self._open:
                break
        for machine in self._machines if self._open else ():
            self._advance(machine, float("inf"))
        return self._outcome(counted)

    def _least_busy(self, now: float) -> _Machine:
        for each in self._machines:
            self._advance(each, now)
        return min(self._machines, key=lambda each: each.load)

    def _step(self, machine: _Machine) -> float:
        return float(self._steps[len(machine.ends)]) if machine.ends else 0.0

    def _advance(self, machine: _Machine, until: float) -> None:
        """Let a machine work up to a time: event after event."""
        while True:
            prompt = machine.arriving[0][0] if machine.arriving else float("inf")
            finish = self._finish(machine)
            upcoming = min(prompt, finish, machine.busy_until if machine.busy_until > machine.clock else float("inf"))
            if upcoming > until or upcoming == float("inf"):
                break
            self._decode(machine, upcoming)
            if finish <= upcoming:
                _, request = heappop(machine.ends)
                if request != NOBODY:
                    self._last[request] = upcoming
                    self._open -= request in self._counted
            elif prompt <= upcoming:
                _, request = heappop(machine.arriving)
                self._first[request] = upcoming
                heappush(machine.ends, (machine.done + float(self._demand.generated[request]) - 1.0, request))
            self._admit(machine)
        if until < float("inf"):
            self._decode(machine, until)

    def _speed(self, machine: _Machine) -> float:
        """Tokens per second of every sequence now."""
        share = self._replica.delaying_share if machine.busy_until > machine.clock else 0.0
        return (1.0 - share) / float(self._steps[len(machine.ends)])

    def _finish(self, machine: _Machine) -> float:
        if not machine.ends:
            return float("inf")
        left, speed = max(machine.ends[0][0] - machine.done, 0.0), self._speed(machine)
        return machine.clock + left / speed if speed > 0 else (machine.clock if left == 0 else float("inf"))

    def _decode(self, machine: _Machine, until: float) -> None:
        if machine.ends:
            machine.done += (until - machine.clock) * self._speed(machine)
        machine.clock = until

    def _admit(self, machine: _Machine) -> None:
        """Start prompts while the machine is free for them and has room."""
        while machine.waiting and machine.busy_until <= machine.clock:
            under_way = len(machine.arriving)
            if len(machine.ends) + under_way >= self._most:
                return
            request = machine.waiting.popleft()
            self._begun[request] = machine.clock
            prompt = float(self._demand.prompts_s[request])
            if self._replica.layer_s:  # regions of a wafer take turns between the prompts under way
                end = machine.clock + prompt * (1.0 + under_way / self._replica.stages)
            else:
                machine.busy_until = machine.clock + self._hold[request]
                end = machine.last_end = max(machine.clock + prompt, machine.last_end + self._hold[request])
            heappush(machine.arriving, (end, request))

    def _outcome(self, kept: slice) -> Outcome:
        ttft = self._first - self._demand.arrivals_s + self._extra
        decoding, made = self._last - self._first, self._demand.generated
        token = np.divide(decoding, made - 1.0, out=np.zeros_like(decoding), where=made > 1)
        wait = np.maximum(self._begun - self._demand.arrivals_s, 0.0)
        return Outcome(wait_s=wait[kept], ttft_s=ttft[kept], tpot_s=token[kept], e2e_s=(ttft + decoding)[kept])


def simulated(
    replica: Replica, mix: RequestMix, arrivals_s: Floats, replicas: int, routing: Routing = "least busy"
) -> Outcome:
    """What requests arriving at these times meet, the replicas empty before the first."""
    return Simulation(replica, demand_of(replica, mix, arrivals_s), replicas, routing).run()


def simulated_steady(
    replica: Replica, mix: RequestMix, rate_per_s: float, decoding: float, replicas: int = 1,
    routing: Routing = "random", requests: int = 2000,
) -> Outcome:  # fmt: skip
    """What Poisson arrivals meet at replicas that have long been at work, each with so many sequences decoding.

    rate_per_s   requests to all of them together
    decoding     sequences of each to begin with, somewhere in their answers; arrivals go on after the last one counted
    """
    before = int(replicas * decoding * BEFORE)
    after = int(replicas * decoding * AFTERWARDS)
    arrivals = random_arrivals(rate_per_s, before + requests + after)
    left = _remaining(mix.output_tokens, int(decoding))
    run = Simulation(replica, demand_of(replica, mix, arrivals), replicas, routing, left)
    return run.run(slice(before, before + requests))


def _remaining(generated: Spread, count: int) -> Floats:
    """Tokens that sequences met at a random moment still have to make."""
    draws = np.random.default_rng(SEED + 3)
    longer = weighted(generated.values, generated.shares * generated.values)
    return _drawn(longer, count, draws) * draws.random(count)
