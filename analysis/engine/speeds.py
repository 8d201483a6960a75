"""What every form answers: times of a step, a prompt and a request, and where the time of a token goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.engine.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Seconds of one step (or prompt) by cause, shape (cases,); the sum is the whole time."""

    memory_s: Floats
    compute_s: Floats
    latency_s: Floats
    communication_s: Floats
    host_s: Floats

    @property
    def total_s(self) -> Floats:
        """All causes together. [s]"""
        return self.memory_s + self.compute_s + self.latency_s + self.communication_s + self.host_s

    def plus(self, other: Terms, times: Floats) -> Terms:
        """These terms and `times` those of another step."""
        return Terms(
            memory_s=self.memory_s + times * other.memory_s,
            compute_s=self.compute_s + times * other.compute_s,
            latency_s=self.latency_s + times * other.latency_s,
            communication_s=self.communication_s + times * other.communication_s,
            host_s=self.host_s + times * other.host_s,
        )


@dataclass(frozen=True, kw_only=True)
class Speeds:
    """Times of many cases, shape (cases,); nan where a form has no answer.

    decode_step_s   one step with all sequences at the middle of their output
    tpot            the terms of the time per token, prefill share included
    running         sequences that have room, all copies; the others wait
    in_step         sequences of one copy that are past their first token
    prefill_share_s the part of the time per token that other requests' prompts take
    """

    decode_step_s: Floats
    prefill_s: Floats
    tpot_s: Floats
    ttft_s: Floats
    e2e_s: Floats
    output_rate: Floats
    running: Floats
    in_step: Floats
    decode: Terms
    tpot: Terms
    prefill_share_s: Floats


def nothing(count: int) -> Floats:
    """So many unknowns. (count,)"""
    return np.full(count, np.nan)


def speeds_of(
    times: tuple[Floats, Floats, Floats, Floats, Floats, Floats],
    sequences: tuple[Floats, Floats],
    terms: tuple[Terms, Terms],
    prefill_share_s: Floats,
) -> Speeds:
    """Speeds from their parts.

    times      decode step, prefill, time per token, time to first token, end to end, output rate
    sequences  with room in all copies, past their first token in one copy
    terms      of a decode step, of the time per token
    """
    step, prefill, tpot, ttft, e2e, rate = times
    return Speeds(
        decode_step_s=step,
        prefill_s=prefill,
        tpot_s=tpot,
        ttft_s=ttft,
        e2e_s=e2e,
        output_rate=rate,
        running=sequences[0],
        in_step=sequences[1],
        decode=terms[0],
        tpot=terms[1],
        prefill_share_s=prefill_share_s,
    )


def unanswered(count: int) -> Speeds:
    """Speeds of so many cases that nothing is known of."""
    unknown = nothing(count)
    terms = Terms(memory_s=unknown, compute_s=unknown, latency_s=unknown, communication_s=unknown, host_s=unknown)
    return speeds_of((unknown,) * 6, (unknown, unknown), (terms, terms), unknown)
