"""Rates that no software can exceed: datasheet bandwidth and dense peak of all devices ().

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def memory_ceiling(devices: Any, bandwidth_byte_per_s: Any, streamed_byte_per_token: Any) -> Any:
    """Fastest decode of one user that the memory of all devices allows. [tok/s]

    rate = devices * bandwidth / streamed

    devices     devices used                                                                       [-]
    bandwidth   memory bandwidth of one, datasheet                                                 [B/s]
    streamed    bytes that one step must read: weights met, head, cache of all its sequences       [B/tok]

    Floats or arrays that broadcast; streamed positive. One step is one token of every user.

    Source
    ------
    Every byte must be read once per step.
    """
    return devices * bandwidth_byte_per_s / streamed_byte_per_token


def compute_ceiling(devices: Any, peak_flop_per_s: Any, work_flop_per_token: Any) -> Any:
    """Fastest decode of one user that the arithmetic of all devices allows. [tok/s]

    rate = devices * peak / work

    devices   devices used                                                      [-]
    peak      dense peak of one in the number format used                       [FLOP/s]
    work      arithmetic of one step, all its sequences                         [FLOP/tok]

    Floats or arrays that broadcast; work positive. One step is one token of every user.

    Source
    ------
    Williams, Waterman, Patterson (2009), CACM 52(4), "The Roofline Model".
    """
    return devices * peak_flop_per_s / work_flop_per_token


def within_ceiling(predicted_s: Any, ceiling_s: Any) -> Any:
    """A predicted time, never below what the hardware needs at least. [s]

    time = max(predicted, ceiling)

    predicted   what the fitted form says                               [s]
    ceiling     shortest time that datasheet figures allow              [s]

    Floats or arrays that broadcast.

    Source
    ------
    A fitted share above one must not outrun the datasheet.
    """
    return np.maximum(predicted_s, ceiling_s)
