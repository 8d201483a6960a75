"""The plan of replicas against a server that is followed step by step, and the laws behind it against their limits."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.engine import evaluate
from analysis.plans import served_case
from analysis.traffic.capacity import Load, broken_goal, followed, sized, sized_apart
from analysis.traffic.closed_loop import in_flight
from analysis.traffic.open_loop import crowd_at, most_rate, prompts_at, served_at, stalls_at
from analysis.traffic.replica import Replica, replicas_of
from analysis.traffic.requests import Goals, RequestMix, request_mix
from analysis.traffic.simulate import demand_of, random_arrivals, simulated_steady
from analysis.traffic.waiting import window_wait
from tests.analysis.studies.slots import slots, workload

CHAT = request_mix("lognormal", 1024, 512, 1.0)
LONG_PROMPTS = request_mix("lognormal", 4096, 256, 0.5)
GOALS = Goals(ttft_s=2.0, tpot_s=0.05, e2e_s=90.0)


@lru_cache(maxsize=8)
def replica_of(chip: str, count: int | None = 8, mix: RequestMix | None = None) -> Replica:
    """One replica of GLM-4.6 on a chip, with the engine's times."""
    return replicas_of(workload("glm-4.6"), slots((chip, count)), CHAT if mix is None else mix)[0]


@dataclass
class Server:
    """A server with continuous batching as a person would write it: a prompt, or one step for all, and again.

    Between two steps the next prompt is computed if there is room for its cache; decoding then stands still for the
    delaying share of its time. Nothing here comes from the product but the times of steps and prompts.
    """

    world: simpy.Environment
    replica: Replica
    prompts_s: list[float]
    generated: list[float]
    waiting: deque[int] = field(default_factory=deque)
    running: list[tuple[float, int]] = field(default_factory=list)
    tokens: float = 0.0
    first: dict[int, float] = field(default_factory=dict)
    last: dict[int, float] = field(default_factory=dict)
    steps_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bell = self.world.event()
        self.steps_s = [0.0, *self.replica.step_s(np.arange(1.0, min(self.replica.room, 6000.0) + 1)).tolist()]

    def work(self) -> Iterator[simpy.Event]:
        """For ever: prompts first, then steps, else sleep."""
        while True:
            if self.waiting and len(self.running) < len(self.steps_s) - 1:
                yield from self.prompt(self.waiting.popleft())
            elif self.running:
                yield self.world.timeout(self.steps_s[len(self.running)])
                self.tokens += 1.0
                self.leave()
            else:
                self.bell = self.world.event()
                yield self.bell

    def prompt(self, number: int) -> Iterator[simpy.Event]:
        yield self.world.timeout(self.prompts_s[number])
        if self.running:
            share = 1.0 - self.replica.delaying_share
            self.tokens += share * self.prompts_s[number] / self.steps_s[len(self.running)]
        self.first[number] = self.world.now
        heapq.heappush(self.running, (self.tokens + self.generated[number] - 1.0, number))
        self.leave()

    def leave(self) -> None:
        while self.running and self.running[0][0] <= self.tokens + 1e-9:
            self.last[heapq.heappop(self.running)[1]] = self.world.now

    def arrive(self, arrivals: list[float]) -> Iterator[simpy.Event]:
        for number, time in enumerate(arrivals):
            yield self.world.timeout(time - self.world.now)
            self.waiting.append(number)
            if not self.bell.triggered:
                self.bell.succeed()


@dataclass(frozen=True)
class Met:
    """What the middle of the requests met. [s]"""

    ttft_s: np.ndarray
    tpot_s: np.ndarray
    e2e_s: np.ndarray

    def kept(self, goals: Goals) -> float:
        """The smallest share of requests within a promise."""
        return min(
            float(np.mean(self.ttft_s <= goals.ttft_s)),
            float(np.mean(self.tpot_s <= goals.tpot_s)),
            float(np.mean(self.e2e_s <= goals.e2e_s)),
        )


