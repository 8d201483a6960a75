"""How far a prediction is from a measurement, and how many tokens a step a speculating machine must accept."""

from __future__ import annotations

from typing import Any

import numpy as np


def relative_error(predicted: Any, measured: Any) -> Any:
    """Distance of a prediction from the measurement, over the measurement. [1]

    error = max(predicted / measured - 1, 1 - predicted / measured)

    predicted   what the model says, in any unit        [1]
    measured    what was measured, in the same unit     [1]

    Floats or arrays that broadcast; measured must not be zero. Twice the measured value is 1, half of it 0.5.

    Source
    ------
    Definition; its mean over runs is the MAPE.
    """
    ratio = predicted / measured
    return np.maximum(ratio - 1.0, 1.0 - ratio)


def accepted_tokens_needed(measured_token_per_s: Any, predicted_token_per_s: Any) -> Any:
    """Tokens that each step must yield for a measured speed, if a step takes as long as predicted. [1]

    tau = measured / predicted

    measured    speed of one user as published                           [token/s]
    predicted   speed without speculation, or a bound that it obeys      [token/s]

    Floats or arrays that broadcast. Against a bound it is a lower limit: below 1 the bound says nothing. Against a
    prediction it also holds what kernels gained since, so it is an explanation and not a measurement of speculation.

    Source
    ------
    Leviathan, Kalman, Matias (2022), arXiv 2211.17192 (tokens per verification step).
    """
    return measured_token_per_s / predicted_token_per_s
