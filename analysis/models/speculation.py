"""What drafting tokens and verifying them in one step gains.

All arguments are floats or arrays that broadcast. A draft of k tokens is verified in one step of the model, which puts
k + 1 tokens of every sequence through the layers: the drafted ones and the one the model had last.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def accepted_tokens(acceptance: Any, drafted: Any) -> Any:
    """Tokens that one verification step yields on average, the model's own included. [1]

    tokens = (1 - acceptance^(drafted + 1)) / (1 - acceptance)

    acceptance   chance that a drafted token is the one the model would have made   [1]
    drafted      tokens drafted one after the other before each verification        [1]

    Floats or arrays that broadcast; acceptance from 0 to 1, where the result is the limit drafted + 1. Every token is
    taken as equally likely to be accepted, whatever came before it.

    Source
    ------
    Leviathan, Kalman, Matias (2022), arXiv 2211.17192, equation 1.
    """
    certain = np.equal(acceptance, 1.0)
    missed = np.where(certain, 1.0, 1.0 - acceptance)
    return np.where(certain, drafted + 1.0, (1.0 - np.power(acceptance, drafted + 1.0)) / missed)


def step_ratio(step_s: Any, plain_step_s: Any) -> Any:
    """Time of a step over the time of the model's own step for one token. [1]

    ratio = step / plain_step

    step         step of a draft model, or the step that verifies a draft     [s]
    plain_step   the model's decode step, one token of every sequence         [s]

    Floats or arrays that broadcast; plain_step positive.

    Source
    ------
    Leviathan, Kalman, Matias (2022), arXiv 2211.17192, definition 3.7 (cost coefficient).
    """
    return step_s / plain_step_s


def speculation_speedup(yielded: Any, draft_steps: Any, draft_ratio: Any, verify_ratio: Any) -> Any:
    """Speed with drafts over speed without. [1]

    speedup = yielded / (draft_steps * draft_ratio + verify_ratio)

    yielded        tokens one verification yields: by acceptance, or as measured     [1]
    draft_steps    steps of the draft before each verification                       [1]
    draft_ratio    one of them over the model's own step                             [1]
    verify_ratio   the verifying step over the model's own step                      [1]

    Floats or arrays that broadcast; the costs together positive. Below 1 drafts make it slower. With acceptance 0 it is
    1 / (draft_steps * draft_ratio + verify_ratio), with 1 it is (drafted + 1) over the same. It is not monotone in
    the draft's length.

    Source
    ------
    Leviathan, Kalman, Matias (2022), arXiv 2211.17192, theorem 3.8, with the verifying step's cost kept instead of 1.
    """
    return yielded / (draft_steps * draft_ratio + verify_ratio)


def tokens_for_speedup(speedup: Any, draft_steps: Any, draft_ratio: Any, verify_ratio: Any) -> Any:
    """Tokens a verification must yield for a speed-up; beyond drafted + 1 no acceptance gives them. [1]

    tokens = speedup * (draft_steps * draft_ratio + verify_ratio)

    speedup        speed wanted over speed without drafts             [1]
    draft_steps    steps of the draft before each verification        [1]
    draft_ratio    one of them over the model's own step              [1]
    verify_ratio   the verifying step over the model's own step       [1]

    Floats or arrays that broadcast, none negative.

    Source
    ------
    The speed-up solved for the tokens.
    """
    return speedup * (draft_steps * draft_ratio + verify_ratio)


def wafer_verify_ratio(arithmetic_share: Any, reuse: Any, drafted: Any) -> Any:
    """Verifying step over the model's own step where weights lie still and only arithmetic grows. [1]

    ratio = 1 + arithmetic_share * reuse * drafted

    arithmetic_share   share of the model's own step spent in multiply-accumulates           [1]
    reuse              cost of one more token in the same pass against the first: a prior    [1]
    drafted            tokens drafted before each verification                               [1]

    Floats or arrays that broadcast. Fixed time of a layer and crossings of its region are paid once.

    Source
    ------
    The layer time of the mesh, divided by itself for one token.
    """
    return 1.0 + arithmetic_share * reuse * drafted