def step_by_step(replica: Replica, mix: RequestMix, rate_per_s: float, seconds: float) -> Met:
    """One replica under Poisson arrivals for so long; the first 30 % and the last 20 % are not counted."""
    count = int(rate_per_s * seconds)
    demand = demand_of(replica, mix, random_arrivals(rate_per_s, count))
    world = simpy.Environment()
    server = Server(world, replica, demand.prompts_s.tolist(), demand.generated.tolist())
    world.process(server.work())
    world.process(server.arrive(demand.arrivals_s.tolist()))
    world.run(until=float(demand.arrivals_s[-1]))
    numbers = range(int(0.3 * count), int(0.8 * count))
    never = math.inf
    first = np.array([server.first.get(n, never) for n in numbers])
    last = np.array([server.last.get(n, never) for n in numbers])
    came, made = demand.arrivals_s[numbers.start : numbers.stop], demand.generated[numbers.start : numbers.stop]
    # The fitted host time and steps before a prompt, less the half step that is waited for here.
    later = replica.front_s + (replica.first_steps - 0.5) * float(replica.step_s(rate_per_s * 20.0))
    with np.errstate(invalid="ignore"):
        tpot = np.where(np.isfinite(last), (last - first) / np.maximum(made - 1, 1), never)
    return Met(first - came + later, tpot, last - came + later)


@pytest.mark.parametrize(("chip", "rate"), [("h200-sxm", 25.0), ("b200-sxm", 60.0)])
def test_plan_is_met_step_by_step(chip: str, rate: float) -> None:
    """At the replicas found each promise holds for 95 % of requests; with too few to keep up it does not."""
    replica = replica_of(chip)
    plan = sized(replica, CHAT, Load(rate_per_s=rate, goals=GOALS))
    assert plan.replicas >= 2
    assert step_by_step(replica, CHAT, rate / plan.replicas, 300.0).kept(GOALS) >= GOALS.share
    too_few = math.ceil(rate / most_rate(replica, CHAT)) - 1
    assert too_few >= 1
    assert step_by_step(replica, CHAT, rate / too_few, 600.0).kept(GOALS) < GOALS.share


def test_one_replica_fewer_breaks_a_tight_promise() -> None:
    """With first tokens within 0.4 s for 95 %, the replicas found suffice, and rate for one replica less do not."""
    replica, goals = replica_of("h200-sxm", 8, LONG_PROMPTS), Goals(ttft_s=0.8, tpot_s=math.inf, e2e_s=math.inf)
    load = Load(rate_per_s=9.3, goals=goals)
    plan = sized(replica, LONG_PROMPTS, load)
    assert step_by_step(replica, LONG_PROMPTS, 9.3 / plan.replicas, 500.0).kept(goals) >= 0.95
    assert step_by_step(replica, LONG_PROMPTS, 9.3 / (plan.replicas - 1), 500.0).kept(goals) < 0.95


@pytest.mark.parametrize("load", [0.4, 0.7])
@pytest.mark.parametrize("mix", [CHAT, LONG_PROMPTS], ids=["chat", "long prompts"])
def test_percentiles_against_steps(mix: RequestMix, load: float) -> None:
    """First tokens, time per token and whole answers within 10 % of the server followed step by step."""
    replica = replica_of("h200-sxm", 8, mix)
    replica = replace(replica, first_steps=0.5, front_s=0.0)
    rate = load * most_rate(replica, mix)
    served, met = served_at(replica, mix, rate), step_by_step(replica, mix, rate, 12_000 / rate)
    assert served is not None
    for share in (0.5, 0.95):
        assert served.ttft_s.quantile(share) == pytest.approx(np.quantile(met.ttft_s, share), rel=0.10)
        assert served.tpot_s.quantile(share) == pytest.approx(np.quantile(met.tpot_s, share), rel=0.10)
        assert served.e2e_s.quantile(share) == pytest.approx(np.quantile(met.e2e_s, share), rel=0.10)


