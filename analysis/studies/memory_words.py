"""The memory study in words: the answer, a verdict for every machine, and what one wafer less would mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.machines import places_layers
from analysis.memory_use import MemoryUse
from analysis.plans import Plan
from analysis.sentences import joined, list_words, none_serve, shortest_of, token_words, users_words
from analysis.study import counted
from analysis.workload import Workload
from data.records import Chip
from data.units import format_quantity

_OTHER_THAN_MEMORY = ("does not fit", "no law for the speed")


def verdict(workload: Workload, plan: Plan, use: MemoryUse) -> str:
    """Whether the machine holds it, and what would: "fits, 62 % full", "needs 162 GB of 141 GB: 2 devices"."""
    if plan.refusal and not plan.refusal.startswith(_OTHER_THAN_MEMORY):
        return plan.refusal
    if math.isnan(use.memory):
        return "its memory is not known"
    if use.fits:
        return f"fits, {format_quantity(use.needed / use.memory, 'percent', 2)} full"
    if places_layers(plan.slot.chip) and (plan.fits or (use.weight <= use.usable and use.largest_batch)):
        held = "fits with caches pooled; " if plan.fits else "holds "
        return f"{held}{users_words(use.largest_batch)} with whole layers in place"
    size = f"needs {format_quantity(use.needed, 'byte')} of {format_quantity(use.memory, 'byte')}"
    word = "wafer" if places_layers(plan.slot.chip) else "device"
    return f"{size}: {_count(plan.needed, word)}"


def _count(needed: float, word: str) -> str:
    if math.isnan(needed):
        return "no plan holds it"
    return f"{needed:,.0f} {word}" + ("" if needed == 1 else "s")


def answer_to(workload: Workload, plans: Sequence[Plan], uses: Sequence[MemoryUse], total_byte: float) -> str:
    """One sentence of at most 130 characters: the size, who holds it, and how many of the others would."""
    model, users = workload.architecture.name, users_words(workload.sequences)
    size, context = format_quantity(total_byte, "byte"), token_words(workload.context_tokens)
    if all(_other(plan) for plan in plans):
        return none_serve(f"{model} at {context} runs on none of these", [plan.refusal for plan in plans])
    holders = [plan.name for plan, use in zip(plans, uses, strict=True) if use.fits and not _other(plan)]
    others = [plan for plan, use in zip(plans, uses, strict=True) if not use.fits or _other(plan)]
    pooled = [plan.name for plan in others if plan.fits and places_layers(plan.slot.chip)]
    named = [counted(p.slot.chip, p.needed) for p in others if p.name not in pooled and not math.isnan(p.needed)]
    wanted = [name for name in dict.fromkeys(named) if name not in holders]
    if holders or pooled:
        return _held(f"{model} for {users} at {context} takes {size}: ", holders, pooled, wanted, len(plans))
    head = f"None of these holds {model} for {users} at {context}: it takes {size}. "
    return joined(head, wanted, last=" or ", end=" would.") if wanted else head.strip()


def _held(head: str, holders: Sequence[str], pooled: Sequence[str], wanted: Sequence[str], machines: int) -> str:
    """Who holds it, who does only if caches may lie on any of its wafers, and what else would."""
    verb = "holds it" if len(holders or pooled) == 1 else "hold it"
    so_many = f"{len(holders)} of {machines}" if len(holders) < machines else "all of them"
    who = [f"{list_words(holders)} {verb}", f"{so_many} {verb}"] if holders else []
    if pooled:
        only = f"{list_words(pooled)} with caches pooled"
        return shortest_of(*(f"{head}{each}, {only}." for each in who), f"{head}{only}.")
    full, few = who
    would = f"; {list_words(wanted, ' or ')} would." if wanted else "."
    nearer = f"; {wanted[0]} would." if wanted else "."
    return shortest_of(f"{head}{full}{would}", f"{head}{few}{would}", f"{head}{few}{nearer}", f"{head}{few}.")


def _other(plan: Plan) -> bool:
    return bool(plan.refusal) and not plan.refusal.startswith(_OTHER_THAN_MEMORY)


def conditions_of(workload: Workload, chip: Chip) -> str:
    """What the answer holds for."""
    return (
        f"{users_words(workload.sequences).capitalize()}, each with its whole context in the cache, "
        f"{workload.format_words(chip)}. The fullest device of each machine. Computed, not measured."
    )
