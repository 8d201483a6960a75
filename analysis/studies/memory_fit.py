"""Does the model with its cache fit on these machines, and what takes the memory?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.machines import places_layers
from analysis.memory_use import MemoryUse, memory_use
from analysis.models import placement
from analysis.plans import Plan, plans_of
from analysis.provenance import estimates_in, sources_of
from analysis.studies.memory_lines import Line, line_columns, line_table, lines_of, placement_rows
from analysis.studies.memory_steps import steps_of
from analysis.studies.memory_words import answer_to, conditions_of, verdict
from analysis.study import Slot, Study
from analysis.workload import Workload, state_of, stored_cache, weights_of

QUESTION = "Does the model with its cache fit on these machines, and what takes the memory?"
FIELDS = ("memory_visible_byte", "memory_byte")
PLANNED_SPLIT = (
    placement.PLANNED_WEIGHT_FRACTION, placement.PLANNED_CACHE_FRACTION, placement.PLANNED_BUFFER_FRACTION,
)  # fmt: skip


def study(workload: Workload, slots: Sequence[Slot]) -> Study:
    """Memory of one device of every slot by component, and what would still fit.

    Table: one row a slot; `verdict` says in words whether it fits and what would. Marks: `placement`, one row a wafer
    or stage of every slot that lies in line; `lines`, one row such a slot; `planned` the 60/30/10 split; `total_byte`
    of one copy with the cache of all users.
    """
    plans = plans_of(workload, slots)
    uses = [memory_use(workload, plan) for plan in plans]
    lines = {line.plan.slot.place: line for line in lines_of(workload, plans)}
    found = [(plan, use, lines.get(plan.slot.place)) for plan, use in zip(plans, uses, strict=True)]
    table = pd.DataFrame([_row(workload, *each) for each in found])
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
            "placement": pd.DataFrame([row for line in lines.values() for row in placement_rows(workload, line)]),
            "lines": line_table(workload, list(lines.values())),
            "planned": PLANNED_SPLIT,
            "total_byte": total,
        },
    )


def _row(workload: Workload, plan: Plan, use: MemoryUse, line: Line | None) -> dict[str, object]:
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
    return row | _bytes(use) | line_columns(workload, plan, line)


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


def _assumed(workload: Workload, plans: Sequence[Plan]) -> list[str]:
    said = []
    if any(plan.chunk_tokens for plan in plans):
        said.append("activations of one prefill chunk and 2 GB of overhead a device are priors, not measured")
    if any(places_layers(plan.slot.chip) for plan in plans):
        said.append("5 % of a wafer's memory is left for code and buffers, a prior; every layer counts as the heaviest")
    return said
