"""What weights that do not lie in a device's memory, or caches made elsewhere, cost when they come through a link.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def rate_with_hits(link_byte_per_s: Any, touched_byte_per_token: Any, hit_fraction: Any) -> Any:
    """Fastest stream if the weights that are not resident come through a link. [token/s]

    rate = link / (touched * (1 - hit_fraction))

    link           bandwidth through which missing weights come, all links that work at once   [B/s]
    touched        weights that one token meets                                                [B/token]
    hit_fraction   share of them that is resident                                              [1]

    Floats or arrays that broadcast, the first two positive. Infinite if everything is resident.

    Source
    ------
    Counting: what is missing must cross the link before the token is done.
    """
    with np.errstate(divide="ignore"):
        return np.divide(link_byte_per_s, touched_byte_per_token * (1.0 - hit_fraction))


def hit_rate_needed(rate_token_per_s: Any, touched_byte_per_token: Any, link_byte_per_s: Any) -> Any:
    """Share of what a token meets that must be resident for a speed. [1]

    hit = max(0, 1 - link / (rate * touched))

    rate      speed of one stream                                                         [token/s]
    touched   weights that one token meets                                                [B/token]
    link      bandwidth through which missing weights come, all links that work at once   [B/s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    The fastest stream solved for the share.
    """
    return np.maximum(0.0, 1.0 - link_byte_per_s / (rate_token_per_s * touched_byte_per_token))


def transfer_time(moved_byte: Any, links: Any, link_byte_per_s: Any) -> Any:
    """Time to move bytes through links that work at once: missing experts, a whole model, a prompt's cache. [s]

    time = moved / (links * link)

    moved   what has to come                    [B]
    links   links that work at the same time    [1]
    link    bandwidth of one, one direction     [B/s]

    Floats or arrays that broadcast; links and link positive. Nothing of it is hidden behind what runs meanwhile; Zhong
    et al. (2024), "DistServe", arXiv 2401.09670, hide a part of a cache's way behind the prompt.

    Source
    ------
    Counting.
    """
    return moved_byte / (links * link_byte_per_s)


def step_with_transfer(step_s: Any, transfer_s: Any, hidden_fraction: Any) -> Any:
    """Time of a step whose missing weights come meanwhile, as far as they were asked for early enough. [s]

    time = step + transfer - hidden_fraction * min(step, transfer)

    step              the step if everything were resident                                  [s]
    transfer          time to move what is missing                                          [s]
    hidden_fraction   share of the shorter of the two that runs beside the longer           [1]

    Floats or arrays that broadcast. 0 loads on demand, 1 knows every expert ahead and takes the longer of the two.

    Source
    ------
    Counting.
    """
    return step_s + transfer_s - hidden_fraction * np.minimum(step_s, transfer_s)


def ranked_popularity(chosen: Any, rank: Any, exponent: Any, norm: Any) -> Any:
    """Chance that a token is sent to the expert of this rank, where few experts do most of the work. [1]

    popularity = min(1, chosen / (norm * rank^exponent))

    chosen     experts each token is sent to                                              [1]
    rank       place of the expert, the most popular first                                [1]
    exponent   0 for even routing; the larger, the fewer experts do the work              [1]
    norm       what makes the popularities of all experts add up to `chosen`              [1]

    Floats or arrays that broadcast, all but exponent positive. Nobody is sent to one expert twice, so no more than 1.

    Source
    ------
    Zipf (1949), "Human Behavior and the Principle of Least Effort"; as a stand-in for routing, not fitted to any model.
    """
    return np.minimum(1.0, chosen / (norm * np.power(rank, exponent)))


def chance_met(popularity_share: Any, rows: Any) -> Any:
    """Chance that at least one token of a step is sent to an expert; summed over experts, those that are met. [1]

    met = 1 - (1 - popularity_share)^rows

    popularity_share   chance that one token is sent to it   [1]
    rows               tokens in the step                    [1]

    Floats or arrays that broadcast. With even routing the sum is the number of distinct experts of a step.

    Source
    ------
    Counting: an expert is missed by one token with probability 1 - popularity.
    """
    return 1.0 - np.power(1.0 - popularity_share, rows)
