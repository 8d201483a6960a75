"""Replicas, prompts computed elsewhere or in chunks, and what a late start costs.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_TOLERANCE = 1e-9  # keeps an exact multiple whole in floating point


def saturation_rate(prefill_s: Any, generated: Any, step_s: Any, batch: Any) -> Any:
    """Requests per second at which a machine has no time left. [1/s]

    rate = 1 / (prefill + generated * step / batch)

    prefill     time that one prompt takes the machine           [s]
    generated   tokens generated per request                     [-]
    step        one decode step of the largest batch             [s]
    batch       sequences in that batch                          [-]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Conservation of work: a request takes its prompt and its share of the steps.
    """
    return 1.0 / (prefill_s + generated * step_s / batch)


def replicas_for_rate(rate_per_s: Any, replica_per_s: Any) -> Any:
    """Replicas that carry a load. [-]

    replicas = max(1, ceil(rate / replica))

    rate      requests arriving                          [1/s]
    replica   requests that one replica may be given     [1/s]

    Floats or arrays that broadcast; infinite where a replica may be given none. A whole multiple stays whole in
    floating point.

    Source
    ------
    Arithmetic.
    """
    return np.maximum(1.0, np.ceil(rate_per_s / replica_per_s * (1.0 - _TOLERANCE)))


def prefill_balance(prefill_s: Any, batch: Any, generated: Any, step_s: Any) -> Any:
    """Prefill replicas that keep one decode replica with a full batch busy. [-]

    balance = prefill * batch / (generated * step)

    prefill     time that one prompt takes a prefill replica     [s]
    batch       sequences decoding together                      [-]
    generated   tokens generated per request                     [-]
    step        one decode step of the batch                     [s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Conservation of requests: as many prompts are computed as answers end.
    """
    return prefill_s * batch / (generated * step_s)


def mixed_step_time(memory_s: Any, compute_s: Any, other_s: Any, chunk_s: Any) -> Any:
    """A decode step that also computes a chunk of a prompt: the longest gap between two tokens. [s]

    step = max(memory, compute + chunk) + other

    memory    memory time of the decode step                        [s]
    compute   its arithmetic                                        [s]
    other     its launches, collectives and host work               [s]
    chunk     arithmetic of the chunk, its share of the prompt      [s]

    Floats or arrays that broadcast, none negative.

    Source
    ------
    Agrawal et al. (2024), "Sarathi-Serve", arXiv 2403.02310: chunks ride on the bandwidth that decoding waits for.
    """
    return np.maximum(memory_s, compute_s + chunk_s) + other_s


def prompt_chunks(prompt_tokens: Any, budget_tokens: Any, decoding_tokens: Any) -> Any:
    """Steps over which a prompt is spread. [-]

    chunks = ceil(prompt / (budget - decoding))

    prompt     tokens of the prompt                                    [tok]
    budget     tokens that one step may compute                        [tok]
    decoding   tokens of the step that decoding sequences take         [tok]

    Floats or arrays that broadcast; the budget must exceed the decoding tokens.

    Source
    ------
    Agrawal et al. (2024), "Sarathi-Serve", arXiv 2403.02310, section 4.
    """
    return np.ceil(prompt_tokens / (budget_tokens - decoding_tokens))


def load_time(weight_byte: Any, rate_byte_per_s: Any, start_s: Any) -> Any:
    """Time until a new replica answers its first request. [s]

    time = weight / rate + start

    weight   weights of one copy                                            [B]
    rate     rate at which all devices of the replica read them             [B/s]
    start    process start, graph capture and warm-up                       [s]

    Floats or arrays that broadcast; rate positive.

    Source
    ------
    Counting.
    """
    return weight_byte / rate_byte_per_s + start_s


def backlog(rate_per_s: Any, carried_per_s: Any, late_s: Any) -> Any:
    """Requests that pile up until new replicas answer. [-]

    backlog = max(0, rate - carried) * late

    rate      requests arriving after the jump                 [1/s]
    carried   requests that the running replicas can carry     [1/s]
    late      time until the new replicas answer               [s]

    Floats or arrays that broadcast.

    Source
    ------
    Counting.
    """
    return np.maximum(0.0, rate_per_s - carried_per_s) * late_s
