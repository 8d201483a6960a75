"""Bytes by component: what lies in memory, and what one decode step moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.block_table import attention_elements, dense_mlp_elements, expert_elements
from analysis.engine import Case
from analysis.engine.device_numbers import form_of
from analysis.engine.engine_names import engine_family
from analysis.engine.inputs import KERNELS, side_by_side
from analysis.engine.operators import Load, step_work
from analysis.engine.resolve import resolve
from analysis.engine.shapes_of_cases import shapes_of
from analysis.models.transformer import distinct_experts
from analysis.parameters import Parameters
from analysis.step_operators import operators_of
from analysis.workload import Workload, read_cache, state_of, stored_cache, weights_of
from data.records import Chip

COMPONENTS = ("attention", "dense", "experts", "head", "cache", "activations")


def held_by_component(workload: Workload, chip: Chip) -> dict[str, float]:
    """Bytes of one copy in memory, with the cache of all users; activations are no part of it."""
    weights = weights_of(workload, chip)
    return {
        "attention": weights.attention,
        "dense": float(np.sum(weights.dense_mlp)),
        "experts": float(np.sum(weights.experts)),
        "head": weights.embedding + weights.head,
        "cache": workload.sequences * (stored_cache(workload, chip) + state_of(workload)),
        "activations": 0.0,
    }


def moved_by_component(
    workload: Workload, chip: Chip, activation_byte: float, fused_fraction: float
) -> dict[str, float]:
    """Bytes that one decode step of all users reads and writes: experts as they are met, the embedding looked up."""
    model, used = workload.architecture, workload.formats(chip)
    sums = dict.fromkeys(COMPONENTS, 0.0)
    for block in model.blocks:
        mlp, layers = block.mlp, block.layers
        sums["attention"] += layers * attention_elements(block.attention) * used.attention.byte
        sums["attention"] += layers * sum(block.vectors.values()) * used.table.byte
        sums["dense"] += layers * dense_mlp_elements(mlp, model.hidden) * used.dense.byte
        if mlp.experts:
            met = float(distinct_experts(mlp.experts, mlp.experts_per_token, workload.sequences))
            sums["experts"] += layers * met * expert_elements(mlp, model.hidden) * used.expert.byte
            sums["experts"] += layers * mlp.experts * model.hidden * used.table.byte
    sums["head"] = model.vocabulary * model.hidden * used.head.byte
    sums["cache"] = workload.sequences * read_cache(workload, chip)
    with_them, without = (
        sum(each.traffic_byte for each in operators_of(workload, chip, "decode", byte)) for byte in (1.0, 0.0)
    )
    sums["activations"] = (with_them - without) * activation_byte * (1.0 - fused_fraction)
    return sums


def largest(components: dict[str, float]) -> tuple[str, float]:
    """The component with the most bytes, and its share."""
    name = max(components, key=lambda each: components[each])
    return name, components[name] / sum(components.values())


def operators_launched(case: Case, degrees: tuple[float, float, float], parameters: Parameters) -> float:
    """Operators that one step launches, in units of a matrix product; nan on machines that launch none."""
    resolved = resolve(case, parameters)
    if resolved.refusal or form_of(case.chip, engine_family(case.engine)) != KERNELS:
        return float("nan")
    inputs, shapes = side_by_side([resolved.numbers]), shapes_of([case.architecture])
    one: Any = np.ones(1)
    load = Load(decoding=float(case.concurrency) * one, context=inputs.step_context, prefill=0 * one, prompt=0 * one)
    tp, ep, dp = (value * one for value in degrees)
    return float(step_work(inputs, shapes, parameters.serving, load, (tp, ep, dp)).operators[0] * inputs.launched[0])
