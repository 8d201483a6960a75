"""Wafers: layers lie side by side as regions, a stream is in one of them at a time."""

from __future__ import annotations

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.degrees import Plan
from analysis.engine.inputs import Inputs
from analysis.engine.memory import Weights
from analysis.engine.shapes_of_cases import Shapes
from analysis.engine.speeds import Speeds, Terms, speeds_of
from analysis.engine.work_of_token import attention_macs, weight_macs
from analysis.models.mesh import (
    layer_time,
    prefill_layer_time,
    region_read_time,
    region_size,
    shared_stream_time,
    stream_step_time,
)
from analysis.models.serving import output_rate, request_time
from analysis.models.transformer import MAC_FLOP
from analysis.parameters import Mesh


def layer_macs(inputs: Inputs, shapes: Shapes) -> Floats:
    """Multiply-accumulates of one token in an average layer, head included, halfway through the output. (cases,)"""
    weights = weight_macs(shapes)
    worked = weights - (1.0 - inputs.kept) * (weights - shapes.head)  # zeros are skipped, the head has none
    return np.asarray((worked + attention_macs(shapes, inputs.step_context)) / shapes.layer_count)


def regions(inputs: Inputs, shapes: Shapes, wafers: Floats) -> Floats:
    """Cores of one layer's region: stated, or all cores of all wafers shared evenly. (cases,)"""
    even = region_size(inputs.cores, wafers, shapes.layer_count)
    return np.where(np.isnan(inputs.region_cores), even, inputs.region_cores)


def decode_terms(inputs: Inputs, shapes: Shapes, weights: Weights, mesh: Mesh, wafers: Floats) -> Terms:
    """One token of a stream alone, by cause: fixed and arithmetic time, crossings and hops, or the region's read."""
    layers, macs = shapes.layer_count, layer_macs(inputs, shapes)
    region = regions(inputs, shapes, wafers)
    nothing = np.zeros_like(macs)
    fixed = layer_time(mesh.fixed_s, 0.0, 0.0, macs, region, mesh.reuse)
    crossing = layer_time(0.0, mesh.crossing_s, 0.0, macs, region, mesh.reuse)
    layer = layer_time(mesh.fixed_s, mesh.crossing_s, mesh.mac_s, macs, region, mesh.reuse, inputs.new_tokens)
    read = region_read_time(weights.total, wafers, inputs.bandwidth)
    step = stream_step_time(layers, layer, read, wafers, mesh.hop_s)
    hops = step - stream_step_time(layers, layer, read, 1.0, mesh.hop_s)
    reading = read > layer
    return Terms(
        memory_s=np.where(reading, layers * read, 0.0),
        compute_s=np.where(reading, 0.0, layers * (layer - fixed - crossing)),
        latency_s=np.where(reading, 0.0, layers * fixed),
        communication_s=np.where(reading, 0.0, layers * crossing) + hops,
        host_s=nothing,
    )


def prefill_time(inputs: Inputs, shapes: Shapes, mesh: Mesh, wafers: Floats) -> Floats:
    """One prompt, layer after layer; nothing for an empty one. [s]"""
    s, tokens = shapes, inputs.input_tokens[:, None]
    even = region_size(inputs.cores, wafers, s.layer_count)
    region = np.where(np.isnan(inputs.prefill_cores), even, inputs.prefill_cores)[:, None]
    hidden = s.column("hidden")
    inner = s.inner_width + s.experts_per_token * s.expert_width
    mixing = s.weights_by_heads + s.weights_by_kv_heads + s.weights_whole
    macs = tokens * (mixing + s.mlp_matrices * hidden * inner) * inputs.kept[:, None]
    heads = np.where(s.is_linear > 0, 0.0, s.query_heads * np.maximum(s.head_width, s.value_width))
    work = MAC_FLOP * (macs + tokens * tokens * heads)
    layer = prefill_layer_time(
        tokens, hidden + inner, mesh.prefill_element_s, work, region, mesh.prefill_core_flop_per_s
    )
    whole = (s.layers * layer).sum(axis=1) + (wafers - 1.0) * mesh.hop_s
    return np.where(inputs.input_tokens > 0, whole, 0.0)


def serve(inputs: Inputs, shapes: Shapes, weights: Weights, mesh: Mesh, plan: Plan, room: Floats) -> Speeds:
    """Streams on the wafers: as many as layers cost each other nothing, more wait for a region or for room."""
    wafers, layers = plan.device_count, shapes.layer_count
    wanted = np.where(inputs.offline > 0, np.maximum(room, 1.0), np.maximum(inputs.concurrency, 1.0))
    running = np.where(room > 0, np.minimum(wanted, room), wanted)
    makes, generated = inputs.output_tokens > 0, np.maximum(inputs.output_tokens, 1.0)
    alone = decode_terms(inputs, shapes, weights, mesh, wafers)
    hops = (wafers - 1.0) * mesh.hop_s
    prefill = prefill_time(inputs, shapes, mesh, wafers)
    busy = np.where(makes & (inputs.elsewhere <= 0), np.maximum(prefill - hops, 0.0) / layers, 0.0)
    layer = (alone.total_s - hops) / layers
    step = shared_stream_time(alone.total_s, running, layer, 0.0, generated)
    tpot = shared_stream_time(alone.total_s, running, layer, busy, generated)
    ttft = np.where(inputs.elsewhere > 0, 0.0, prefill)
    e2e = request_time(ttft, tpot, generated)
    queue = e2e * (wanted / running - 1.0)
    rate = np.where(makes, output_rate(wanted, generated, e2e + queue), running / tpot)
    times = (step, prefill, tpot, ttft + queue, e2e + queue, rate)
    terms = alone.plus(alone, tpot / alone.total_s - 1.0)
    return speeds_of(times, (running, running), (alone, terms), tpot - alone.total_s)
