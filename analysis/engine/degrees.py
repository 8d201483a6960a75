"""How a copy of the model is spread over devices: stated degrees kept, open ones chosen, the fewest that fit found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.engine.arrays import Flags, Floats
from analysis.engine.inputs import FIXED, KERNELS, MESH, STREAMED, Inputs
from analysis.engine.memory import Room, Weights, room_for, sequence_cache, weights_of
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.memory_fit import devices_by_capacity
from analysis.models.placement import wafers_by_fill, wafers_by_layers

CANDIDATES = (1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0, 128.0, 256.0, 512.0)
MOST_DEVICES = CANDIDATES[-1]


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
    needed = fewest_devices(inputs, shapes, weights, state_byte)
    chosen = np.isnan(inputs.device_count) & np.isnan(inputs.tp) & np.isnan(inputs.pp)
    stated = np.nan_to_num(inputs.tp, nan=1.0) * np.nan_to_num(inputs.pp, nan=1.0)
    stated = np.where(np.isnan(inputs.device_count), stated, inputs.device_count)
    count = np.where(chosen, needed, stated)
    tp, pp = _split(inputs, shapes, count)
    replicas = np.ones_like(count)
    spare = np.isnan(inputs.tp) & np.isnan(inputs.pp) & (inputs.form == KERNELS) & (pp > 1)
    alone = room_for(inputs, shapes, weights, (tp, np.ones_like(tp), inputs.ep, inputs.dp), state_byte)
    copies = spare & ~chosen & (alone.sequences >= 1)
    replicas = np.where(copies, pp, replicas)
    pp = np.where(copies, 1.0, pp)
    return Plan(
        device_count=count, tp=tp, pp=pp, ep=inputs.ep, dp=inputs.dp, replicas=replicas, needed=needed, chosen=chosen
    )


def _split(inputs: Inputs, shapes: Shapes, count: Floats) -> tuple[Floats, Floats]:
    """tp and pp of so many devices, stated ones kept. Kernels share layers inside a node, everything else lines up."""
    kernels = inputs.form == KERNELS
    open_tp = np.where(kernels, widest_group(inputs, shapes, count), 1.0)
    dataflow = (inputs.form == STREAMED) & (inputs.chunk == 0)
    open_tp = np.where(dataflow, count, open_tp)
    from_pp = np.where(np.isnan(inputs.pp), open_tp, count / inputs.pp)
    tp = np.where(np.isnan(inputs.tp), from_pp, inputs.tp)
    pp = np.where(np.isnan(inputs.pp), count / tp, inputs.pp)
    return tp, pp


def widest_group(inputs: Inputs, shapes: Shapes, count: Floats) -> Floats:
    """Largest tp inside one node that divides device count, query heads and cached heads (or copies them). (cases,)"""
    most = np.where(inputs.pair_only > 0, 2.0, inputs.node_count)
    most = np.where(np.isnan(inputs.link), 1.0, most)
    best = np.ones_like(count)
    for tp in (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0):
        group = np.full_like(count, tp)
        allowed = (tp <= most) & (np.mod(count, tp) == 0) & heads_divide(shapes, group)
        best = np.where(allowed, tp, best)
    return best


def heads_divide(shapes: Shapes, tp: Floats) -> Flags:
    """True where query heads, and cached heads or their copies, divide over tp devices in every layer. (cases,)"""
    group = np.maximum(tp, 1.0)[:, None]
    softmax = (shapes.layers > 0) & ((shapes.is_gqa > 0) | (shapes.is_mla > 0))
    cached = np.maximum(shapes.kv_heads, 1.0)
    whole = (np.mod(cached, group) == 0) | (np.mod(group, cached) == 0) | (shapes.is_mla > 0)
    divides: Flags = np.all(~softmax | ((np.mod(shapes.query_heads, group) == 0) & whole), axis=1)
    return divides


def fewest_devices(inputs: Inputs, shapes: Shapes, weights: Weights, state_byte: float) -> Floats:
    """Fewest devices that hold a copy of the model with the cache of all its sequences; nan if none do. (cases,)"""
    needed = np.full(len(inputs.form), np.nan)
    needed = np.where(np.isin(inputs.form, (KERNELS, STREAMED)), _by_trial(inputs, shapes, weights, state_byte), needed)
    sequences = np.maximum(inputs.concurrency, 1.0)
    one_copy = np.ones_like(shapes.layers)
    cache = sequences * sequence_cache(inputs, shapes, np.maximum(inputs.final_context, 1.0), one_copy)
    usable = inputs.memory * inputs.usable
    on_chip = devices_by_capacity(weights.total + cache, usable, 0.0)
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
    needed = np.full(len(inputs.form), np.nan)
    for count in CANDIDATES:
        devices = np.full(len(inputs.form), count)
        tp, pp = _split(inputs, shapes, devices)
        room = room_for(inputs, shapes, weights, (tp, pp, inputs.ep, inputs.dp), state_byte)
        fits = (tp >= 1) & (pp >= 1) & (room.sequences >= np.maximum(inputs.concurrency, 1.0))
        needed = np.where(np.isnan(needed) & fits, count, needed)
    return needed


def refusals(inputs: Inputs, shapes: Shapes, plan: Plan) -> list[str]:
    """Why each case's degrees cannot be built, in words; empty where they can. (cases,)"""
    said = [""] * len(inputs.form)
    kernels = inputs.form == KERNELS
    tp, ep = plan.tp, plan.ep
    experts = np.where(shapes.experts > 0, shapes.experts, 0).max(axis=1)
    uneven = ~heads_divide(shapes, np.where(np.isnan(tp), 1, tp / plan.dp)) & (inputs.parts == 0)
    total = tp * plan.pp * plan.replicas
    _say(said, np.isnan(plan.device_count), lambda at: f"no plan with up to {MOST_DEVICES:.0f} devices holds it")
    _say(said, total != plan.device_count, lambda at: _product(plan, at))
    _say(said, kernels & (np.mod(tp, plan.dp) != 0), lambda at: f"dp {plan.dp[at]:.0f} does not divide tp {tp[at]:.0f}")
    _say(
        said, kernels & uneven, lambda at: f"tp {tp[at]:.0f} does not divide the attention heads ({_heads(shapes, at)})"
    )
    bad = (ep > 1) & ((experts == 0) | (np.mod(experts, ep) != 0))
    _say(said, kernels & bad, lambda at: f"ep {ep[at]:.0f} does not divide the {experts[at]:.0f} experts")
    bare = kernels & (tp > 1) & np.isnan(inputs.link)
    _say(said, bare, lambda at: f"tp {tp[at]:.0f} needs a link between devices, and none is known for this chip")
    bridged = kernels & (inputs.pair_only > 0) & (tp > 2)
    _say(said, bridged, lambda at: f"the cards are bridged in pairs: tp {tp[at]:.0f} is not possible, tp 2 is")
    deep = plan.pp > shapes.layer_count
    _say(said, deep, lambda at: f"{plan.pp[at]:.0f} stages for {shapes.layer_count[at]:.0f} layers")
    return said


def _say(said: list[str], where: Flags, text: object) -> None:
    for at in np.flatnonzero(where):
        said[at] = said[at] or text(at)  # type: ignore[operator]


def _product(plan: Plan, at: int) -> str:
    return f"{plan.device_count[at]:.0f} devices are not tp {plan.tp[at]:.0f} x pp {plan.pp[at]:.0f}"


def _heads(shapes: Shapes, at: int) -> str:
    softmax = (shapes.layers[at] > 0) & ((shapes.is_gqa[at] > 0) | (shapes.is_mla[at] > 0))
    pairs: Sequence[tuple[float, float]] = sorted(
        set(zip(shapes.query_heads[at][softmax], shapes.kv_heads[at][softmax], strict=True))
    )
    return " and ".join(f"{query:.0f} query, {cached:.0f} cached" for query, cached in pairs)


__all__ = ["Plan", "Room", "fewest_devices", "heads_divide", "plan_for", "refusals", "weights_of"]
