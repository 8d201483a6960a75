"""Seconds that devices spend telling each other what they computed.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def allreduce_time(
    first_s: Any, growth: Any, devices: Any, message_byte: Any, link_byte_per_s: Any, link_fraction: Any
) -> Any:
    """Time in which all devices of a group sum one message. [s]

    time = latency + transfer
    latency = min(devices - 1, 1) * first * (1 + growth * (log2(devices) - 1))
    transfer = 2 * (devices - 1) / devices * message / (link * link_fraction)

    first           latency of the smallest message between two devices      [s]
    growth          share by which the latency grows at every doubling       [-]
    devices         devices in the group; 1 costs nothing                    [-]
    message         bytes every device holds                                 [B]
    link            bandwidth of one device into the fabric, one direction   [B/s]
    link_fraction   share of it that the collective reaches                  [-]
    latency         what even an empty message costs                         [s]
    transfer        each device sends and receives nearly the message twice  [s]

    Floats or arrays that broadcast; devices at least 1, link and its fraction positive.

    Source
    ------
    Hockney's latency-bandwidth form for a ring; latencies from the all-reduce microbenchmarks of aiconfigurator_core.
    """
    latency_s = np.minimum(devices - 1.0, 1.0) * first_s * (1.0 + growth * (np.log2(devices) - 1.0))
    transfer_s = 2.0 * (devices - 1.0) / devices * message_byte / (link_byte_per_s * link_fraction)
    return latency_s + transfer_s


def nodes_latency(inside_s: Any, nodes: Any, hop_s: Any) -> Any:
    """Latency of a collective over devices of several nodes: inside each, between them, inside again. [s]

    latency = (1 + min(nodes - 1, 1)) * inside + 2 * hop * log2(nodes)

    inside   latency of the smallest message among the devices of one node   [s]
    nodes    nodes that the group spans; 1 leaves the latency as it is       [-]
    hop      latency of one message between two nodes                        [s]

    Floats or arrays that broadcast; nodes at least 1.

    Source
    ------
    A sum in three stages, the middle one a tree there and back. One stream on A100s, 16 of two nodes against 8 of one
    (WaferLLM, arXiv 2502.04563, table 4): 36 to 43 us more a sum, bytes apart; this gives 26 us with hops of 10 us.
    """
    return (1.0 + np.minimum(nodes - 1.0, 1.0)) * inside_s + 2.0 * hop_s * np.log2(nodes)


def exchange_time(
    latency_s: Any, devices: Any, message_byte: Any, chosen: Any, groups: Any, link_byte_per_s: Any, link_fraction: Any
) -> Any:
    """Time in which every token goes to the devices that hold its experts, or their results come back. [s]

    time = min(devices - 1, 1) * latency + message * min(chosen / groups, 1) * (devices - 1) / devices / rate
    rate = link * link_fraction

    latency         of the smallest exchange                                        [s]
    devices         devices among which tokens and experts are spread               [-]
    message         activations of all tokens of the step                           [B]
    chosen          experts a token is sent to                                      [-]
    groups          groups of devices that hold different experts                   [-]
    link            bandwidth of one device into the fabric, one direction          [B/s]
    link_fraction   share of it that the exchange reaches                           [-]
    rate            the same in bytes a second                                      [B/s]

    Floats or arrays that broadcast; devices and groups at least 1, link and its fraction positive. No token goes to a
    device twice, so beyond one expert a group the exchange is a gathering of all tokens.

    Source
    ------
    Counting, tokens and experts spread evenly; dispatch and combine of DeepEP (DeepSeek-V3, arXiv 2412.19437).
    """
    rate = link_byte_per_s * link_fraction
    sent_byte = message_byte * np.minimum(chosen / groups, 1.0) * (devices - 1.0) / devices
    return np.minimum(devices - 1.0, 1.0) * latency_s + sent_byte / rate


def hop_time(stages: Any, hop_s: Any, message_byte: Any, link_byte_per_s: Any) -> Any:
    """Time in which activations pass through all boundaries between pipeline stages. [s]

    time = (stages - 1) * (hop + message / link)

    stages    pipeline stages in line; 1 has no boundary             [-]
    hop       latency of one boundary                                [s]
    message   activations handed over                                [B]
    link      bandwidth of one device, one direction                 [B/s]

    Floats or arrays that broadcast; stages at least 1, link positive.

    Source
    ------
    Counting.
    """
    return (stages - 1.0) * (hop_s + message_byte / link_byte_per_s)
