"""How a copy of the model is spread over devices: stated degrees kept, open ones chosen, the fewest that fit found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analysis.engine.arrays import Flags, Floats, rows_of
from analysis.engine.inputs import FIXED, KERNELS, MESH, STREAMED, Inputs
from analysis.engine.memory import Weights, room_for, sequence_cache, state_of
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.memory_fit import devices_by_capacity
from analysis.models.placement import wafers_by_fill, wafers_by_layers

CANDIDATES = (1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 256.0, 512.0)
MOST_DEVICES = CANDIDATES[-1]
GROUPS = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0])  # devices that may share one layer


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Degrees of each case, shape (cases,). device_count = tp x pp x replicas.

    needed    fewest devices that hold one copy with the cache of all its sequences; nan if none was found
    chosen    True where the engine chose device_count
    """

    device_count: Floats
    tp: Floats
    pp: Floats
    ep: Floats
    dp: Floats
    replicas: Floats
    needed: Floats
    chosen: Flags


def plan_for(inputs: Inputs, shapes: Shapes, weights: Weights, state_byte: float) -> Plan:
    """Degrees of every case."""
    groups = buildable_groups(inputs, shapes)
    needed = fewest_devices(inputs, shapes, weights, state_byte)
    chosen = np.isnan(inputs.device_count) & np.isnan(inputs.tp) & np.isnan(inputs.pp)
    stated = np.nan_to_num(inputs.tp, nan=1.0) * np.nan_to_num(inputs.pp, nan=1.0)
    stated = np.where(np.isnan(inputs.device_count), stated, inputs.device_count)
    count = np.where(chosen, needed, stated)
    tp, pp = _split(inputs, groups, count)
    spare = np.isnan(inputs.tp) & np.isnan(inputs.pp) & (inputs.form == KERNELS) & (pp > 1) & ~chosen
    replicas = np.ones_like(count)
    if spare.any():
        alone = room_for(inputs, shapes, weights, (tp, np.ones_like(tp), inputs.ep, inputs.dp), state_byte)
        copies = spare & (alone.sequences >= 1)
        replicas, pp = np.where(copies, pp, replicas), np.where(copies, 1.0, pp)
    return Plan(
        device_count=count, tp=tp, pp=pp, ep=inputs.ep, dp=inputs.dp, replicas=replicas, needed=needed, chosen=chosen
    )


def _split(inputs: Inputs, groups: Flags, count: Floats) -> tuple[Floats, Floats]:
    """tp and pp of so many devices, stated ones kept. Kernels share layers inside a node, everything else lines up."""
    divides = np.mod(count[:, None], GROUPS) == 0
    widest = np.where(groups & divides, GROUPS, 1.0).max(axis=1)
    dataflow = (inputs.form == STREAMED) & (inputs.chunk == 0)
    open_tp = np.where(inputs.form == KERNELS, widest, np.where(dataflow, count, 1.0))
    in_line = inputs.form != KERNELS
    from_pp = np.where(np.isnan(inputs.pp) | in_line, open_tp, count / inputs.pp)
    tp = np.where(np.isnan(inputs.tp) | in_line, from_pp, inputs.tp)
    pp = np.where(np.isnan(inputs.pp) | in_line, count / tp, inputs.pp)
    return tp, pp


def buildable_groups(inputs: Inputs, shapes: Shapes) -> Flags:
    """Which tp of GROUPS stay inside a node, divide the heads and hold whole expert and attention groups."""
    most = np.where(inputs.pair_only > 0, 2.0, inputs.node_count)
    most = np.where(np.isnan(inputs.link), 1.0, most)
    divide = heads_divide(shapes, np.broadcast_to(GROUPS, (len(most), len(GROUPS))))
    holds = (np.mod(GROUPS, inputs.ep[:, None]) == 0) & (np.mod(GROUPS, inputs.dp[:, None]) == 0)
    return np.asarray(divide & holds & (most[:, None] >= GROUPS))


