"""Machines that run kernel after kernel: the time of a step, and of requests that share the machine."""

from __future__ import annotations

import numpy as np

from analysis.engine.arrays import Floats, chosen
from analysis.engine.degrees import Plan
from analysis.engine.inputs import Inputs
from analysis.engine.operators import Load, step_work
from analysis.engine.shapes_of_cases import Shapes
from analysis.engine.speeds import Speeds, Terms, speeds_of
from analysis.models.collectives import allreduce_time, hop_time
from analysis.models.latency import launch_time, sequence_time
from analysis.models.serving import (
    decoding_sequences,
    full_machine_rate,
    output_rate,
    request_time,
    time_per_token,
    time_to_first_token,
)
from analysis.parameters import Serving

REDUCTIONS_PER_LAYER = 2.0


def step_terms(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, load: Load, *, host: bool = True) -> Terms:
    """One engine step through all layers, by cause; with pp stages, the time until its tokens leave the last."""
    work = step_work(inputs, shapes, serving, load, (plan.tp, plan.ep, plan.dp))
    message = load.rows * shapes.hidden * serving.activation_byte
    inside = np.where(np.isnan(inputs.link), serving.node_link_byte_per_s, inputs.link)
    link = np.where(plan.tp > inputs.node_count, serving.node_link_byte_per_s, inside)
    reduction = allreduce_time(inputs.allreduce, inputs.allreduce_growth, plan.tp, message, link, serving.link_fraction)
    leaves_node = plan.tp * plan.pp > inputs.node_count
    hop_link = np.where(leaves_node, serving.node_link_byte_per_s, inside)
    hops = hop_time(plan.pp, serving.hop_s, message, hop_link)
    sequences = load.decoding / plan.dp if host else np.zeros_like(load.decoding)  # a scheduler to each attention group
    return Terms(
        memory_s=work.memory_s,
        compute_s=work.compute_s,
        latency_s=launch_time(serving.operator_s, inputs.engine_factor, work.operators),
        communication_s=REDUCTIONS_PER_LAYER * shapes.layer_count * reduction + hops,
        host_s=sequence_time(serving.sequence_s, sequences, inputs.saturation),
    )


def decode_terms(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, sequences: Floats) -> Terms:
    """A decode step of one copy with so many sequences in flight, a stage's share of them in each step."""
    nothing = np.zeros_like(sequences)
    in_step = np.maximum(sequences / plan.pp, 1.0)
    load = Load(decoding=in_step, context=inputs.step_context, prefill=nothing, prompt=nothing)
    return step_terms(inputs, shapes, serving, plan, load)


def prefill_terms(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, prompts: Floats) -> Terms:
    """So many prompts computed together and nothing else; nothing at all for empty prompts."""
    nothing, prompt = np.zeros_like(prompts), inputs.input_tokens
    load = Load(decoding=nothing, context=prompt, prefill=prompt * prompts, prompt=prompt)
    terms = step_terms(inputs, shapes, serving, plan, load, host=False)
    none = Terms(memory_s=nothing, compute_s=nothing, latency_s=nothing, communication_s=nothing, host_s=nothing)
    return none.plus(terms, (prompt > 0).astype(float))


def serve(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, room: Floats) -> Speeds:
    """Requests sharing the machine: a closed loop, or a full machine where the case says offline.

    room   sequences that fit in one copy; the others wait their turn
    """
    offline = inputs.offline > 0
    loop = _closed_loop(inputs, shapes, serving, plan, room)
    if not offline.any():
        return loop
    full = _full_machine(inputs, shapes, serving, plan, room)
    return chosen(offline, full, loop)


def _closed_loop(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, room: Floats) -> Speeds:
    wanted = np.maximum(inputs.concurrency / plan.replicas, 1.0)
    running = np.where(room > 0, np.minimum(wanted, room), wanted)
    here, makes = inputs.elsewhere <= 0, inputs.output_tokens > 0
    generated = np.maximum(inputs.output_tokens, 1.0)
    prompt = prefill_terms(inputs, shapes, serving, plan, np.ones_like(wanted))
    delaying = np.where(here, serving.delaying_fraction, 0.0)
    prefill, queued = np.where(here, prompt.total_s, 0.0), np.where(makes, running / plan.pp, 0.0)
    step = decode_terms(inputs, shapes, serving, plan, running).total_s
    tpot = time_per_token(step, delaying, queued, prefill, generated)
    wait = time_to_first_token(prefill, step, delaying, queued)
    sharing = np.where(makes, decoding_sequences(running, generated, tpot, wait), running)
    decode = decode_terms(inputs, shapes, serving, plan, sharing)
    share = np.where(here & makes, delaying * sharing / (plan.pp * generated), 0.0)
    terms = decode.plus(prompt, share)
    ttft = time_to_first_token(prefill, decode.total_s, delaying, queued)
    e2e = request_time(ttft, terms.total_s, generated)
    queue = e2e * (wanted / running - 1.0)
    rate = plan.replicas * np.where(makes, output_rate(wanted, generated, e2e + queue), running / step)
    times = (step, prompt.total_s, terms.total_s, ttft + queue, e2e + queue, rate)
    return speeds_of(times, (running * plan.replicas, sharing), (decode, terms), share * prompt.total_s)


def _full_machine(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, room: Floats) -> Speeds:
    """Every request queued from the start; the wait for a first token is the queue's, so it has no figure."""
    batch = np.maximum(room, 1.0)
    generated = np.maximum(inputs.output_tokens, 1.0)
    together = np.maximum(np.floor(serving.offline_prefill_tokens / np.maximum(inputs.input_tokens, 1.0)), 1.0)
    prompts = prefill_terms(inputs, shapes, serving, plan, together)
    alone = prefill_terms(inputs, shapes, serving, plan, np.ones_like(batch)).total_s
    decode = decode_terms(inputs, shapes, serving, plan, batch)
    share = batch / (together * plan.pp * generated)
    terms = decode.plus(prompts, share)
    unknown = np.full_like(batch, np.nan)
    prefill = prompts.total_s / (together * plan.pp)
    rate = plan.replicas * full_machine_rate(batch, decode.total_s, prefill, generated)
    times = (decode.total_s, alone, terms.total_s, unknown, unknown, rate)
    return speeds_of(times, (batch * plan.replicas, batch), (decode, terms), share * prompts.total_s)