def test_event_simulation_against_steps() -> None:
    """The product's own simulation jumps from event to event; step by step the same percentiles come out."""
    replica = replace(replica_of("h200-sxm"), first_steps=0.5, front_s=0.0)
    rate = 0.5 * most_rate(replica, CHAT)
    served = served_at(replica, CHAT, rate)
    assert served is not None
    jumped = simulated_steady(replica, CHAT, rate, served.sequences, requests=3000)
    met = step_by_step(replica, CHAT, rate, 400.0)
    for share in (0.5, 0.95):
        assert np.quantile(jumped.ttft_s, share) == pytest.approx(np.quantile(met.ttft_s, share), rel=0.06)
        assert np.quantile(jumped.tpot_s, share) == pytest.approx(np.quantile(met.tpot_s, share), rel=0.06)


@pytest.mark.parametrize("chip", ["h200-sxm", "b200-sxm"])
def test_littles_law(chip: str) -> None:
    """Sequences decoding = rate x decoding time: the law of the population and that of the times agree."""
    replica = replica_of(chip)
    rate = 0.6 * most_rate(replica, CHAT)
    served = served_at(replica, CHAT, rate)
    prompts, waits = prompts_at(replica, CHAT, rate)
    assert served is not None
    assert waits is not None
    crowd = crowd_at(replica, CHAT, rate, stalls_at(replica, rate, prompts, waits))
    assert crowd.mean == pytest.approx(rate * served.decoding_s.mean, rel=0.03)
    assert crowd.shares.sum() == pytest.approx(1.0)


def test_nothing_beyond_the_most() -> None:
    """From the largest rate on there is no law, and short of it the first token takes ever longer."""
    replica = replica_of("h200-sxm")
    most = most_rate(replica, CHAT)
    assert served_at(replica, CHAT, most) is None
    assert served_at(replica, CHAT, 1.1 * most) is None
    found = [served_at(replica, CHAT, share * most) for share in (0.1, 0.5, 0.8, 0.9, 0.97)]
    waits = [each.ttft_s.quantile(0.95) for each in found if each is not None]
    assert len(waits) == 5
    assert waits == sorted(waits)


def test_long_answers_alone_see_the_step_of_one() -> None:
    """O to infinity, rate to nothing: the time per token is a decode step of one sequence."""
    mix = request_mix("fixed", 128, 100_000, 0.0)
    replica = replica_of("h200-sxm", 8, mix)
    served = served_at(replica, mix, 1e-6 * most_rate(replica, mix))
    assert served is not None
    assert served.tpot_s.mean == pytest.approx(float(replica.steps_s[0]), rel=1e-3)


@settings(max_examples=12, deadline=None)
@given(low=st.floats(0.05, 0.9), high=st.floats(0.05, 0.9))
def test_more_load_is_never_faster(low: float, high: float) -> None:
    replica = replica_of("b200-sxm")
    first, second = (served_at(replica, CHAT, load * most_rate(replica, CHAT)) for load in sorted((low, high)))
    assert first is not None
    assert second is not None
    for name in ("ttft_s", "tpot_s", "e2e_s"):
        assert getattr(first, name).quantile(0.95) <= getattr(second, name).quantile(0.95) * 1.01


@pytest.mark.parametrize(
    ("chip", "count"), [("h200-sxm", 8), ("b200-sxm", 16), ("wse-3", 14), ("sambanova-sn40l", 16), ("mi300x", 8)]
)
def test_closed_loop_is_the_engines(chip: str, count: int) -> None:
    """Equal lengths, no cache: the curve drawn is what the engine answers for each number of requests in flight."""
    mix = request_mix("fixed", 1024, 512, 0.0)
    asked, slot = workload("glm-4.6"), slots((chip, count))[0]
    replica = replicas_of(asked, [slot], mix)[0]
    loads = np.array([1.0, 4.0, 16.0, 64.0])
    cases = [served_case(asked.at(context_tokens=1024.0, sequences=load), slot) for load in loads]
    answer = evaluate([replace(case, output_tokens=512.0) for case in cases])
    found = in_flight(replica, mix, loads / max(answer["replicas"][0], 1.0))
    if not answer["feasible"].all():
        pytest.skip("the machine does not serve the model")
    whole = found.output_token_per_s * max(answer["replicas"][0], 1.0)
    np.testing.assert_allclose(found.tpot_s[1:], answer["tpot_s"][1:], rtol=0.02)
    np.testing.assert_allclose(found.ttft_s[1:], answer["ttft_s"][1:], rtol=0.02)
    np.testing.assert_allclose(whole[1:], answer["output_tokens_per_s"][1:], rtol=0.02)


