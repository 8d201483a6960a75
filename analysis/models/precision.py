"""What narrower, fewer and fused numbers leave to store, read and launch.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def pruned_width(width_byte: Any, kept_fraction: Any, index_byte: Any) -> Any:
    """Bytes that a weight takes on average where only some are stored, each with its place. [B]

    pruned = kept_fraction * (width + index)

    width           bytes of one weight, scales included              [B]
    kept_fraction   share of the weights that pruning leaves          [1]
    index           bytes that say where a kept one belongs           [B]

    Floats or arrays that broadcast. Two of four with two bits of place each: 16 bits become 9, 8 bits become 5.

    Source
    ------
    Mishra et al. (2021), arXiv 2104.08378, "Accelerating Sparse Deep Neural Networks", section 3 (two index bits).
    """
    return kept_fraction * (width_byte + index_byte)


def assumed_speed(rate_token_per_s: Any, gain: Any, ceiling_token_per_s: Any) -> Any:
    """What a speed would be if other software were that much faster, never above what the hardware allows. [token/s]

    speed = min(rate * gain, ceiling)

    rate      speed as predicted                               [token/s]
    gain      how much faster the software is imagined to be   [1]
    ceiling   what bandwidth and peak allow                    [token/s]

    Floats or arrays that broadcast. An assumption put in by a person, no prediction.

    Source
    ------
    Arithmetic.
    """
    return np.minimum(rate_token_per_s * gain, ceiling_token_per_s)


def byte_ratio(after_byte: Any, before_byte: Any) -> Any:
    """Bytes after a change over bytes before it. [1]

    ratio = after / before

    after    bytes with the change      [B]
    before   bytes without it           [B]

    Floats or arrays that broadcast; before positive.

    Source
    ------
    Definition.
    """
    return after_byte / before_byte
