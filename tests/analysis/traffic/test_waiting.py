"""The law of waiting against queues that are followed request by request.

Two routes that share nothing with it: the recursion of Kiefer and Wolfowitz over many queues at once, and simpy's own
servers, which must agree with that recursion request by request. Stated accuracy: each percentile within 10 %, or
within a tenth of a mean service time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import simpy
from numpy.typing import NDArray
from scipy.special import ndtri

from analysis.models.queueing import mean_wait, mean_wait_of_servers
from analysis.traffic.spread import Spread, fixed, lognormal, uniform, weighted
from analysis.traffic.waiting import delay_probability, wait_spread, window_wait

Floats = NDArray[np.float64]
QUANTILES = (0.5, 0.95, 0.99)
TOLERANCE, FLOOR_SERVICES = 0.10, 0.10
LOADS = (0.5, 0.8, 0.9)
KINDS = {"deterministic": 0.0, "lognormal 0.5": 0.5, "exponential": 1.0, "lognormal 1": 1.0, "lognormal 1.5": 1.5}
QUEUES, REQUESTS, WARM = 64, 4500, 1000


def exponential() -> Spread:
    """Exponential service of mean one, as the mean of each of 400 bins."""
    edges = np.concatenate([np.linspace(0, 0.99, 301), 1 - 0.01 * 10 ** -np.linspace(0, 4, 101)[1:], [1.0]])
    left = 1 - edges
    times = -np.log(np.maximum(left, 1e-300))
    part = np.where(left > 0, (times + 1) * left, 0.0)
    return weighted(-np.diff(part) / np.diff(edges), np.diff(edges))


def service_of(kind: str) -> Spread:
    """The law handed to the product."""
    if kind == "exponential":
        return exponential()
    return fixed(1.0) if kind == "deterministic" else lognormal(1.0, KINDS[kind])


def drawn(kind: str, shape: tuple[int, int], draws: np.random.Generator) -> Floats:
    """Services from the textbook law, not from the product's points; every part of the law met as often as it should.

    Plain draws of a lognormal law with a variation of 1.5 miss its second moment by a tenth even in 300,000.
    """
    count = shape[0] * shape[1]
    shares = (draws.permutation(count) + draws.random(count)) / count
    if kind == "deterministic":
        return np.ones(shape)
    if kind == "exponential":
        return -np.log1p(-shares).reshape(shape)
    variance = np.log1p(KINDS[kind] ** 2)
    return np.exp(np.sqrt(variance) * ndtri(shares) - variance / 2).reshape(shape)


def followed(gaps: Floats, services: Floats, servers: int) -> Floats:
    """Waits of every request, many queues side by side: the work left at the server that is free first."""
    left, rows = np.zeros((gaps.shape[1], servers)), np.arange(gaps.shape[1])
    waits = np.empty_like(gaps)
    for at in range(len(gaps)):
        left -= gaps[at][:, None]
        np.maximum(left, 0.0, out=left)
        first = left.argmin(axis=1)
        waits[at] = left[rows, first]
        left[rows, first] += services[at]
    return waits


def quantile_met(waits: Floats, share: float) -> tuple[float, float]:
    """A percentile over all queues, and its standard error from eight groups of them. waits: (requests, queues)"""
    groups = [float(np.quantile(part, share)) for part in np.split(waits, 8, axis=1)]
    return float(np.quantile(waits, share)), float(np.std(groups, ddof=1) / np.sqrt(8))


@pytest.mark.parametrize("servers", [1, 4, 16])
def test_percentiles_within_ten_percent(servers: int) -> None:
    """15 laws of service and load, 220,000 requests each; a gap counts where it is no noise of the simulation."""
    draws = np.random.default_rng(servers)
    cases = [(kind, load) for kind in KINDS for load in LOADS]
    services = np.hstack([drawn(kind, (REQUESTS, QUEUES), draws) for kind, _ in cases])
    gaps = np.hstack([drawn("exponential", (REQUESTS, QUEUES), draws) / (load * servers) for _, load in cases])
    waits = followed(gaps, services, servers)[WARM:].reshape(REQUESTS - WARM, len(cases), QUEUES)
    wrong = []
    for at, (kind, load) in enumerate(cases):
        law = wait_spread(service_of(kind), load * servers, servers)
        assert law is not None
        for share in QUANTILES:
            (met, error), said = quantile_met(waits[:, at], share), law.quantile(share)
            if abs(said - met) > max(TOLERANCE * met, FLOOR_SERVICES) + 2 * error:
                wrong.append((kind, servers, load, share, round(met, 3), round(said, 3), round(error, 3)))
    assert wrong == []


def by_simpy(gaps: Floats, services: Floats, servers: int) -> Floats:
    """Waits of one queue as simpy's resource keeps it."""
    world = simpy.Environment()
    desk = simpy.Resource(world, capacity=servers)
    waits = np.zeros(len(gaps))

    def request(number: int) -> Iterator[simpy.Event]:
        came = world.now
        with desk.request() as turn:
            yield turn
            waits[number] = world.now - came
            yield world.timeout(float(services[number]))

    def source() -> Iterator[simpy.Event]:
        for number, gap in enumerate(gaps):
            yield world.timeout(float(gap))
            world.process(request(number))

    world.process(source())
    world.run()
    return waits


