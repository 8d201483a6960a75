"""What one step of a transformer asks of a device: weights moved, arithmetic done, experts met.

All arguments are floats or arrays that broadcast, and pint quantities alike. Rows are tokens going through a matrix
in one step, all sequences together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MAC_FLOP = 2.0  # one multiplication and one addition


def distinct_experts(experts: Any, chosen: Any, rows: Any) -> Any:
    """Experts of a layer that at least one token of the step is sent to. [-]

    hit = experts * (1 - (1 - chosen / experts) ^ rows)

    experts   routed experts of the layer                [-]
    chosen    experts each token is sent to              [-]
    rows      tokens in the step                         [-]

    Floats or arrays that broadcast, chosen from 1 to experts. Equals chosen for one token and tends to experts;
    never above rows * chosen. Routing is taken as even; a token picks distinct experts.

    Source
    ------
    Counting: an expert is missed by one token with probability 1 - chosen / experts.
    """
    return experts * (1.0 - np.power(1.0 - chosen / experts, rows))


def local_cached_heads(kv_heads: Any, tp: Any) -> Any:
    """Cached heads that one device of a tensor-parallel group holds. [-]

    held = max(kv_heads / tp, 1)

    kv_heads   heads in the cache                     [-]
    tp         devices that share attention           [-]

    Floats or arrays that broadcast, each at least 1. A head cannot be cut: wider groups keep copies.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 3.3.
    """
    return np.maximum(kv_heads / tp, 1.0)


def matrix_traffic(weights: Any, weight_byte: Any, rows: Any, activations: Any, activation_byte: Any = 2.0) -> Any:
    """Bytes moved by one matrix product: its weights once, the vectors in and out of it for every row. [B]

    moved = weights * weight + rows * activations * activation

    weights       elements of the matrix on this device             [-]
    weight        bytes of one weight, scales included              [B]
    rows          tokens going through the matrix                   [-]
    activations   elements read and written per token               [-]
    activation    bytes of one activation                           [B]

    Floats or arrays that broadcast, none negative.

    Source
    ------
    Counting.
    """
    return weights * weight_byte + rows * activations * activation_byte


def matrix_work(weights: Any, rows: Any, mac_flop: Any = MAC_FLOP) -> Any:
    """Arithmetic of one matrix product. [FLOP]

    work = mac * rows * weights

    weights   elements of the matrix on this device                                  [-]
    rows      tokens going through the matrix                                        [-]
    mac       arithmetic of one multiply-accumulate: a product and a sum             [FLOP]

    Floats or arrays that broadcast, none negative.

    Source
    ------
    Counting.
    """
    return mac_flop * rows * weights


def stored_entries(context_tokens: Any, window_tokens: Any, history_ratio: Any, keeps_history: Any) -> Any:
    """Cache entries of one sequence in one layer. [tok]

    entries = min(context, window) + keeps_history * context / history_ratio

    context         tokens in the sequence                                                        [tok]
    window          tokens kept one by one; above any context if all, 0 if only compressed ones    [tok]
    history_ratio   tokens of history per compressed entry                                         [-]
    keeps_history   1 where compressed history is kept beside the window, else 0                   [-]

    Floats or arrays that broadcast, none negative, history_ratio at least 1.

    Source
    ------
    Counting.
    """
    return np.minimum(context_tokens, window_tokens) + keeps_history * context_tokens / history_ratio
