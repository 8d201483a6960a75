"""Machines that read weights and cache once per token and pay a fixed time per layer: llama.cpp, dataflow chips."""

from __future__ import annotations

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.degrees import Plan
from analysis.engine.inputs import Inputs
from analysis.engine.memory import sequence_cache, state_of
from analysis.engine.shapes_of_cases import Shapes
from analysis.engine.speeds import Speeds, Terms, speeds_of
from analysis.engine.work_of_token import attention_macs, prompt_macs, streamed_byte, weight_macs
from analysis.models.serving import output_rate, request_time, time_per_token, time_to_first_token
from analysis.models.single_stream import fixed_layer_step_time, streamed_step_time
from analysis.models.transformer import MAC_FLOP
from analysis.parameters import Serving


def decode_terms(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, sequences: Floats) -> Terms:
    """One step of a copy: streaming against arithmetic, whichever is longer, and the layers' fixed time."""
    in_step = np.maximum(sequences / plan.pp, 1.0)
    context = inputs.step_context
    rows = in_step * inputs.new_tokens
    weight = streamed_byte(inputs, shapes, rows) / plan.tp
    one = sequence_cache(inputs, shapes, context, np.ones_like(shapes.layers))
    cache = in_step * (one + 2.0 * state_of(shapes, serving.state_byte)) / plan.tp
    macs = rows * (weight_macs(shapes) + attention_macs(shapes, context)) / plan.tp
    streaming = streamed_step_time(
        weight, cache, inputs.bandwidth, inputs.weight_reach, inputs.cache_reach, shapes.layer_count, 0.0
    )
    computing = MAC_FLOP * macs / (inputs.peak_16 * inputs.prefill_reach)
    widening = weight_macs(shapes) * inputs.widening / inputs.peak_16 / plan.tp
    return _terms(inputs, shapes, streaming, np.maximum(computing, widening))


def prefill_terms(inputs: Inputs, shapes: Shapes, plan: Plan) -> Terms:
    """One prompt alone; nothing for an empty one."""
    tokens = inputs.input_tokens
    weight = streamed_byte(inputs, shapes, np.maximum(tokens, 1.0)) / plan.tp
    cache = sequence_cache(inputs, shapes, tokens, np.ones_like(shapes.layers)) / plan.tp
    streaming = streamed_step_time(
        weight, cache, inputs.bandwidth, inputs.weight_reach, inputs.cache_reach, shapes.layer_count, 0.0
    )
    macs = prompt_macs(shapes, tokens) / plan.tp
    computing = MAC_FLOP * macs / (inputs.peak_16 * inputs.prefill_reach)
    terms = _terms(inputs, shapes, streaming, computing)
    nothing = np.zeros_like(tokens)
    none = Terms(memory_s=nothing, compute_s=nothing, latency_s=nothing, communication_s=nothing, host_s=nothing)
    return none.plus(terms, (tokens > 0).astype(float))


def _terms(inputs: Inputs, shapes: Shapes, streaming: Floats, computing: Floats) -> Terms:
    longer = computing > streaming
    nothing = np.zeros_like(streaming)
    return Terms(
        memory_s=np.where(longer, 0.0, streaming),
        compute_s=np.where(longer, computing, 0.0),
        latency_s=fixed_layer_step_time(shapes.layer_count, inputs.layer_s),
        communication_s=nothing,
        host_s=nothing,
    )


def serve(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, room: Floats) -> Speeds:
    """Requests that share the machine; prompts interrupt decoding, as one queue works them off."""
    wanted = np.where(inputs.offline > 0, np.maximum(room, 1.0), np.maximum(inputs.concurrency, 1.0))
    running = np.where(room > 0, np.minimum(wanted, room), wanted)
    here, makes = inputs.elsewhere <= 0, inputs.output_tokens > 0
    generated = np.maximum(inputs.output_tokens, 1.0)
    prompt = prefill_terms(inputs, shapes, plan)
    prefill = np.where(here, prompt.total_s, 0.0)
    others = np.where(makes & here, (running - 1.0) / plan.pp, 0.0)  # a stream alone waits for nobody's prompt
    decode = decode_terms(inputs, shapes, serving, plan, running)
    tpot = time_per_token(decode.total_s, 1.0, others, prefill, generated)
    ttft = time_to_first_token(prefill, np.where(running > 1, decode.total_s, 0.0), running)
    e2e = request_time(ttft, tpot, generated)
    queue = e2e * (wanted / running - 1.0)
    rate = np.where(makes, output_rate(wanted, generated, e2e + queue), running / decode.total_s)
    times = (decode.total_s, prompt.total_s, tpot, ttft + queue, e2e + queue, rate)
    terms = (decode, decode.plus(prompt, others / generated))
    return speeds_of(times, (running, running), terms, others * prefill / generated)
