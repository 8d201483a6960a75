"""What narrower, fewer and fused numbers leave to store, read and launch.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any


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
