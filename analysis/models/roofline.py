"""The roofline: what arithmetic and memory allow an operator, and how much of either a run has used.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MAC_FLOP = 2.0  # a multiply and an add


def arithmetic_intensity(work_flop: Any, traffic_byte: Any) -> Any:
    """Arithmetic done per byte moved to or from memory. [FLOP/B]

    intensity = work / traffic

    work      arithmetic of the operator                          [FLOP]
    traffic   weights, cache and activations that it moves        [B]

    Floats or arrays that broadcast, traffic positive.

    Source
    ------
    Williams, Waterman, Patterson (2009), CACM 52(4), "The Roofline Model" (operational intensity).
    """
    return work_flop / traffic_byte


def attainable_rate(intensity_flop_per_byte: Any, peak_flop_per_s: Any, bandwidth_byte_per_s: Any) -> Any:
    """Fastest arithmetic that neither ceiling forbids. [FLOP/s]

    rate = min(peak, bandwidth * intensity)

    intensity   arithmetic done per byte moved to or from memory    [FLOP/B]
    peak        dense peak of the number format in use              [FLOP/s]
    bandwidth   memory bandwidth, decimal bytes                     [B/s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Williams, Waterman, Patterson (2009), CACM 52(4), "The Roofline Model".
    """
    return np.minimum(peak_flop_per_s, bandwidth_byte_per_s * intensity_flop_per_byte)


def ridge_intensity(peak_flop_per_s: Any, bandwidth_byte_per_s: Any) -> Any:
    """Intensity at which memory and arithmetic take equally long. [FLOP/B]

    ridge = peak / bandwidth

    peak        dense peak of the number format in use   [FLOP/s]
    bandwidth   memory bandwidth, decimal bytes          [B/s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Williams, Waterman, Patterson (2009), CACM 52(4), "The Roofline Model" (ridge point).
    """
    return peak_flop_per_s / bandwidth_byte_per_s


def ideal_operator_time(traffic_byte: Any, bandwidth_byte_per_s: Any, work_flop: Any, peak_flop_per_s: Any) -> Any:
    """Shortest time of an operator whose traffic and arithmetic overlap fully. [s]

    time = max(traffic / bandwidth, work / peak)

    traffic     weights, cache and activations that it moves    [B]
    bandwidth   memory bandwidth, decimal bytes                 [B/s]
    work        arithmetic of the operator                      [FLOP]
    peak        dense peak of the number format in use          [FLOP/s]

    Floats or arrays that broadcast; bandwidth and peak positive. Every efficiency is one and no start-up is counted.

    Source
    ------
    Williams, Waterman, Patterson (2009), CACM 52(4), "The Roofline Model"; LIMINAL, arXiv 2507.14397 (max of both).
    """
    return np.maximum(traffic_byte / bandwidth_byte_per_s, work_flop / peak_flop_per_s)


def critical_batch(
    peak_flop_per_s: Any,
    bandwidth_byte_per_s: Any,
    weight_byte: Any,
    experts: Any = 1.0,
    chosen: Any = 1.0,
    mac_flop: Any = MAC_FLOP,
) -> Any:
    """Tokens in a step from which a weight matrix is bound by arithmetic instead of memory. [-]

    batch = peak * weight / (mac * bandwidth) * experts / chosen

    peak        dense peak of the number format in use              [FLOP/s]
    bandwidth   memory bandwidth, decimal bytes                     [B/s]
    weight      bytes of one weight, scales included                [B]
    experts     routed experts; 1 for a dense matrix                [-]
    chosen      experts that one token is sent to                   [-]
    mac         arithmetic of one multiply-accumulate               [FLOP]

    Floats or arrays that broadcast, all positive. Activations are not counted; experts are taken as all hit.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 2; follows from the ridge with two operations a weight and token.
    """
    return peak_flop_per_s * weight_byte / (mac_flop * bandwidth_byte_per_s) * experts / chosen


def model_flop_utilisation(rate_token_per_s: Any, work_flop_per_token: Any, devices: Any, peak_flop_per_s: Any) -> Any:
    """Share of the dense peak that the model's own arithmetic has used (MFU). [-]

    share = rate * work / (devices * peak)

    rate      tokens that all devices together have processed      [tok/s]
    work      arithmetic the model needs for one token             [FLOP/tok]
    devices   devices that worked                                  [-]
    peak      dense peak of one in the number format in use        [FLOP/s]

    Floats or arrays that broadcast, all positive. Arithmetic that is done twice does not count.

    Source
    ------
    Chowdhery et al. (2022), arXiv 2204.02311 (PaLM), appendix B.
    """
    return rate_token_per_s * work_flop_per_token / (devices * peak_flop_per_s)


def model_bandwidth_utilisation(read_byte: Any, step_s: Any, devices: Any, bandwidth_byte_per_s: Any) -> Any:
    """Share of the memory bandwidth that weights and cache of a decode step have used (MBU). [-]

    share = read / step / (devices * bandwidth)

    read        weights met and cache of all sequences, once a step   [B]
    step        time of one decode step                               [s]
    devices     devices that worked                                   [-]
    bandwidth   memory bandwidth of one, datasheet                    [B/s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Agarwal et al. (2023), Databricks, "LLM Inference Performance Engineering: Best Practices".
    """
    return read_byte / step_s / (devices * bandwidth_byte_per_s)
