"""How each machine compared would hold a workload, by the engine's own rules: devices, degrees, and what refuses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.engine import Case, evaluate
from analysis.engine.device_numbers import form_of, memory_left
from analysis.parameters import starting_parameters
from analysis.study import Slot, counted
from analysis.workload import Workload

GPU_ENGINE = "vLLM"  # what GPUs are taken to serve with: the engine with most measured runs
_COLUMNS = ("device_count", "tp", "pp", "ep", "dp", "replicas")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One slot with its counts.

    device_count   as asked, or the fewest that hold the workload; nan if none do
    needed         fewest devices that hold it; nan if none do
    replicas       whole copies of the model among the devices
    usable         share of a device's memory that weights, cache and activations may take
    overhead_byte  taken from that before
    chunk_tokens   tokens of one prefill chunk, 0 where activations live elsewhere
    fits           True if the engine serves it so
    refusal        why it does not, in words; empty if it does
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
    fits: bool
    refusal: str

    @property
    def name(self) -> str:
        """Count and chip: "8 × H200"."""
        return counted(self.slot.chip, 1.0 if math.isnan(self.device_count) else self.device_count)


def case_of(workload: Workload, slot: Slot) -> Case:
    """One decode step of all users at the context, as the engine is asked for it."""
    return Case(
        architecture=workload.architecture,
        chip=slot.chip,
        device_count=slot.device_count,
        weight_format=workload.weight_format,
        attention_format=workload.attention_format,
        expert_format=workload.expert_format,
        head_format=workload.head_format,
        kept_fraction=workload.kept_fraction,
        index_byte=workload.index_byte,
        kv_format=workload.cache_format,
        concurrency=workload.sequences,
        input_tokens=workload.context_tokens,
        output_tokens=0.0,
    )


def served_case(workload: Workload, slot: Slot, duty_fraction: float = 1.0) -> Case:
    """The same as people run it: GPUs under a usual engine, power at the wall, idle hours counted."""
    engine = GPU_ENGINE if slot.chip.kind == "gpu" else ""
    return replace(case_of(workload, slot), engine=engine, duty_fraction=duty_fraction, at_wall=True)


def plans_of(workload: Workload, slots: Sequence[Slot]) -> list[Plan]:
    """A plan for every slot, in their order; a machine that cannot serve has a plan that says why."""
    parameters = workload.parameters or starting_parameters()
    answers = evaluate([case_of(workload, slot) for slot in slots], parameters)
    columns = {name: answers[name].tolist() for name in (*_COLUMNS, "devices_needed", "feasible", "reason")}
    plans = []
    for at, slot in enumerate(slots):
        left = memory_left(slot.chip, form_of(slot.chip, ""), parameters)
        plans.append(
            Plan(
                slot=slot,
                **{name: float(columns[name][at]) for name in _COLUMNS},
                needed=float(columns["devices_needed"][at]),
                usable=left["usable"],
                overhead_byte=left["overhead"],
                chunk_tokens=left["chunk"],
                fits=bool(columns["feasible"][at]),
                refusal=str(columns["reason"][at]),
            )
        )
    return plans
