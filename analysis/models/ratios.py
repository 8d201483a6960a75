"""Two figures of one kind set against each other.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any


def times_the_bandwidth(claimed_byte_per_s: Any, reference_byte_per_s: Any) -> Any:
    """How many times one bandwidth is of another. [1]

    times = claimed / reference

    claimed     the bandwidth in question            [B/s]
    reference   the bandwidth it is held against     [B/s]

    Floats or arrays that broadcast, reference positive. Near a power of 1,000 a prefix slipped, near 8 bits were taken
    for bytes.

    Source
    ------
    Definition.
    """
    return claimed_byte_per_s / reference_byte_per_s


def times_the_peak(claimed_flop_per_s: Any, reference_flop_per_s: Any) -> Any:
    """How many times one arithmetic rate is of another. [1]

    times = claimed / reference

    claimed     the rate in question           [FLOP/s]
    reference   the rate it is held against    [FLOP/s]

    Floats or arrays that broadcast, reference positive.

    Source
    ------
    Definition.
    """
    return claimed_flop_per_s / reference_flop_per_s


def times_the_memory(claimed_byte: Any, reference_byte: Any) -> Any:
    """How many times one amount of memory is of another. [1]

    times = claimed / reference

    claimed     the amount in question           [B]
    reference   the amount it is held against    [B]

    Floats or arrays that broadcast, reference positive.

    Source
    ------
    Definition.
    """
    return claimed_byte / reference_byte


def times_the_speed(claimed_token_per_s: Any, reference_token_per_s: Any) -> Any:
    """How many times one speed is of another. [1]

    times = claimed / reference

    claimed     the speed in question           [token/s]
    reference   the speed it is held against    [token/s]

    Floats or arrays that broadcast, reference positive.

    Source
    ------
    Definition.
    """
    return claimed_token_per_s / reference_token_per_s


def times_the_count(claimed: Any, reference: Any) -> Any:
    """How many times one count is of another. [1]

    times = claimed / reference

    claimed     the count in question           [1]
    reference   the count it is held against    [1]

    Floats or arrays that broadcast, reference positive.

    Source
    ------
    Definition.
    """
    return claimed / reference


def factor_of_gain(gain_fraction: Any) -> Any:
    """What a gain multiplies. [1]

    factor = 1 + gain_fraction

    gain_fraction   the gain as a share of what was there before   [1]

    Floats or arrays that broadcast.

    Source
    ------
    Definition.
    """
    return 1.0 + gain_fraction


def rate_of_each(rate_token_per_s: Any, devices: Any) -> Any:
    """Output tokens per second that each device contributes. [token/s]

    each = rate / devices

    rate      output tokens of all devices together   [token/s]
    devices   devices at work                         [1]

    Floats or arrays that broadcast, devices positive.

    Source
    ------
    Definition.
    """
    return rate_token_per_s / devices
