"""Seconds of a step in which devices of a kernel-by-kernel machine exchange what they computed."""

from __future__ import annotations

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.degrees import Plan
from analysis.engine.inputs import Inputs
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.collectives import allreduce_time, exchange_time, hop_time, nodes_latency
from analysis.parameters import Serving

REDUCTIONS_PER_LAYER = 2.0
EXCHANGES_PER_LAYER = 2.0  # tokens to their experts, results back


def communication_time(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, rows: Floats) -> Floats:
    """All collectives of a step with so many rows, and the hops between pipeline stages. [s] (cases,)"""
    message = rows * shapes.hidden * inputs.sent
    whole = _reduction(inputs, serving, plan.tp, message)
    layers = REDUCTIONS_PER_LAYER * shapes.layer_count * whole
    if (plan.dp > 1).any():
        layers = np.where(plan.dp > 1, _apart(inputs, shapes, serving, plan, message), layers)
    hop_link = _link(inputs, serving, plan.tp * plan.pp)
    return np.asarray(layers + hop_time(plan.pp, serving.hop_s, message, hop_link))


def _apart(inputs: Inputs, shapes: Shapes, serving: Serving, plan: Plan, message: Floats) -> Floats:
    """Layers whose attention groups each hold their own sequences: sums inside a group, then all tokens are shared.

    With experts on different devices a token goes to those that it is sent to; else all devices of the group gather it
    and sum it back, which moves as much as one all-reduce. [s] (cases,)
    """
    inside = _reduction(inputs, serving, plan.tp / plan.dp, message / plan.dp)
    gathered = _reduction(inputs, serving, plan.tp, message)
    latency, link = _latency(inputs, serving, plan.tp)[:, None], _link(inputs, serving, plan.tp)[:, None]
    sent, group, ep = message[:, None], plan.tp[:, None], plan.ep[:, None]
    exchange = exchange_time(latency, group, sent, shapes.experts_per_token, ep, link, inputs.link_reach[:, None])
    routed = (shapes.experts > 0) & (plan.ep > 1)[:, None]
    shared = np.where(routed, EXCHANGES_PER_LAYER * exchange, gathered[:, None])
    return np.asarray((shapes.layers * (inside[:, None] + shared)).sum(axis=1))


def _reduction(inputs: Inputs, serving: Serving, group: Floats, message: Floats) -> Floats:
    """One sum over the devices of a group. [s] (cases,)"""
    link = _link(inputs, serving, group)
    transfer = allreduce_time(0.0, inputs.allreduce_growth, group, message, link, inputs.link_reach)
    return np.asarray(_latency(inputs, serving, group) + transfer)


def _latency(inputs: Inputs, serving: Serving, group: Floats) -> Floats:
    """What even an empty message costs among so many devices, of one node or of several. [s] (cases,)"""
    nodes = np.ceil(group / inputs.node_count)
    first, inside = inputs.allreduce, np.minimum(group, inputs.node_count)
    alone = allreduce_time(first, inputs.allreduce_growth, inside, 0.0, 1.0, 1.0)
    return np.asarray(nodes_latency(alone, nodes, serving.hop_s))


def _link(inputs: Inputs, serving: Serving, devices: Floats) -> Floats:
    """Bandwidth of one device, one direction, into what joins so many of them. [B/s] (cases,)"""
    inside = np.where(np.isnan(inputs.link), serving.node_link_byte_per_s, inputs.link)
    return np.where(devices > inputs.node_count, serving.node_link_byte_per_s, inside)
