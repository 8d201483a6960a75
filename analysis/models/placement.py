"""Whole layers on wafers: how many each holds, what is left for the cache, and how many wafers a model needs.

The layout: every wafer holds the same number of layers where that divides; layers left over go to the wafers in the
middle first, because the first also holds the input embedding and the last the output head. `usable` memory is the
share left by code and buffers. All layers count as equal, so pass the heaviest. Arguments are floats or arrays that
broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PLANNED_WEIGHT_FRACTION = 0.60  # share of SRAM for weights in the 60/30/10 rule of an article of 8 November 2025
PLANNED_CACHE_FRACTION = 0.30
PLANNED_BUFFER_FRACTION = 0.10
# The fullest placement in published use: Llama 3.1 70B (70,553,706,496 weights) in 16 bit on four wafers of 44 GB,
# Cerebras, "Introducing Cerebras Inference", August 2024: 141.107 of 176 GB are weights.
OBSERVED_WEIGHT_FRACTION = 0.8018


def layers_on_fullest(layers: Any, devices: Any) -> Any:
    """Layers on the wafer that holds most. [-]

    fullest = ceil(layers / devices)

    layers    decoder layers of the model   [-]
    devices   wafers in line                [-]

    Floats or arrays that broadcast, devices from 1 to layers.

    Source
    ------
    Cerebras, "Introducing Cerebras Inference", August 2024: models are split at layer boundaries.
    """
    return np.ceil(layers / devices)


def layers_on_first(layers: Any, devices: Any) -> Any:
    """Layers on the first wafer, which also holds the input embedding. [-]

    first = floor(layers / devices) + max(0, spare - max(0, devices - 2))
    spare = layers - devices * floor(layers / devices)

    layers    decoder layers of the model                 [-]
    devices   wafers in line                              [-]
    spare     layers left over after an equal share       [-]

    Floats or arrays that broadcast, devices from 1 to layers.

    Source
    ------
    Layout of this project: wafers in the middle take the spare layers first.
    """
    spare = layers - devices * np.floor(layers / devices)
    return np.floor(layers / devices) + np.maximum(0.0, spare - np.maximum(0.0, devices - 2))


def layers_on_last(layers: Any, devices: Any) -> Any:
    """Layers on the last wafer, which also holds the output head. [-]

    last = floor(layers / devices)

    layers    decoder layers of the model   [-]
    devices   wafers in line                [-]

    Floats or arrays that broadcast, devices from 1 to layers.

    Source
    ------
    Layout of this project: the last wafer never takes a spare layer.
    """
    return np.floor(layers / devices)


def fullest_weights(layers: Any, devices: Any, layer_byte: Any, embedding_byte: Any, head_byte: Any) -> Any:
    """Weights on the wafer that holds most bytes of them. [B]

    held = max(middle, first * layer + embedding + both * head, last * layer + head + both * embedding)
    middle = ceil(layers / devices) * layer
    first = floor(layers / devices) + max(0, layers - devices * floor(layers / devices) - max(0, devices - 2))
    last = floor(layers / devices)
    both = max(0, 2 - devices)

    layers      decoder layers of the model                              [-]
    devices     wafers in line                                           [-]
    layer       weights of one layer, the heaviest                       [B]
    embedding   input embedding, on the first wafer                      [B]
    head        output head, on the last; 0 if it is the embedding on the same wafer  [B]
    middle      weights of a full wafer between the ends                 [B]
    first       layers on the first wafer                                [-]
    last        layers on the last wafer                                 [-]
    both        1 if a single wafer is first and last, else 0            [-]

    Floats or arrays that broadcast, devices from 1 to layers.

    Source
    ------
    Counting, with whole layers spread evenly over the wafers.
    """
    both = np.maximum(0.0, 2 - devices)
    middle = layers_on_fullest(layers, devices) * layer_byte
    first = layers_on_first(layers, devices) * layer_byte + embedding_byte + both * head_byte
    last = layers_on_last(layers, devices) * layer_byte + head_byte + both * embedding_byte
    return np.maximum(middle, np.maximum(first, last))


def pooled_cache_room(devices: Any, usable_byte: Any, weight_byte: Any) -> Any:
    """Memory left for the cache if all wafers were one. [B]

    room = devices * usable - weight

    devices   wafers in line                                              [-]
    usable    memory of one wafer less code and buffers                   [B]
    weight    all weights of the model                                    [B]

    Floats or arrays that broadcast. Negative if the weights alone do not fit.

    Source
    ------
    Counting. 70B in 16 bit on four WSE-3 leaves 26 GB.
    """
    return devices * usable_byte - weight_byte


def placed_cache_room(
    layers: Any, devices: Any, usable_byte: Any, layer_byte: Any, embedding_byte: Any, head_byte: Any
) -> Any:
    """Cache of whole sequences that fits when each wafer keeps the cache of its own layers. [B]

    room = layers * (min(middle_free, first_free, last_free) - layer)
    middle_free = usable / ceil(layers / devices)
    first_free = (usable - embedding - both * head) / first
    last_free = (usable - head - both * embedding) / last
    first = floor(layers / devices) + max(0, layers - devices * floor(layers / devices) - max(0, devices - 2))
    last = floor(layers / devices)
    both = max(0, 2 - devices)

    layers        decoder layers of the model                                [-]
    devices       wafers in line                                             [-]
    usable        memory of one wafer less code and buffers                  [B]
    layer         weights of one layer, the heaviest                         [B]
    embedding     input embedding, on the first wafer                        [B]
    head          output head, on the last wafer                             [B]
    middle_free   memory per layer on a full wafer between the ends          [B]
    first_free    memory per layer on the first wafer                        [B]
    last_free     memory per layer on the last wafer                         [B]
    first         layers on the first wafer                                  [-]
    last          layers on the last wafer                                   [-]
    both          1 if a single wafer is first and last, else 0              [-]

    Floats or arrays that broadcast, devices from 1 to layers. A sequence needs room on every wafer, so the tightest
    one decides for all. Negative if the weights alone do not fit.

    Source
    ------
    Counting, with whole layers spread evenly over the wafers.
    """
    both = np.maximum(0.0, 2 - devices)
    middle_free = usable_byte / layers_on_fullest(layers, devices)
    first_free = (usable_byte - embedding_byte - both * head_byte) / layers_on_first(layers, devices)
    last_free = (usable_byte - head_byte - both * embedding_byte) / layers_on_last(layers, devices)
    return layers * (np.minimum(middle_free, np.minimum(first_free, last_free)) - layer_byte)


def wafers_by_fill(weight_byte: Any, memory_byte: Any, weight_fraction: Any = OBSERVED_WEIGHT_FRACTION) -> Any:
    """Wafers so that weights take no more than a given share of their memory. [-]

    wafers = ceil(weight / (weight_fraction * memory))

    weight            all weights of the model                                  [B]
    memory            memory of one wafer, all of it                            [B]
    weight_fraction   share for weights: 0.60 planned, 0.8018 the fullest in published use   [-]

    Floats or arrays that broadcast, all positive.

    Source
    ------
    Planning rule 60/30/10: article of 8 November 2025 on GLM-4.6 on Cerebras systems. 0.8018: Llama 3.1 70B in 16
    bit on four wafers, Cerebras, "Introducing Cerebras Inference", August 2024.
    """
    return np.ceil(weight_byte / (weight_fraction * memory_byte))


def wafers_by_layers(layers: Any, usable_byte: Any, layer_byte: Any, table_byte: Any, cache_byte: Any) -> Any:
    """Wafers so that whole layers with their cache fit on each, beside an embedding or head. [-]

    wafers = ceil(layers / max(0, floor((usable - table) / (layer + cache / layers))))

    layers   decoder layers of the model                                  [-]
    usable   memory of one wafer less code and buffers                    [B]
    layer    weights of one layer, the heaviest                           [B]
    table    input embedding or output head, the larger                   [B]
    cache    cache of all sequences, all layers                           [B]

    Floats or arrays that broadcast, usable above table. Infinite if a wafer cannot hold one layer with its cache:
    then no number of wafers serves this with whole layers.

    Source
    ------
    Counting, with whole layers spread evenly over the wafers.
    """
    whole = np.maximum(0.0, np.floor((usable_byte - table_byte) / (layer_byte + cache_byte / layers)))
    with np.errstate(divide="ignore"):
        return np.ceil(np.divide(layers, whole))


def wafers_needed(
    layers: Any,
    usable_byte: Any,
    memory_byte: Any,
    layer_byte: Any,
    table_byte: Any,
    weight_byte: Any,
    cache_byte: Any,
    weight_fraction: Any = OBSERVED_WEIGHT_FRACTION,
) -> Any:
    """Fewest wafers that hold the model and its cache, no fuller of weights than given. [-]

    wafers = max(by_fill, by_layers, by_capacity)
    by_fill = ceil(weight / (weight_fraction * memory))
    by_layers = ceil(layers / max(0, floor((usable - table) / (layer + cache / layers))))
    by_capacity = ceil((weight + cache) / usable)

    layers            decoder layers of the model                                            [-]
    usable            memory of one wafer less code and buffers                              [B]
    memory            memory of one wafer, all of it                                         [B]
    layer             weights of one layer, the heaviest                                     [B]
    table             input embedding or output head, the larger                             [B]
    weight            all weights of the model                                               [B]
    cache             cache of all sequences, all layers                                     [B]
    weight_fraction   share for weights: 0.60 planned, 0.8018 the fullest in published use    [-]
    by_fill           wafers so that weights keep to their share                             [-]
    by_layers         wafers so that whole layers with their cache fit on each               [-]
    by_capacity       wafers so that everything fits if layers could be cut                  [-]

    Floats or arrays that broadcast. Infinite if a wafer cannot hold one layer with its cache.

    Source
    ------
    Cerebras, "Introducing Cerebras Inference", August 2024 (whole layers, four wafers for 70B in 16 bit); counting.
    """
    by_fill = wafers_by_fill(weight_byte, memory_byte, weight_fraction)
    by_layers = wafers_by_layers(layers, usable_byte, layer_byte, table_byte, cache_byte)
    by_capacity = np.ceil((weight_byte + cache_byte) / usable_byte)
    return np.maximum(by_fill, np.maximum(by_layers, by_capacity))
