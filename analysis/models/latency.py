"""Seconds of one step on a machine that runs kernel after kernel: roofline, launches, host.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def operator_time(
    moved_byte: Any,
    bandwidth_byte_per_s: Any,
    bandwidth_fraction: Any,
    work_flop: Any,
    peak_flop_per_s: Any,
    peak_fraction: Any,
) -> Any:
    """Time of one operator, memory and arithmetic overlapping. [s]

    time = max(moved / (bandwidth * bandwidth_fraction), work / (peak * peak_fraction))

    moved                bytes read and written on one device           [B]
    bandwidth            memory bandwidth of the device, datasheet      [B/s]
    bandwidth_fraction   share of it that such kernels reach            [-]
    work                 arithmetic on one device                       [FLOP]
    peak                 dense peak of the number format                [FLOP/s]
    peak_fraction        share of it that such kernels reach            [-]

    Floats or arrays that broadcast; bandwidth, peak and fractions positive.

    Source
    ------
    Williams, Waterman, Patterson (2009), CACM 52(4), "The Roofline Model", applied to each operator.
    """
    return np.maximum(
        moved_byte / (bandwidth_byte_per_s * bandwidth_fraction), work_flop / (peak_flop_per_s * peak_fraction)
    )


def launch_time(operator_s: Any, engine_factor: Any, operators: Any) -> Any:
    """Fixed time of all operators of a step, whatever their size. [s]

    time = operator * engine_factor * operators

    operator        fixed cost of one major operator with its norms and copies   [s]
    engine_factor   the same relative to TensorRT-LLM                            [-]
    operators       major operators in the step, small ones counted in parts     [-]

    Floats or arrays that broadcast.

    Source
    ------
    Fitted form on public serving runs of InferenceX, republished by NVIDIA's aiconfigurator.
    """
    return operator_s * engine_factor * operators


def sequence_time(sequence_s: Any, sequences: Any, saturation: Any) -> Any:
    """Host and sampling time of a step, a little for every sequence in it. [s]

    time = sequence * sequences / (1 + sequences / saturation)

    sequence     time per sequence while they are few                                  [s]
    sequences    sequences decoding in the step                                        [-]
    saturation   sequences at which the cost per sequence has halved; large for none   [-]

    Floats or arrays that broadcast; saturation positive.

    Source
    ------
    Fitted form on public serving runs of InferenceX, republished by NVIDIA's aiconfigurator.
    """
    return sequence_s * sequences / (1.0 + sequences / saturation)


def step_time(roofline_s: Any, launch_s: Any, collective_s: Any, host_s: Any) -> Any:
    """Time of one engine step. [s]

    step = roofline + launch + collective + host

    roofline     all operators at their roofline                          [s]
    launch       fixed time of all operators                              [s]
    collective   reductions among devices, hops between pipeline stages   [s]
    host         per-sequence work                                        [s]

    Floats or arrays that broadcast.

    Source
    ------
    LIMINAL, arXiv 2507.14397 (bandwidth, compute and synchronisation add up); fitted form.
    """
    return roofline_s + launch_s + collective_s + host_s
