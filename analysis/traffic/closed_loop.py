"""A fixed number of requests in flight, each followed by the next: throughput against the speed each person sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.models.mesh import shared_stream_time
from analysis.models.serving import (
    decoding_sequences,
    output_rate,
    request_time,
    time_per_token,
    time_to_first_token,
)
from analysis.traffic.replica import Replica
from analysis.traffic.requests import RequestMix
from analysis.traffic.spread import Floats


@dataclass(frozen=True, kw_only=True)
class Flight:
    """Means over requests for each number of them in flight; nan where the machine gives no figure. (loads,)"""

    concurrency: Floats
    ttft_s: Floats
    tpot_s: Floats
    e2e_s: Floats
    output_token_per_s: Floats


def in_flight(replica: Replica, mix: RequestMix, concurrency: Floats) -> Flight:
    """The engine's closed loop for one replica, with the mean lengths of the requests and what the cache spares."""
    generated = mix.output_tokens.mean
    prompt = replica.prompt_s(mix.prompts, mix.cached_fraction).mean
    running = np.minimum(concurrency, max(replica.room, 1.0))
    tpot, ttft = _times(replica, running, prompt, generated)
    e2e = request_time(ttft, tpot, generated)
    queue = e2e * (concurrency / running - 1.0)
    return Flight(
        concurrency=concurrency,
        ttft_s=ttft + queue,
        tpot_s=tpot,
        e2e_s=e2e + queue,
        output_token_per_s=np.asarray(output_rate(concurrency, generated, e2e + queue)),
    )


def _times(replica: Replica, running: Floats, prompt_s: float, generated: float) -> tuple[Floats, Floats]:
    """Time per token and to the first one, as each form of machine has it in the engine."""
    hold = prompt_s / replica.stages
    if replica.layer_s:
        tpot = shared_stream_time(replica.step_s(running), running, replica.layer_s, hold, generated)
        return np.asarray(tpot), np.full_like(running, prompt_s)
    if replica.delaying_share >= 1.0:  # weights stream: prompts of all others interrupt
        step = replica.step_s(running)
        tpot = time_per_token(step, 1.0, running - 1.0, hold, generated)
        return np.asarray(tpot), np.asarray(time_to_first_token(prompt_s, np.where(running > 1, step, 0.0), running))
    first = (replica.front_s, replica.first_steps, replica.waiting_share * hold / prompt_s if prompt_s else 0.0)
    step, delaying = replica.step_s(running), replica.delaying_share
    tpot = time_per_token(step, delaying, running, hold, generated)
    wait = time_to_first_token(prompt_s, step, running, *first)
    sharing = np.asarray(decoding_sequences(running, generated, tpot, wait))
    step = replica.step_s(sharing)
    tpot = time_per_token(step, delaying, sharing, hold, generated)
    return np.asarray(tpot), np.asarray(time_to_first_token(prompt_s, step, running, *first))
