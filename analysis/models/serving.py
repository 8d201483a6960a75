"""Latencies and rates with several requests in flight, prefill and decode on the same devices.

All arguments are floats or arrays that broadcast, and pint quantities alike. `generated` is the number of tokens
generated per request.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def time_per_token(step_s: Any, delaying: Any, sequences: Any, prefill_s: Any, generated: Any) -> Any:
    """Mean time between two tokens of a request: a decode step and its share of other requests' prefills. [s]

    tpot = step + delaying * sequences * prefill / generated

    step        one decode step with all sequences                           [s]
    delaying    share of the prefill work that makes decoders wait           [-]
    sequences   sequences decoding together                                  [-]
    prefill     prefill of one prompt alone                                  [s]
    generated   tokens generated per request                                 [-]

    Floats or arrays that broadcast; generated positive.

    Source
    ------
    Conservation of work in a closed loop: every step carries sequences / generated prefills.
    """
    return step_s + delaying * sequences * prefill_s / generated


def time_to_first_token(
    prefill_s: Any, step_s: Any, in_flight: Any, front_s: Any = 0.0, steps: Any = 0.5, waiting: Any = 0.0
) -> Any:
    """Mean time from sending a request to its first token. [s]

    ttft = front + prefill + steps * step + waiting * in_flight * prefill

    prefill     prefill of one prompt alone                                      [s]
    step        one decode step of the requests already running                  [s]
    in_flight   requests in flight                                               [-]
    front       host time before a request reaches the scheduler                 [s]
    steps       decode steps that pass before its prompt is computed             [-]
    waiting     share of the other requests' prompts that are computed before    [-]

    Floats or arrays that broadcast, none negative.

    Source
    ------
    A queue in front of one server; shares fitted to public serving runs. Bursts of the client are only in the mean.
    """
    return front_s + prefill_s + steps * step_s + waiting * in_flight * prefill_s


def request_time(ttft_s: Any, tpot_s: Any, generated: Any) -> Any:
    """Mean time from sending a request to its last token. [s]

    e2e = ttft + (generated - 1) * tpot

    ttft        time to the first token        [s]
    tpot        time between two tokens        [s]
    generated   tokens generated per request   [-]

    Floats or arrays that broadcast; generated at least 1.

    Source
    ------
    Definition.
    """
    return ttft_s + (generated - 1.0) * tpot_s


def decoding_sequences(in_flight: Any, generated: Any, tpot_s: Any, ttft_s: Any) -> Any:
    """Requests in flight that are past their first token. [-]

    decoding = max(in_flight * generated * tpot / (ttft + generated * tpot), 1)

    in_flight   requests in flight             [-]
    generated   tokens generated per request   [-]
    tpot        time between two tokens        [s]
    ttft        time to the first token        [s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Little's law on the decoding phase.
    """
    return np.maximum(in_flight * generated * tpot_s / (ttft_s + generated * tpot_s), 1.0)


def output_rate(in_flight: Any, generated_tokens: Any, e2e_s: Any) -> Any:
    """Generated tokens per second of the whole system. [tok/s]

    rate = in_flight * generated / e2e

    in_flight   requests in flight                     [-]
    generated   tokens generated per request           [tok]
    e2e         time from sending to the last token    [s]

    Floats or arrays that broadcast; e2e positive.

    Source
    ------
    Little (1961), "A proof for the queuing formula L = lambda W".
    """
    return in_flight * generated_tokens / e2e_s


def full_machine_rate(batch: Any, step_s: Any, prefill_s: Any, generated_tokens: Any, token_tokens: Any = 1.0) -> Any:
    """Generated tokens per second of a machine kept full from a queue that never empties. [tok/s]

    rate = batch * generated / ((generated / token) * step + batch * prefill)

    batch       sequences decoding together                              [-]
    step        one decode step with all of them                         [s]
    prefill     prefill of one prompt, several prompts together          [s]
    generated   tokens generated per request                             [tok]
    token       one token, the step's progress                           [tok]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Conservation of work: a full machine pays the steps of a batch and the prompts of a batch.
    """
    return batch * generated_tokens / (generated_tokens / token_tokens * step_s + batch * prefill_s)