def heads_divide(shapes: Shapes, tp: Floats) -> Flags:
    """True where query heads, and cached heads or their copies, divide over tp devices in every layer.

    tp   degrees of each case, shape (cases, degrees), which the answer has too
    """
    group = np.maximum(tp, 1.0)[:, :, None]
    latent, held = shapes.is_mla[:, None, :] > 0, np.maximum(shapes.kv_heads, 1.0)[:, None, :]
    softmax = (shapes.layers[:, None, :] > 0) & ((shapes.is_gqa[:, None, :] > 0) | latent)
    whole = (np.mod(held, group) == 0) | (np.mod(group, held) == 0) | latent
    divides: Flags = np.all(~softmax | ((np.mod(shapes.query_heads[:, None, :], group) == 0) & whole), axis=2)
    return divides


def fewest_devices(inputs: Inputs, shapes: Shapes, weights: Weights, state_byte: float) -> Floats:
    """Fewest devices that hold a copy of the model with the cache of all its sequences; nan if none do. (cases,)"""
    trial = np.isin(inputs.form, (KERNELS, STREAMED))
    needed = np.full(len(inputs.form), np.nan)
    if trial.any():
        parts = (rows_of(inputs, trial), rows_of(shapes, trial), rows_of(weights, trial))
        needed[trial] = _by_trial(*parts, state_byte)
    sequences = np.maximum(inputs.concurrency, 1.0)
    one_copy = np.ones_like(shapes.layers)
    cached = sequence_cache(inputs, shapes, np.maximum(inputs.final_context, 1.0), one_copy)
    cache = sequences * (cached + state_of(shapes, state_byte)) + inputs.beside
    on_chip = devices_by_capacity(weights.total + cache, inputs.memory * inputs.usable, 0.0)
    needed = np.where(inputs.form == FIXED, on_chip, needed)
    return np.where(inputs.form == MESH, wafers(inputs, shapes, weights, cache), needed)


def wafers(inputs: Inputs, shapes: Shapes, weights: Weights, cache: Floats) -> Floats:
    """Fewest wafers no fuller of weights than the fullest in published use, layers whole, caches pooled. (cases,)"""
    usable = inputs.memory * inputs.usable
    table = np.maximum(weights.embedding, weights.head)
    fill = wafers_by_fill(weights.total, inputs.memory)
    layers = wafers_by_layers(shapes.layer_count, usable, weights.heaviest_layer, table, 0.0)
    count: Floats = np.maximum(np.maximum(fill, layers), devices_by_capacity(weights.total + cache, usable, 0.0))
    return np.where(count > shapes.layer_count, np.nan, count)


def _by_trial(inputs: Inputs, shapes: Shapes, weights: Weights, state_byte: float) -> Floats:
    """Fewest of CANDIDATES that hold a copy at tp and pp of the engine's own choice, whatever is stated.

    Stated ep and dp bind where the engine chooses every other degree and some tp has them; elsewhere a plan is given
    already, and the trial keeps of them what its tp can.
    """
    unstated = np.full(len(inputs.form), np.nan)
    open_degrees = np.isnan(inputs.device_count) & np.isnan(inputs.tp) & np.isnan(inputs.pp)
    bound = open_degrees & (inputs.form == KERNELS) & buildable_groups(inputs, shapes).any(axis=1)
    inputs, needed = replace(inputs, tp=unstated, pp=unstated), unstated
    whole = replace(inputs, ep=np.where(bound, inputs.ep, 1.0), dp=np.where(bound, inputs.dp, 1.0))
    groups = buildable_groups(whole, shapes)
    for count in CANDIDATES:
        tp, pp = _split(inputs, groups, np.full(len(inputs.form), count))
        ep, dp = _shared(inputs.ep, tp), _shared(inputs.dp, tp)
        room = room_for(inputs, shapes, weights, (tp, pp, ep, dp), state_byte)
        kept = ~bound | ((ep == inputs.ep) & (dp == inputs.dp))
        fits = kept & (pp >= 1) & (room.sequences >= np.maximum(inputs.concurrency, 1.0))
        needed = np.where(np.isnan(needed) & fits, count, needed)
        if not np.isnan(needed).any():
            break
    return needed


def _shared(degree: Floats, tp: Floats) -> Floats:
    """How much of a stated degree tp devices can keep: their greatest common divisor."""
    return np.asarray(np.gcd(degree.astype(int), tp.astype(int)), dtype=float)
