"""Machines that run kernel after kernel: the time of a step, and of requests that share the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.engine.arrays import Floats, chosen
from analysis.engine.communication import communication_time
from analysis.engine.degrees import Plan
from analysis.engine.inputs import Inputs
from analysis.engine.operators import Load, Work, step_work
from analysis.engine.shapes_of_cases import Shapes
from analysis.engine.speeds import Speeds, Terms, speeds_of
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

# Operators of a step; calibration passes its own, which has them written down beforehand.
Worker = Callable[[Inputs, Shapes, Serving, Load, tuple[Floats, Floats, Floats]], Work]


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Cases side by side with what is believed of them; `worker` adds up the operators of a step."""

    inputs: Inputs
    shapes: Shapes
    serving: Serving
    plan: Plan
    worker: Worker = step_work


def step_terms(machine: Machine, load: Load, *, host: bool = True) -> Terms:
    """One engine step through all layers, by cause; with pp stages, the time until its tokens leave the last."""
    inputs, shapes, serving, plan = machine.inputs, machine.shapes, machine.serving, machine.plan
    work = machine.worker(inputs, shapes, serving, load, (plan.tp, plan.ep, plan.dp))
    alone = np.where(load.decoding > 0, serving.lone_share / np.maximum(load.decoding, 1.0), 0.0)
    factor = inputs.engine_factor * inputs.vendor_factor * (1.0 + alone)
    sequences = load.decoding / plan.dp if host else np.zeros_like(load.decoding)  # a scheduler to each attention group
    return Terms(
        memory_s=work.memory_s,
        compute_s=work.compute_s,
        latency_s=launch_time(serving.operator_s, factor, work.operators * inputs.launched),
        communication_s=communication_time(inputs, shapes, serving, plan, load.rows),
        host_s=sequence_time(inputs.sequence_s, sequences, inputs.saturation),
    )


def decode_terms(machine: Machine, sequences: Floats) -> Terms:
    """A decode step of one copy with so many sequences in flight, a stage's share of them in each step."""
    nothing = np.zeros_like(sequences)
    in_step = np.maximum(sequences / machine.plan.pp, 1.0)
    context, tokens = machine.inputs.step_context, machine.inputs.new_tokens
    load = Load(decoding=in_step, context=context, prefill=nothing, prompt=nothing, new_tokens=tokens)
    return step_terms(machine, load)


def prefill_terms(machine: Machine, prompts: Floats) -> Terms:
    """So many prompts computed together and nothing else; nothing at all for empty prompts."""
    nothing, prompt = np.zeros_like(prompts), machine.inputs.input_tokens
    none = Terms(memory_s=nothing, compute_s=nothing, latency_s=nothing, communication_s=nothing, host_s=nothing)
    if not (prompt > 0).any():
        return none
    load = Load(decoding=nothing, context=prompt, prefill=prompt * prompts, prompt=prompt)
    terms = step_terms(machine, load, host=False)
    return none.plus(terms, (prompt > 0).astype(float))


def serve(machine: Machine, room: Floats) -> Speeds:
    """Requests sharing the machine: a closed loop, or a full machine where the case says offline.

    room   sequences that fit in one copy; the others wait their turn
    """
    offline = machine.inputs.offline > 0
    if offline.all():
        return _full_machine(machine, room)
    loop = _closed_loop(machine, room)
    return chosen(offline, _full_machine(machine, room), loop) if offline.any() else loop


def _closed_loop(machine: Machine, room: Floats) -> Speeds:
    inputs, plan, serving = machine.inputs, machine.plan, machine.serving
    wanted = np.maximum(inputs.concurrency / plan.replicas, 1.0)
    running = np.where(room > 0, np.minimum(wanted, room), wanted)
    here, makes = inputs.elsewhere <= 0, inputs.output_tokens > 0
    generated = np.maximum(inputs.output_tokens, 1.0)
    prompt = prefill_terms(machine, np.ones_like(wanted))
    delaying = np.where(here, serving.delaying_fraction, 0.0)
    prefill, queued = np.where(here, prompt.total_s, 0.0), np.where(makes, running / plan.pp, 0.0)
    at_first = decode_terms(machine, running)
    step = at_first.total_s
    tpot = time_per_token(step, delaying, queued, prefill, generated)
    first = (inputs.front_s, serving.first_steps, inputs.waiting)
    wait = time_to_first_token(prefill, step, queued, *first)
    sharing = np.where(makes, decoding_sequences(running, generated, tpot, wait), running)
    decode = decode_terms(machine, sharing) if makes.any() else at_first
    share = np.where(here & makes, delaying * sharing / (plan.pp * generated), 0.0)
    terms = decode.plus(prompt, share)
    ttft = time_to_first_token(prefill, decode.total_s, queued, *first)
    e2e = request_time(ttft, terms.total_s, generated)
    queue = e2e * (wanted / running - 1.0)
    rate = plan.replicas * np.where(makes, output_rate(wanted, generated, e2e + queue), running / step)
    times = (step, prompt.total_s, terms.total_s, ttft + queue, e2e + queue, rate)
    return speeds_of(times, (running * plan.replicas, sharing), (decode, terms), share * prompt.total_s)


def _full_machine(machine: Machine, room: Floats) -> Speeds:
    """Every request queued from the start; the wait for a first token is the queue's, so it has no figure."""
    inputs, plan = machine.inputs, machine.plan
    batch = np.maximum(room, 1.0)
    generated = np.maximum(inputs.output_tokens, 1.0)
    together = prompts_together(machine.inputs, machine.serving)
    prompts = prefill_terms(machine, together)
    alone = prefill_terms(machine, np.ones_like(batch)).total_s
    decode = decode_terms(machine, batch)
    share = batch / (together * plan.pp * generated)
    terms = decode.plus(prompts, share)
    unknown = np.full_like(batch, np.nan)
    prefill = prompts.total_s / (together * plan.pp)
    rate = plan.replicas * full_machine_rate(batch, decode.total_s, prefill, generated)
    times = (decode.total_s, alone, terms.total_s, unknown, unknown, rate)
    return speeds_of(times, (batch * plan.replicas, batch), (decode, terms), share * prompts.total_s)


def prompts_together(inputs: Inputs, serving: Serving) -> Floats:
    """Prompts that a full machine computes at once. (cases,)"""
    return np.maximum(np.floor(serving.offline_prefill_tokens / np.maximum(inputs.input_tokens, 1.0)), 1.0)
