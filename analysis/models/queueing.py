"""Waiting in a queue in front of one server or several, requests arriving at random.

All arguments are floats or arrays that broadcast, and pint quantities alike. A share of time of one or more means that
the queue grows without end: the wait is then infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def busy_share_of(rate_per_s: Any, service_s: Any, servers: Any = 1.0) -> Any:
    """Share of the time in which a server works; one or more means that the queue never ends. [-]

    busy = rate * service / servers

    rate      requests arriving                [1/s]
    service   mean time that one takes         [s]
    servers   servers that share one queue     [-]

    Floats or arrays that broadcast; servers at least 1.

    Source
    ------
    Little (1961), "A proof for the queuing formula L = lambda W", on the servers.
    """
    return rate_per_s * service_s / servers


def people_served(rate_per_s: Any, think_s: Any, request_s: Any) -> Any:
    """People who take turns with a machine, each of them thinking or waiting for an answer. [-]

    people = rate * (think + request)

    rate      requests arriving                                  [1/s]
    think     mean time from an answer to the next request       [s]
    request   mean time from a request to its last token         [s]

    Floats or arrays that broadcast, none negative.

    Source
    ------
    Little (1961), "A proof for the queuing formula L = lambda W", on people.
    """
    return rate_per_s * (think_s + request_s)


def mean_wait(busy_share: Any, service_s: Any, cv: Any) -> Any:
    """Mean time that a request waits for one server. [s]

    wait = busy_share * service * (1 + cv^2) / (2 * max(0, 1 - busy_share))

    busy_share   share of the time in which the server works          [-]
    service      mean time that a request takes                       [s]
    cv           standard deviation of that time over its mean        [-]

    Floats or arrays that broadcast. Infinite from a busy share of one on. Exact for Poisson arrivals.

    Source
    ------
    Pollaczek (1930) and Khinchine (1932), M/G/1.
    """
    return busy_share * service_s * (1.0 + cv**2) / (2.0 * np.maximum(0.0, 1.0 - busy_share))


def mean_wait_of_servers(busy_share: Any, service_s: Any, cv: Any, servers: Any) -> Any:
    """Mean time that a request waits for the first free of several servers with one queue. [s]

    wait = busy_share^(sqrt(2 * (servers + 1)) - 1) * service * (1 + cv^2) / (2 * servers * max(0, 1 - busy_share))

    busy_share   share of the time in which a server works            [-]
    service      mean time that a request takes                       [s]
    cv           standard deviation of that time over its mean        [-]
    servers      servers that share the queue                         [-]

    Floats or arrays that broadcast. Infinite from a busy share of one on. Exact for one server.

    Source
    ------
    Sakasegawa (1977), Annals of the Institute of Statistical Mathematics 29, 67-75.
    """
    power = np.sqrt(2.0 * (servers + 1.0)) - 1.0
    return busy_share**power * service_s * (1.0 + cv**2) / (2.0 * servers * np.maximum(0.0, 1.0 - busy_share))


def wait_quantile(busy_share: Any, wait_s: Any, beyond_share: Any) -> Any:
    """Wait that a given share of requests exceeds, if the waits of delayed requests are exponential. [s]

    quantile = wait / busy_share * max(0, ln(busy_share / beyond_share))

    busy_share     share of requests that wait at all: of the time in which the server works   [-]
    wait           mean wait over all requests                                                 [s]
    beyond_share   share of requests that wait longer, 0.05 for the 95th percentile            [-]

    Floats or arrays that broadcast, shares above 0. Exact for exponential service on one server.

    Source
    ------
    Exponential tail of M/M/1; Kleinrock (1975), "Queueing Systems" volume 1, section 5.
    """
    return wait_s / busy_share * np.maximum(0.0, np.log(busy_share / beyond_share))


def mean_delay_of_delayed(busy_share: Any, least_s: Any, service_s: Any, cv: Any, servers: Any) -> Any:
    """Mean wait of those requests that find every server busy. [s]

    wait = least + busy_share / max(0, 1 - busy_share) * service * (1 + cv^2) / (2 * servers)

    busy_share   share of the time in which a server works                        [-]
    least        mean of the least remaining time over all servers                [s]
    service      mean time that a request takes                                   [s]
    cv           standard deviation of that time over its mean                    [-]
    servers      servers that share one queue                                     [-]

    Floats or arrays that broadcast. Infinite from a busy share of one on. Exact for one server.

    Source
    ------
    Tijms, van Hoorn, Federgruen (1981), Advances in Applied Probability 13, 186-206.
    """
    return least_s + busy_share / np.maximum(0.0, 1.0 - busy_share) * service_s * (1.0 + cv**2) / (2.0 * servers)


def interrupted_step(step_s: Any, delaying_share: Any, busy_share: Any) -> Any:
    """Mean time between two tokens where arriving prompts interrupt the decoding. [s]

    tpot = step / max(0, 1 - delaying_share * busy_share)

    step             one decode step without prompts                             [s]
    delaying_share   share of a prompt's time in which decoding stands still     [-]
    busy_share       share of the time in which a prompt is being computed       [-]

    Floats or arrays that broadcast. Infinite where prompts leave no time.

    Source
    ------
    Conservation of work: decoding has the time that prompts leave.
    """
    return step_s / np.maximum(0.0, 1.0 - delaying_share * busy_share)
