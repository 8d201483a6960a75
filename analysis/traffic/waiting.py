"""The law of the time that a request waits for its turn: Poisson arrivals, any service time, one queue, k servers."""

from __future__ import annotations

import numpy as np

from analysis.traffic.spread import Floats, Spread, fixed, weighted

CELLS = 4096  # of the grid on which the law is summed up
REACH = 30.0  # mean waits of a delayed request that the grid spans; what lies beyond has a share of e^-30
POINTS = 400  # of the spread that is handed back
RARE_DECADES = 5.0


def delay_probability(offered: float, servers: int) -> float:
    """Share of arrivals that find every server busy, Erlang's C; `offered` is the mean number of busy servers. [-]

    Exact for one server and for exponential service times, close for others. Source: Erlang (1917).
    """
    if offered >= servers:
        return 1.0
    lost = 1.0
    for count in range(1, servers + 1):
        lost = offered * lost / (count + offered * lost)
    return float(lost / (1.0 - offered / servers * (1.0 - lost)))


def wait_spread(service_s: Spread, rate_per_s: float, servers: int = 1) -> Spread | None:
    """Waiting time before service begins; None where the queue grows without end.

    The wait of a delayed request is the least remaining service of all servers and then a geometric number of residual
    services at the pace of all servers together: exact for one server (Pollaczek-Khinchine) and for exponential
    services, an approximation otherwise (Tijms, van Hoorn, Federgruen 1981, Adv. Appl. Prob. 13, 186-206; delay
    probability as for exponential services). Where services vary more than exponential ones, a long one holds up one
    server and not all: the law, weight 1 / (1 + (k - 1)(1 - busy)), is then blended with an exponential of equal mean;
    the weight is a prior of this project.
    """
    offered = rate_per_s * service_s.mean
    if offered >= servers:
        return None
    if offered <= 0:
        return fixed(0.0)
    delayed = delay_probability(offered, servers)
    times, survival = _delayed(service_s, offered / servers, servers)
    shares = _shares()
    edges = np.concatenate([[0.0], np.cumsum(shares)])
    middles = (edges[1:] + edges[:-1]) / 2
    beyond = delayed * survival
    values = np.where(1.0 - middles >= delayed, 0.0, np.interp(-(1.0 - middles), -beyond, times))
    return weighted(values, shares)


def _shares() -> Floats:
    """Shares of the points handed back, ever rarer towards the longest waits."""
    half = POINTS // 2
    rare = 10.0 ** -np.linspace(1.0, RARE_DECADES, half)
    return np.diff(np.concatenate([np.linspace(0.0, 0.9, half + 1), 1.0 - rare[1:], [1.0]]))


def _delayed(service_s: Spread, busy: float, servers: int) -> tuple[Floats, Floats]:
    """Times and the share of delayed requests that wait longer."""
    residual = service_s.second_moment / (2.0 * service_s.mean) / servers
    span = max(REACH * residual / (1.0 - busy), 2.0 * float(service_s.values[-1]) / servers)
    times = np.asarray((np.arange(CELLS) + 0.5) * (span / CELLS), dtype=np.float64)

    longer = np.concatenate([np.cumsum(service_s.shares[::-1])[::-1], [0.0]])
    work = np.concatenate([np.cumsum((service_s.shares * service_s.values)[::-1])[::-1], [0.0]])

    def left(pace: float) -> Floats:
        """Share of services under way that last longer, at a pace."""
        at = np.searchsorted(service_s.values, pace * times)
        return np.asarray((work[at] - pace * times * longer[at]) / service_s.mean)

    first = -np.diff(np.concatenate([[1.0], left(1.0) ** servers]))
    each = -np.diff(np.concatenate([[1.0], left(float(servers))]))
    first_wave, each_wave = np.fft.rfft(first, 2 * CELLS), np.fft.rfft(each, 2 * CELLS)
    law = np.fft.irfft(first_wave * (1.0 - busy) / (1.0 - busy * each_wave), 2 * CELLS)[:CELLS]
    survival = np.clip(1.0 - np.cumsum(law), 0.0, 1.0)
    if servers > 1 and service_s.cv > 1.0:
        weight, mean = 1.0 / (1.0 + (servers - 1.0) * (1.0 - busy)), float(np.clip(law, 0.0, None) @ times)
        survival = weight * survival + (1.0 - weight) * np.exp(-times / mean)
    return times, np.asarray(np.minimum.accumulate(survival), dtype=float)


def window_wait(rate_per_s: float, most: int, timeout_s: float) -> tuple[float, float]:
    """Mean wait of a request for its batch to close [s] and mean requests in a batch [-].

    A batch opens with its first request and closes when it is full or when the timeout is over. For Poisson arrivals
    the window lasts (1/rate) sum_j P(N > j) and its requests wait (1/rate) sum_j (1 + j) P(N > j) together, j from 0
    to most - 2, N the arrivals within the timeout. Source: counting, with Poisson arrivals.
    """
    if rate_per_s <= 0 or most <= 1 or timeout_s <= 0:
        return 0.0, 1.0
    expected = rate_per_s * timeout_s
    counts = np.arange(most - 1, dtype=float)
    logs = counts * np.log(expected) - expected - np.concatenate([[0.0], np.cumsum(np.log(counts[1:]))])
    more = np.clip(1.0 - np.cumsum(np.exp(logs)), 0.0, 1.0)
    size = 1.0 + float(more.sum())
    return float((1.0 + counts) @ more / rate_per_s / size), size