@pytest.mark.parametrize("chip", ["h200-sxm", "b200-sxm", "wse-3"])
def test_more_in_flight_is_more_in_all_and_less_for_each(chip: str) -> None:
    replica = replica_of(chip, None if chip == "wse-3" else 8)
    flight = in_flight(replica, CHAT, 2.0 ** np.arange(11))
    assert (np.diff(flight.output_token_per_s) > -1e-6 * flight.output_token_per_s[1:]).all()
    assert (np.diff(flight.tpot_s)[1:] >= -1e-12).all()
    np.testing.assert_allclose(
        flight.output_token_per_s * flight.e2e_s / CHAT.output_tokens.mean, flight.concurrency, rtol=1e-9
    )


def test_too_slow_a_machine_is_said_so() -> None:
    """No number of replicas makes one token faster than a step of one sequence."""
    replica = replica_of("h200-sxm")
    goals = replace(GOALS, tpot_s=0.9 * float(replica.steps_s[0]))
    plan = sized(replica, CHAT, Load(rate_per_s=5.0, goals=goals))
    assert plan.broken == "tpot"
    assert plan.replicas == 0
    assert plan.alone is not None
    assert plan.alone.tpot_s.quantile(0.95) > goals.tpot_s


def test_prompts_on_gpus_and_tokens_on_wafers() -> None:
    """Computed apart, a long prompt comes as soon as the GPUs have it and its cache has crossed the link."""
    wafer, gpus = replica_of("wse-3", None, LONG_PROMPTS), replica_of("b200-sxm", 8, LONG_PROMPTS)
    load = Load(rate_per_s=10.0, goals=replace(GOALS, ttft_s=1.0), link_byte_per_s=50e9)
    plan = sized_apart(wafer, gpus, LONG_PROMPTS, load)
    assert not plan.broken
    assert plan.served is not None
    assert not broken_goal(plan.served, load.goals)
    assert plan.served.tpot_s.mean == pytest.approx(float(wafer.steps_s[0]), rel=0.01)
    sent = plan.served.prompt_s.mean - gpus.prompt_s(LONG_PROMPTS.prompts, 0.0).mean
    assert sent == pytest.approx(LONG_PROMPTS.prompts.mean * wafer.cache_byte_per_token / 50e9, rel=0.02)
    assert sized(wafer, LONG_PROMPTS, load).broken == "ttft"


def test_shared_queue_needs_no_more() -> None:
    replica = replica_of("h200-sxm", 8, LONG_PROMPTS)
    goals = Goals(ttft_s=0.7, tpot_s=math.inf, e2e_s=math.inf)
    apart = sized(replica, LONG_PROMPTS, Load(rate_per_s=20.0, goals=goals))
    shared = sized(replica, LONG_PROMPTS, Load(rate_per_s=20.0, goals=goals, routing="least busy"))
    assert shared.replicas <= apart.replicas
    outcome = followed(shared, LONG_PROMPTS, Load(rate_per_s=20.0, goals=goals, routing="least busy"))
    assert outcome is not None
    assert outcome.meets(goals)


def test_window_costs_what_it_waits() -> None:
    """A batch of 8 prompts at 5 requests/s, at most 1 s: first tokens come later by the mean wait for the batch."""
    replica = replica_of("b200-sxm")
    plain = Load(rate_per_s=5.0, goals=GOALS)
    held = replace(plain, window_prompts=8, window_s=1.0)
    first, second = (sized(replica, CHAT, load).served for load in (plain, held))
    assert first is not None
    assert second is not None
    assert second.ttft_s.mean - first.ttft_s.mean == pytest.approx(window_wait(5.0, 8, 1.0)[0], rel=0.01)
