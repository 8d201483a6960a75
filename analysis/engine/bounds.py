"""Speeds that no software exceeds: datasheet bandwidth, dense peaks, a region's read, and the naive bound for scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.inputs import MESH, Inputs
from analysis.engine.memory import Weights, cache_read, state_of
from analysis.engine.shapes_of_cases import Shapes
from analysis.engine.work_of_token import (
    attention_macs,
    fewest_streamed_byte,
    prompt_attention_macs,
)
from analysis.models.ceiling import compute_ceiling, memory_ceiling
from analysis.models.mesh import region_read_time
from analysis.models.transformer import MAC_FLOP
from analysis.parameters import Serving


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Bounds of each case, tokens per second, shape (cases,); infinite where the datasheet gives no figure.

    ceiling        of one user, by weights met once per step, cache of all sequences, and dense peaks
    prefill        of one prompt alone, by dense peaks
    naive          bandwidth over weights met, no cache: the bound usually quoted
    read           of one stream on wafers whose regions are read once per token; nan elsewhere
    streamed_byte  bytes one step must read at least: weights met and cache of all sequences
    """

    ceiling: Floats
    prefill: Floats
    naive: Floats
    read: Floats
    streamed_byte: Floats


def bounds_of(
    inputs: Inputs, shapes: Shapes, weights: Weights, serving: Serving, devices: Floats, sequences: Floats
) -> Bounds:
    """Bounds of one copy on so many devices with so many sequences in its step, at the middle of their output."""
    context = inputs.step_context
    weight = fewest_streamed_byte(inputs, shapes)
    state = state_of(shapes, serving.state_byte)
    cache = sequences * (cache_read(inputs, shapes, context) + 2.0 * state)
    memory = memory_ceiling(devices, inputs.bandwidth, weight + cache)
    tokens = inputs.input_tokens
    made = sequences * inputs.new_tokens
    step = _compute_time(inputs, shapes, made, made, made * attention_macs(shapes, context))
    prompt = _compute_time(inputs, shapes, tokens, np.ones_like(tokens), prompt_attention_macs(shapes, tokens))
    regions = region_read_time(weights.total, devices, inputs.bandwidth) * shapes.layer_count
    with np.errstate(divide="ignore", invalid="ignore"):
        return Bounds(
            ceiling=np.minimum(memory, compute_ceiling(devices, 1.0, step)),
            prefill=tokens * compute_ceiling(devices, 1.0, prompt),
            naive=memory_ceiling(devices, inputs.bandwidth, weight),
            read=np.where(inputs.form == MESH, 1.0 / regions, np.nan),
            streamed_byte=weight + cache,
        )


def _compute_time(inputs: Inputs, s: Shapes, rows: Floats, headed: Floats, attending: Floats) -> Floats:
    """Arithmetic at dense peak on one device, each part at the rate of its format. [s]

    rows, headed, attending   tokens through the layers, tokens through the head, multiply-accumulates of attention
    """
    hidden = s.column("hidden")
    mixing = (s.layers * (s.weights_by_heads + s.weights_by_kv_heads + s.weights_whole)).sum(axis=1)
    dense = (s.layers * s.mlp_matrices * hidden * s.inner_width).sum(axis=1)
    expert = (s.layers * s.mlp_matrices * hidden * s.expert_width * s.experts_per_token).sum(axis=1)
    router = (s.layers * s.experts * hidden).sum(axis=1)
    low = mixing / inputs.peak_attention + dense / inputs.peak_dense + expert / inputs.peak_expert
    return np.asarray(MAC_FLOP * (rows * low + (rows * router + headed * s.head + attending) / inputs.peak_16))
