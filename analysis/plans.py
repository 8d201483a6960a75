"""How each machine compared would hold a workload, by the engine's own rules: devices, degrees, and what refuses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.engine.case import Case
from analysis.engine.degrees import plan_for, refusals
from analysis.engine.inputs import side_by_side
from analysis.engine.memory import weights_of
from analysis.engine.resolve import Resolved, resolve
from analysis.engine.shapes_of_cases import shapes_of
from analysis.machines import divides_freely, machine_name
from analysis.parameters import starting_parameters
from analysis.study import Slot
from analysis.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One slot with its counts.

    device_count   as asked, or the fewest that hold the workload; nan if none do
    needed         fewest devices that hold it; nan if none do
    replicas       whole copies of the model among the devices
    usable         share of a device's memory that weights, cache and activations may take
    overhead_byte  taken from that before
    chunk_tokens   tokens of one prefill chunk, 0 where activations live elsewhere
    refusal        why it cannot be built, in words; empty if it can
    """

    slot: Slot
    device_count: float
    needed: float
    tp: float
    pp: float
    ep: float
    dp: float
    replicas: float
    usable: float
    overhead_byte: float
    chunk_tokens: float
    refusal: str
    assumed: tuple[str, ...]

    @property
    def name(self) -> str:
        """Count and chip: "8 × H200"."""
        return machine_name(self.slot.chip, 1.0 if math.isnan(self.device_count) else self.device_count)


def _case(workload: Workload, slot: Slot) -> Case:
    return Case(
        architecture=workload.architecture,
        chip=slot.chip,
        device_count=slot.device_count,
        weight_format=workload.weight_format,
        attention_format=workload.attention_format,
        expert_format=workload.expert_format,
        kv_format=workload.cache_format,
        concurrency=workload.sequences,
        input_tokens=workload.context_tokens,
        output_tokens=0.0,
    )


def plans_of(workload: Workload, slots: Sequence[Slot]) -> list[Plan]:
    """A plan for every slot, in their order. Raises nothing for a machine that cannot serve: its plan says why."""
    parameters = starting_parameters()
    resolved = [resolve(_case(workload, slot), parameters) for slot in slots]
    inputs = side_by_side([each.numbers for each in resolved])
    shapes = shapes_of([workload.architecture] * len(slots))
    with np.errstate(all="ignore"):
        plan = plan_for(inputs, shapes, weights_of(inputs, shapes), parameters.serving.state_byte)
        said = refusals(inputs, shapes, plan)
    columns = ("device_count", "needed", "tp", "pp", "ep", "dp", "replicas")
    return [
        Plan(
            slot=slot,
            **{name: float(getattr(plan, name)[at]) for name in columns},
            usable=float(inputs.usable[at]),
            overhead_byte=float(inputs.overhead[at]),
            chunk_tokens=float(inputs.chunk[at]),
            refusal=_refusal(slot, resolved[at], said[at]),
            assumed=tuple(resolved[at].assumed),
        )
        for at, slot in enumerate(slots)
    ]


def _refusal(slot: Slot, resolved: Resolved, said: str) -> str:
    """The first reason. That no law of speed is known, or that a compiler cuts layers, does not keep a model out."""
    speed_only = resolved.refusal.startswith("no law for the speed")
    if resolved.refusal and not speed_only:
        return resolved.refusal
    return "" if divides_freely(slot.chip) else said
