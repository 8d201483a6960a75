"""Seconds on a wafer whose layers lie side by side, weights at rest in the cores.

A single stream works in one layer's region at a time. All arguments are floats or arrays that broadcast, and pint
quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def region_size(cores: Any, wafers: Any, layers: Any) -> Any:
    """Cores that one layer has to itself when layers are spread evenly over all wafers. [-]

    region = cores * wafers / layers

    cores    processing cores of one wafer   [-]
    wafers   wafers in line                  [-]
    layers   decoder layers of the model     [-]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Cerebras, "Introducing Cerebras Inference", August 2024 (a layer is a region); counting.
    """
    return cores * wafers / layers


def bandwidth_seen(bandwidth_byte_per_s: Any, wafers: Any, layers: Any) -> Any:
    """Memory bandwidth that a single stream can use, because it is in one layer at a time. [B/s]

    seen = bandwidth * wafers / layers

    bandwidth   memory bandwidth of one wafer, datasheet   [B/s]
    wafers      wafers in line                             [-]
    layers      decoder layers of the model                [-]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Counting; follows from the placement of layers as regions.
    """
    return bandwidth_byte_per_s * wafers / layers


def region_read_time(weight_byte: Any, wafers: Any, bandwidth_byte_per_s: Any) -> Any:
    """Time to read the weights of one region once, all its cores at once. [s]

    time = weight / (wafers * bandwidth)

    weight      all weights that lie on the wafers                     [B]
    wafers      wafers in line                                         [-]
    bandwidth   memory bandwidth of one wafer, datasheet               [B/s]

    Floats or arrays that broadcast, all positive. The number of layers cancels: a region of 1/L holds 1/L.

    Source
    ------
    Counting.
    """
    return weight_byte / (wafers * bandwidth_byte_per_s)


def layer_time(
    fixed_s: Any, crossing_s: Any, mac_s: Any, macs: Any, region: Any, reuse: Any = 0.25, rows: Any = 1.0
) -> Any:
    """Time of one decoder layer on its region. [s]

    layer = fixed + crossing * sqrt(region) + mac * macs * (1 + reuse * (rows - 1)) / region

    fixed      time that does not depend on sizes                                       [s]
    crossing   time per core of the region's side: reductions and broadcasts across it  [s]
    mac        time of one multiply-accumulate on one core                              [s]
    macs       multiply-accumulates of one token in the layer, attention included       [-]
    region     cores of the layer's region                                              [-]
    reuse      cost of one more token in the same pass against the first                [-]
    rows       tokens in the pass                                                       [-]

    Floats or arrays that broadcast; region positive, rows at least 1.

    Source
    ------
    Form derived from the mesh behaviour in WaferLLM, OSDI 2025, arXiv 2502.04563; constants fitted to its Table 4.
    """
    return fixed_s + crossing_s * np.sqrt(region) + mac_s * macs * (1.0 + reuse * (rows - 1.0)) / region


def stream_step_time(layers: Any, layer_s: Any, read_s: Any, wafers: Any, hop_s: Any) -> Any:
    """Time between two tokens of one stream. [s]

    step = layers * max(layer, read) + (wafers - 1) * hop

    layers   decoder layers of the model              [-]
    layer    time of one layer on its region          [s]
    read     time to read the region's weights once   [s]
    wafers   wafers in line                           [-]
    hop      latency from one wafer to the next       [s]

    Floats or arrays that broadcast; layers and wafers at least 1.

    Source
    ------
    Layers run one after the other for a single stream.
    """
    return layers * np.maximum(layer_s, read_s) + (wafers - 1.0) * hop_s


def best_side(mac_s: Any, macs: Any, crossing_s: Any) -> Any:
    """Side of the region on which a layer is fastest; larger regions are slower again. [-]

    side = (2 * mac * macs / crossing) ^ (1 / 3)

    mac        time of one multiply-accumulate on one core     [s]
    macs       multiply-accumulates of one token in the layer  [-]
    crossing   time per core of the region's side              [s]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Derivative of the layer time set to zero.
    """
    return np.power(2.0 * mac_s * macs / crossing_s, 1.0 / 3.0)


def prefill_layer_time(
    rows: Any, widths: Any, element_s: Any, work_flop: Any, region: Any, core_flop_per_s: Any
) -> Any:
    """Time of one decoder layer for all tokens of a prompt. [s]

    time = rows * widths * element + work / (region * core)

    rows      tokens of the prompt                                             [-]
    widths    model width plus inner width of the MLP                          [-]
    element   time to move one element of one token across the region          [s]
    work      arithmetic of the layer for the whole prompt                     [FLOP]
    region    cores that work on the layer                                     [-]
    core      arithmetic rate one core reaches                                 [FLOP/s]

    Floats or arrays that broadcast; region and core positive.

    Source
    ------
    Form and constants fitted to WaferLLM, OSDI 2025, arXiv 2502.04563, Table 3 (WSE-2).
    """
    return rows * widths * element_s + work_flop / (region * core_flop_per_s)


def shared_stream_time(alone_s: Any, streams: Any, layer_s: Any, prefill_layer_s: Any, generated: Any) -> Any:
    """Time between two tokens of one stream while others use the same regions. [s]

    step = max(alone, streams * (layer + prefill_layer / generated))

    alone           time between two tokens of a stream that is alone           [s]
    streams         streams in flight                                           [-]
    layer           time a token keeps one region busy                          [s]
    prefill_layer   time a prompt keeps one region busy                         [s]
    generated       tokens generated per request                                [-]

    Floats or arrays that broadcast, all positive. Regions work on different streams at once, so up to as many streams
    as layers cost nothing.

    Source
    ------
    Conservation of work in a pipeline.
    """
    return np.maximum(alone_s, streams * (layer_s + prefill_layer_s / generated))
