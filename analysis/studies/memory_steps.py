"""The arithmetic behind the memory study, machine by machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from analysis.explain import explain
from analysis.machines import divides_freely, places_layers
from analysis.memory_use import ACTIVATION_BYTE, MemoryUse
from analysis.models import memory_fit, placement
from analysis.models.streaming import transfer_time
from analysis.plans import Plan
from analysis.studies.streaming_links import link_of
from analysis.study import Step
from analysis.workload import Workload, state_of, stored_cache, weights_of


def steps_of(workload: Workload, plans: Sequence[Plan], uses: Sequence[MemoryUse]) -> list[Step]:
    """Steps for every machine whose memory and count are known."""
    steps: list[Step] = []
    for plan, use in zip(plans, uses, strict=True):
        if math.isnan(use.memory) or math.isnan(plan.device_count):
            continue
        if places_layers(plan.slot.chip):
            steps += _wafer_steps(workload, plan, use)
        elif divides_freely(plan.slot.chip):
            steps += _pooled_steps(workload, plan, use)
        else:
            steps += _device_steps(workload, plan, use)
    return steps


def _device_steps(workload: Workload, plan: Plan, use: MemoryUse) -> list[Step]:
    live = explain(
        memory_fit.activation_per_device, subject=f"{plan.name}, activations", width=workload.architecture.hidden,
        element_byte_per_token=ACTIVATION_BYTE, chunk_tokens=plan.chunk_tokens, tp=plan.tp,
    )  # fmt: skip
    budget = explain(
        memory_fit.memory_budget, subject=f"{plan.name}, left for weights and cache", memory_byte=use.memory,
        usable_fraction=plan.usable, activation_byte=use.activation, overhead_byte=use.overhead,
    )  # fmt: skip
    most = explain(
        memory_fit.largest_batch, subject=f"{plan.name}, most users in one copy",
        budget_byte=use.usable - use.activation - use.overhead,
        weight_byte=use.weight, one_sequence_byte=use.one_sequence,
    )  # fmt: skip
    return [*_held_steps(workload, plan, use), live, budget, most]


def _held_steps(workload: Workload, plan: Plan, use: MemoryUse) -> list[Step]:
    """Weights and cache of one device."""
    weights = weights_of(workload, plan.slot.chip)
    held = explain(
        memory_fit.weight_per_device, subject=f"{plan.name}, weights of one device", attention_byte=use.attention,
        dense_mlp_byte=float(np.sum(weights.dense_mlp)), expert_byte=float(np.sum(weights.experts)),
        embedding_byte=weights.embedding + weights.head, tp=plan.tp, ep=max(plan.ep, plan.tp), pp=plan.pp,
    )  # fmt: skip
    page = memory_fit.paged_context(workload.context_tokens) if plan.chunk_tokens else workload.context_tokens
    cached = explain(
        memory_fit.cache_per_device, subject=f"{plan.name}, cache of one device",
        sequences=math.ceil(workload.sequences / max(plan.replicas, 1.0)),
        sequence_cache_byte=stored_cache(workload.at(context_tokens=float(page)), plan.slot.chip),
        state_byte=state_of(workload), copies=use.copies, tp=plan.tp, pp=plan.pp,
    )  # fmt: skip
    return [held, cached]


def _pooled_steps(workload: Workload, plan: Plan, use: MemoryUse) -> list[Step]:
    chip = plan.slot.chip
    shared = weights_of(workload, chip).total + workload.sequences * (stored_cache(workload, chip) + state_of(workload))
    return [
        explain(
            memory_fit.devices_by_capacity, subject=f"{plan.name}, devices", shared_byte=shared,
            budget_byte=use.usable, copied_byte=0.0,
        )
    ]  # fmt: skip


def _wafer_steps(workload: Workload, plan: Plan, use: MemoryUse) -> list[Step]:
    weights, count, layers = weights_of(workload, plan.slot.chip), plan.device_count, workload.architecture.layers
    one = stored_cache(workload, plan.slot.chip) + state_of(workload)
    needed = explain(
        placement.wafers_needed, subject=f"{plan.name}, wafers needed", layers=layers, usable_byte=use.usable,
        memory_byte=use.memory, layer_byte=weights.heaviest_layer, table_byte=max(weights.embedding, weights.head),
        weight_byte=weights.total, cache_byte=workload.sequences * one,
    )  # fmt: skip
    planned = explain(
        placement.wafers_by_fill, subject=f"{plan.name}, wafers by the planning rule of 60 % weights",
        weight_byte=weights.total, memory_byte=use.memory, weight_fraction=placement.PLANNED_WEIGHT_FRACTION,
    )  # fmt: skip
    pooled = explain(
        placement.pooled_cache_room, subject=f"{plan.name}, room for the cache, memories pooled", devices=count,
        usable_byte=use.usable, weight_byte=weights.total,
    )  # fmt: skip
    if count > layers:
        return [needed, planned, pooled]
    placed = explain(
        placement.placed_cache_room, subject=f"{plan.name}, room for the cache, whole layers in place", layers=layers,
        devices=count, usable_byte=use.usable, layer_byte=weights.heaviest_layer, embedding_byte=weights.embedding,
        head_byte=weights.head,
    )  # fmt: skip
    return [needed, planned, pooled, placed, *_load_step(plan, weights.total)]


def _load_step(plan: Plan, weight_byte: float) -> list[Step]:
    link = link_of(plan.slot.chip, "built", math.nan)
    if link.byte_per_s is None:
        return []
    return [
        explain(
            transfer_time, subject=f"{plan.name}, loading all weights", moved_byte=weight_byte,
            links=plan.device_count, link_byte_per_s=link.byte_per_s,
        )
    ]  # fmt: skip
