"""Does the model with its cache fit on these machines, and what takes the memory?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from analysis.machines import places_layers
from analysis.memory_use import MemoryUse, layers_by_wafer, memory_use, wafer_room
from analysis.models import placement
from analysis.plans import Plan, plans_of
from analysis.provenance import estimates_in, sources_of
from analysis.studies.memory_steps import steps_of
from analysis.studies.memory_words import answer_to, conditions_of, one_down, verdict
from analysis.study import Slot, Study
from analysis.workload import Workload, state_of, stored_cache, weights_of

QUESTION = "Does the model with its cache fit on these machines, and what takes the memory?"
FIELDS = ("memory_visible_byte", "memory_byte")


def study(workload: Workload, slots: Sequence[Slot]) -> Study:
    """Memory of one device of every slot by component, and what would still fit.

    Table: one row a slot; `verdict` says in words whether it fits and what would. Marks: `placement`, one row a wafer
    of every wafer slot; `planned` the 60/30/10 split; `total_byte` of one copy with the cache of all users.
    """
    plans = plans_of(workload, slots)
    uses = [memory_use(workload, plan) for plan in plans]
    table = pd.DataFrame([_row(workload, plan, use) for plan, use in zip(plans, uses, strict=True)])
    chip = slots[0].chip
    total = weights_of(workload, chip).total + workload.sequences * (stored_cache(workload, chip) + state_of(workload))
    chips = [slot.chip for slot in slots]
    return Study(
        question=QUESTION,
        answer=answer_to(workload, plans, uses, total),
        conditions=conditions_of(workload, chip),
        table=table,
        steps=lambda: list(steps_of(workload, plans, uses)),
        sources=sources_of(workload.architecture, chips, FIELDS),
        remarks=estimates_in(chips, FIELDS),
        assumptions=tuple(_assumed(workload, plans)),
        marks={
            "placement": pd.DataFrame([row for plan in plans for row in _placement(workload, plan)]),
            "planned": (
                placement.PLANNED_WEIGHT_FRACTION, placement.PLANNED_CACHE_FRACTION, placement.PLANNED_BUFFER_FRACTION,
            ),
            "total_byte": total,
        },
    )  # fmt: skip


def _row(workload: Workload, plan: Plan, use: MemoryUse) -> dict[str, object]:
    chip = plan.slot.chip
    row: dict[str, object] = {
        "slot": plan.name,
        "place": plan.slot.place,
        "vendor": chip.vendor,
        "device_count": plan.device_count,
        "tp": plan.tp,
        "pp": plan.pp,
        "fits": use.fits and not blocked(plan),
        "verdict": verdict(workload, plan, use),
        "devices_needed": plan.needed,
    }
    return row | _bytes(use) | _wafer_columns(workload, plan)


def _bytes(use: MemoryUse) -> dict[str, object]:
    """What the fullest device holds, and what would still fit."""
    return {
        "attention_byte": use.attention,
        "dense_mlp_byte": use.dense_mlp,
        "expert_byte": use.experts,
        "embedding_byte": use.embedding,
        "weight_byte": use.weight,
        "cache_byte": use.cache,
        "activation_byte": use.activation,
        "overhead_byte": use.overhead,
        "memory_needed_byte": use.needed,
        "memory_available_byte": use.usable,
        "memory_byte": use.memory,
        "free_byte": use.usable - use.needed,
        "cache_copies": use.copies,
        "largest_batch": use.largest_batch,
        "largest_context_tokens": use.largest_context_tokens,
    }


def blocked(plan: Plan) -> bool:
    """True if something other than memory keeps the machine from serving."""
    return bool(plan.refusal) and not plan.refusal.startswith(("does not fit", "no law for the speed"))


def _wafer_columns(workload: Workload, plan: Plan) -> dict[str, object]:
    """Room pooled and placed, the split of the memory, and what is left with one wafer down; nan elsewhere."""
    names = ("layers_on_wafer", "pooled_room_tokens", "placed_room_tokens", "weight_fraction", "cache_fraction")
    if not places_layers(plan.slot.chip) or math.isnan(plan.device_count):
        return dict.fromkeys((*names, "free_fraction"), math.nan) | {"one_down": ""}
    count, chip = plan.device_count, plan.slot.chip
    room = wafer_room(workload, plan, count)
    memory = count * float(chip.usable_memory_byte or math.nan)
    weights = weights_of(workload, chip).total / memory
    cache = workload.sequences * (stored_cache(workload, chip) + state_of(workload)) / memory
    values = (room.layers_on_fullest, room.pooled_tokens, room.placed_tokens, weights, cache)
    return dict(zip(names, values, strict=True)) | {
        "free_fraction": 1.0 - weights - cache,
        "one_down": one_down(workload, plan),
    }


def _placement(workload: Workload, plan: Plan) -> list[dict[str, object]]:
    """One row a wafer: its layers, weights, cache of the users asked for, and what is free."""
    if not places_layers(plan.slot.chip) or math.isnan(plan.device_count):
        return []
    weights, layers = weights_of(workload, plan.slot.chip), workload.architecture.layers
    one = stored_cache(workload, plan.slot.chip) + state_of(workload)
    memory = float(plan.slot.chip.usable_memory_byte or math.nan)
    placed = layers_by_wafer(layers, min(int(plan.device_count), layers))
    rows: list[dict[str, object]] = []
    for at, held in enumerate(placed):
        tables = (weights.embedding if at == 0 else 0.0) + (weights.head if at == len(placed) - 1 else 0.0)
        weight, cache = held * weights.heaviest_layer + tables, workload.sequences * one * held / layers
        rows.append(
            {
                "slot": plan.name,
                "place": plan.slot.place,
                "wafer": at + 1,
                "layers_on_wafer": held,
                "weight_byte": weight,
                "cache_byte": cache,
                "free_byte": memory - weight - cache,
                "memory_byte": memory,
            }
        )
    return rows


def _assumed(workload: Workload, plans: Sequence[Plan]) -> list[str]:
    said = []
    if any(plan.chunk_tokens for plan in plans):
        said.append("activations of one prefill chunk and 2 GB of overhead a device are priors, not measured")
    if any(places_layers(plan.slot.chip) for plan in plans):
        said.append("5 % of a wafer's memory is left for code and buffers, a prior; every layer counts as the heaviest")
    return said
