"""When a series has left its baseline: cumulative sums and how often they err."""

from __future__ import annotations

from typing import Any

import numpy as np

SIEGMUND_CORRECTION = 1.166  # mean overshoot of a boundary by a normal walk, on both sides: 2 x 0.583


def standardised(value: Any, mean: Any, noise: Any) -> Any:
    """A value's distance from the baseline in units of its noise. [1]

    distance = (value - mean) / noise

    value     what was observed                                  [1]
    mean      mean of the baseline                               [1]
    noise     standard deviation of the baseline                 [1]

    Floats or arrays that broadcast; noise positive.

    Source
    ------
    Definition.
    """
    return (value - mean) / noise


def cumulative_sum(before: Any, distance: Any, allowance: Any) -> Any:
    """One-sided cumulative sum: evidence that a series has moved up by more than twice the allowance. [1]

    evidence = max(0, before + distance - allowance)

    before      evidence so far                                            [1]
    distance    standardised distance of the new value, worse positive     [1]
    allowance   half of the shift to be found, in units of the noise       [1]

    Floats or arrays that broadcast.

    Source
    ------
    Page (1954), "Continuous inspection schemes", Biometrika 41.
    """
    return np.maximum(0.0, before + distance - allowance)


def run_length(allowance: Any, limit: Any, correction: Any = SIEGMUND_CORRECTION) -> Any:
    """Observations between two false alarms of a one-sided cumulative sum over independent normal noise. [1]

    length = (exp(exponent) - exponent - 1) / (2 * allowance^2)
    exponent = 2 * allowance * (limit + correction)

    allowance    half of the shift to be found, in units of the noise     [1]
    limit        evidence at which an alarm is raised                     [1]
    correction   mean overshoot of the limit                              [1]

    Floats or arrays that broadcast; allowance positive.

    Source
    ------
    Siegmund (1985), "Sequential Analysis", section 2.6: corrected diffusion approximation.
    """
    exponent = 2 * allowance * (limit + correction)
    return (np.exp(exponent) - exponent - 1) / (2 * allowance**2)


def alarm_limit(allowance: Any, length: Any, correction: Any = SIEGMUND_CORRECTION) -> Any:
    """Evidence at which to raise an alarm, so that noise alone does so once in `length` observations. [1]

    limit = ln(2 * allowance^2 * length) / (2 * allowance) - correction

    allowance    half of the shift to be found, in units of the noise     [1]
    length       observations between two false alarms                    [1]
    correction   mean overshoot of the limit                              [1]

    Floats or arrays that broadcast, positive; the length far above 1 / (2 allowance^2).

    Source
    ------
    The inverse of the run length, its exponent left out beside its exponential (Siegmund 1985, section 2.6).
    """
    return np.log(2 * allowance**2 * length) / (2 * allowance) - correction


def correlated_noise(noise: Any, correlation: Any) -> Any:
    """Noise of independent values that would wander as far as values that follow each other. [1]

    wide = noise * sqrt((1 + correlation) / (1 - correlation))

    noise         standard deviation of single values                     [1]
    correlation   correlation of each value with the one before           [1]

    Floats or arrays that broadcast; correlation in 0 to below 1.

    Source
    ------
    Long-run variance of a first-order autoregressive series.
    """
    return noise * np.sqrt((1 + correlation) / (1 - correlation))
