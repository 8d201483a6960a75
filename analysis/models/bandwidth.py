"""Memory bandwidth against speed: the naive bound and the same sum solved for each of its terms.

A decode step reads the weights it meets once, and the cache of every sequence; it gives every user `step` tokens (1
without speculation). The bound ignores arithmetic, latency and communication. All arguments are floats or arrays that
broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ONE_TOKEN = 1.0  # tokens a step gives each user without speculation


def read_per_step(weight_byte: Any, sequences: Any, sequence_cache_byte: Any) -> Any:
    """Bytes that one decode step must read at least. [B]

    read = weight + sequences * sequence_cache

    weight           weights the step meets: all of a dense model, the chosen experts of a mixture   [B]
    sequences        sequences decoded together                                                      [-]
    sequence_cache   cache of one of them at its present length                                      [B]

    Floats or arrays that broadcast.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 2.
    """
    return weight_byte + sequences * sequence_cache_byte


def naive_rate(devices: Any, bandwidth_byte_per_s: Any, read_byte: Any, step_tokens: Any = ONE_TOKEN) -> Any:
    """Speed of one user if bandwidth alone decided: the naive bound. [tok/s]

    rate = step * devices * bandwidth / read

    devices     devices that read together                     [-]
    bandwidth   memory bandwidth of one, datasheet             [B/s]
    read        bytes that one decode step reads               [B]
    step        tokens a step gives each user                  [tok]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 2; kipply (2022), "Transformer Inference Arithmetic".
    """
    return step_tokens * devices * bandwidth_byte_per_s / read_byte


def required_bandwidth(target_token_per_s: Any, read_byte: Any, step_tokens: Any = ONE_TOKEN) -> Any:
    """Memory bandwidth of all devices together that a speed per user asks for. [B/s]

    required = target * read / step

    target   speed wanted for each user                    [tok/s]
    read     bytes that one decode step reads              [B]
    step     tokens a step gives each user                 [tok]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    The naive bound solved for the bandwidth.
    """
    return target_token_per_s * read_byte / step_tokens


def devices_for_rate(
    target_token_per_s: Any, read_byte: Any, bandwidth_byte_per_s: Any, step_tokens: Any = ONE_TOKEN
) -> Any:
    """Fewest devices whose bandwidths together reach a speed per user. [-]

    devices = ceil(target * read / (step * bandwidth))

    target      speed wanted for each user                    [tok/s]
    read        bytes that one decode step reads              [B]
    bandwidth   memory bandwidth of one, datasheet            [B/s]
    step        tokens a step gives each user                 [tok]

    Floats or arrays that broadcast, all positive. More devices do not speed up a stream that one layer's region serves.

    Source
    ------
    The naive bound solved for the devices.
    """
    return np.ceil(target_token_per_s * read_byte / (step_tokens * bandwidth_byte_per_s))


def weight_width_for_rate(
    target_token_per_s: Any,
    devices: Any,
    bandwidth_byte_per_s: Any,
    cache_read_byte: Any,
    weights: Any,
    step_tokens: Any = ONE_TOKEN,
) -> Any:
    """Widest weight, scales included, with which a speed per user is reached. [B]

    width = (step * devices * bandwidth / target - cache_read) / weights

    target       speed wanted for each user                               [tok/s]
    devices      devices that read together                               [-]
    bandwidth    memory bandwidth of one, datasheet                       [B/s]
    cache_read   cache of all sequences, read once a step                 [B]
    weights      weights that a step meets, their number                  [-]
    step         tokens a step gives each user                            [tok]

    Floats or arrays that broadcast. Negative if the cache alone takes longer. Eight bits are one byte.

    Source
    ------
    The naive bound solved for the width of a weight.
    """
    return (step_tokens * devices * bandwidth_byte_per_s / target_token_per_s - cache_read_byte) / weights


def sequences_for_rate(
    target_token_per_s: Any,
    devices: Any,
    bandwidth_byte_per_s: Any,
    weight_byte: Any,
    sequence_cache_byte: Any,
    step_tokens: Any = ONE_TOKEN,
) -> Any:
    """Most sequences decoded together at a speed per user. [-]

    sequences = floor((step * devices * bandwidth / target - weight) / sequence_cache)

    target           speed wanted for each user                           [tok/s]
    devices          devices that read together                           [-]
    bandwidth        memory bandwidth of one, datasheet                   [B/s]
    weight           weights the step meets                               [B]
    sequence_cache   cache of one sequence at its present length          [B]
    step             tokens a step gives each user                        [tok]

    Floats or arrays that broadcast. Below one if the speed is out of reach. The weights that a mixture meets grow with
    the sequences: pass those met at the answer.

    Source
    ------
    The naive bound solved for the batch.
    """
    free_byte = step_tokens * devices * bandwidth_byte_per_s / target_token_per_s - weight_byte
    return np.floor(free_byte / sequence_cache_byte)


def context_for_rate(
    target_token_per_s: Any,
    devices: Any,
    bandwidth_byte_per_s: Any,
    weight_byte: Any,
    sequences: Any,
    fixed_byte: Any,
    growing_byte_per_token: Any,
    step_tokens: Any = ONE_TOKEN,
) -> Any:
    """Longest context at which a speed per user is reached. [tok]

    context = ((step * devices * bandwidth / target - weight) / sequences - fixed) / growing

    target      speed wanted for each user                                          [tok/s]
    devices     devices that read together                                          [-]
    bandwidth   memory bandwidth of one, datasheet                                  [B/s]
    weight      weights the step meets                                              [B]
    sequences   sequences decoded together                                          [-]
    fixed       full windows and state of one sequence                              [B]
    growing     cache one more token adds, layers without window                    [B/tok]
    step        tokens a step gives each user                                       [tok]

    Floats or arrays that broadcast; growing positive. Negative if the speed is out of reach at any context. Holds for
    contexts longer than the windows.

    Source
    ------
    The naive bound solved for the context.
    """
    free_byte = step_tokens * devices * bandwidth_byte_per_s / target_token_per_s - weight_byte
    return (free_byte / sequences - fixed_byte) / growing_byte_per_token
