"""Seconds of a prompt whose tokens are divided among groups of devices, keys and values going round in a ring.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any


def ring_prefill_time(
    alone_s: Any, groups: Any, cache_byte: Any, link_byte_per_s: Any, link_fraction: Any, layers: Any, hop_s: Any
) -> Any:
    """Time of one prompt whose tokens are divided evenly among groups that each hold the whole model. [s]

    time = alone / groups + (groups - 1) / groups * cache / (link * link_fraction) + layers * (groups - 1) * hop

    alone           time of the prompt on one group                                         [s]
    groups          groups of devices among which its tokens are divided                    [-]
    cache           keys and values of the whole prompt that one device of a group keeps    [B]
    link            bandwidth of one device between groups, one direction                   [B/s]
    link_fraction   share of it that is reached                                             [-]
    layers          decoder layers of the model                                             [-]
    hop             latency of passing a part on to the next group, once a layer            [s]

    Floats or arrays that broadcast; groups at least 1, link and its fraction positive. Every group's share of the
    causal triangle is taken as equal, and nothing of the exchange as hidden behind arithmetic.

    Source
    ------
    Liu, Zaharia, Abbeel (2023), arXiv 2310.01889, "Ring Attention"; even shares of a causal prompt: Brandon et al.
    (2023), arXiv 2311.09431, "Striped Attention".
    """
    exchange_s = (groups - 1.0) / groups * cache_byte / (link_byte_per_s * link_fraction)
    return alone_s / groups + exchange_s + layers * (groups - 1.0) * hop_s
