"""Seconds of one step where few numbers decide: streamed weights and a fixed time per layer.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any


def streamed_step_time(
    weight_byte: Any,
    cache_byte: Any,
    bandwidth_byte_per_s: Any,
    weight_fraction: Any,
    cache_fraction: Any,
    layers: Any,
    layer_s: Any,
) -> Any:
    """Time between two tokens when weights and cache stream from memory and every layer costs a fixed time. [s]

    step = weight / (bandwidth * weight_fraction) + cache / (bandwidth * cache_fraction) + layers * layer

    weight            weights one token multiplies                                [B]
    cache             cache read for one token                                    [B]
    bandwidth         memory bandwidth that works at one time, datasheet          [B/s]
    weight_fraction   share of it reached while reading weights                   [-]
    cache_fraction    share of it reached while reading the cache                 [-]
    layers            decoder layers of the model                                 [-]
    layer             fixed time of one layer                                     [s]

    Floats or arrays that broadcast; bandwidth and fractions positive. Splitting layers over several devices leaves
    the step unchanged: one device works at a time.

    Source
    ------
    Fitted to llama-bench runs of the GPU-Benchmarks-on-LLM-Inference table and llama.cpp.
    """
    return (
        weight_byte / (bandwidth_byte_per_s * weight_fraction)
        + cache_byte / (bandwidth_byte_per_s * cache_fraction)
        + layers * layer_s
    )


def fixed_layer_step_time(layers: Any, layer_s: Any) -> Any:
    """Time between two tokens on a machine whose compiler fixes the time of every layer. [s]

    step = layers * layer

    layers   decoder layers of the model   [-]
    layer    time of one layer             [s]

    Floats or arrays that broadcast.

    Source
    ------
    Public speeds of GroqCloud models divided by their layers: 45 us, from 39 to 75.
    """
    return layers * layer_s