@pytest.mark.parametrize("servers", [1, 3, 16])
def test_simpy_follows_the_same_queue(servers: int) -> None:
    """The recursion that the percentiles were checked with is what a known simulation library does."""
    draws = np.random.default_rng(5)
    services = drawn("lognormal 1", (2500, 1), draws)
    gaps = draws.exponential(1 / (0.85 * servers), (2500, 1))
    waits = by_simpy(gaps[:, 0], services[:, 0], servers)
    np.testing.assert_allclose(waits, followed(gaps, services, servers)[:, 0], atol=1e-9)


@pytest.mark.parametrize("load", [0.2, 0.6, 0.9])
@pytest.mark.parametrize("kind", KINDS)
def test_mean_is_that_of_pollaczek_and_khinchine(kind: str, load: float) -> None:
    service = service_of(kind)
    law = wait_spread(service, load / service.mean)
    assert law is not None
    assert law.mean == pytest.approx(float(mean_wait(load, service.mean, service.cv)), rel=0.01)


def test_exponential_services_are_exact() -> None:
    """M/M/k: a delayed request waits exponentially, mean s / (k (1 - rho)); M/M/2 delays rho^2 x 2 / (1 + rho)."""
    assert delay_probability(1.2, 2) == pytest.approx(2 * 0.6**2 / 1.6)
    law = wait_spread(exponential(), 1.2, 2)
    assert law is not None
    expected = np.log(delay_probability(1.2, 2) / 0.05) / (2 * 0.4)
    assert law.quantile(0.95) == pytest.approx(expected, rel=0.02)


def test_mean_near_that_of_sakasegawa() -> None:
    """Two approximations of the same mean, by different people, 10 % apart at most where many requests wait."""
    for servers in (2, 4, 8):
        law = wait_spread(lognormal(1.0, 0.5), 0.9 * servers, servers)
        assert law is not None
        assert law.mean == pytest.approx(float(mean_wait_of_servers(0.9, 1.0, 0.5, servers)), rel=0.1)


def test_no_law_without_an_end() -> None:
    assert wait_spread(fixed(1.0), 1.0) is None
    assert wait_spread(fixed(1.0), 5.0, 4) is None
    nothing = wait_spread(fixed(1.0), 0.0)
    assert nothing is not None
    assert nothing.mean == 0.0


def test_window_against_counting() -> None:
    """200,000 windows opened by Poisson arrivals: mean wait of a request and mean size of a batch."""
    draws = np.random.default_rng(9)
    for rate, most, timeout in ((5.0, 8, 1.0), (40.0, 4, 0.05), (0.5, 16, 0.2)):
        later = np.cumsum(draws.exponential(1 / rate, (200_000, most - 1)), axis=1)
        closes = np.minimum(later[:, -1], timeout)
        inside = later <= closes[:, None]
        waits = closes + np.where(inside, closes[:, None] - later, 0.0).sum(axis=1)
        sizes = 1 + inside.sum(axis=1)
        mean, size = window_wait(rate, most, timeout)
        assert size == pytest.approx(sizes.mean(), rel=0.01)
        assert mean == pytest.approx(waits.sum() / sizes.sum(), rel=0.02)


def test_window_limits() -> None:
    """No window for batches of one; at a high rate the batch fills at once, at a low one the timeout is waited out."""
    assert window_wait(10.0, 1, 5.0) == (0.0, 1.0)
    assert window_wait(1e6, 8, 1.0)[0] < 1e-5
    mean, size = window_wait(1e-3, 8, 1.0)
    assert mean == pytest.approx(1.0, rel=1e-2)
    assert size == pytest.approx(1.0, rel=1e-2)


@pytest.mark.parametrize("made", [lognormal(300.0, 1.5), uniform(300.0, 0.5), fixed(300.0)])
def test_spreads_keep_their_mean(made: Spread) -> None:
    assert made.mean == pytest.approx(300.0, rel=1e-9)
    assert made.plus(lognormal(100.0, 1.0)).mean == pytest.approx(400.0, rel=1e-6)
    assert made.shares.sum() == pytest.approx(1.0)
    assert (np.diff(made.values) >= 0).all()


def test_lognormal_quantiles() -> None:
    """Mean 100, CV 1: sigma^2 = ln 2, median 100 / sqrt 2 = 70.7, p95 = 70.7 exp(1.645 x 0.8326) = 278."""
    law = lognormal(100.0, 1.0)
    assert law.quantile(0.5) == pytest.approx(70.7, rel=0.04)
    assert law.quantile(0.95) == pytest.approx(278.1, rel=0.04)
    assert law.cv == pytest.approx(1.0, rel=0.03)
