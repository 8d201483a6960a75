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
