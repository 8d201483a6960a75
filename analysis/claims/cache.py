"""Claims about the cache of keys and values: what a step reads of it, and how many users it has room for."""

from __future__ import annotations

from analysis.claims.bandwidth import active_weights, documents_of
from analysis.claims.verdict import CLOSE, Asked, Kind, Verdict, documents
from analysis.claims.words import bytes_text, count_text, share_text
from analysis.explain import explain
from analysis.memory_use import WaferRoom, wafer_room
from analysis.models import claims as arithmetic
from analysis.models import placement, ratios
from analysis.plans import Plan, plans_of
from analysis.shapes import cache_byte_per_token
from analysis.study import Slot, Step, counted, short_name
from analysis.workload import Workload, weights_of
from data.records import Architecture

BF16_BYTE = 2.0


def access(asked: Asked) -> Verdict:
    """Cache access put as tokens times active weights, against keys and values of the heads that keep them."""
    model, chip, tokens = asked.model(), asked.chip(), asked.positive("context_tokens")
    claimed = tokens * active_weights(model)  # one byte each, the least it could mean
    entry, memory = cache_byte_per_token(model, BF16_BYTE), asked.figure(chip, "memory_byte")
    cache = tokens * entry
    times = claimed / cache
    kind: Kind = "holds" if abs(times - 1) <= CLOSE else "false by a factor"
    lead = "Holds" if kind == "holds" else f"False by {count_text(times, 2)}, one byte an activation"
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {entry:,.0f} B a token in BF16, {bytes_text(cache)} for one sequence of {tokens:,.0f} "
        f"tokens, which is {cache / memory:.2g} × {short_name(chip)}.",
        figures={"entry_byte_per_token": entry, "cache_byte": cache, "factor": times, "devices": cache / memory},
        steps=(
            *_entry_steps(model),
            explain(arithmetic.cache_at_length, subject="One sequence", context_tokens=tokens,
                    entry_byte_per_token=entry),
            explain(ratios.times_the_memory, subject="Claimed, at one byte, over the cache",
                    claimed_byte=claimed,
                    reference_byte=cache),
            explain(ratios.times_the_memory, subject=f"The cache over one {short_name(chip)}", claimed_byte=cache,
                    reference_byte=memory),
        ),
        sources=(*documents_of(model), *documents([chip.facts.get("memory_byte")])),
    )  # fmt: skip


def _entry_steps(model: Architecture) -> list[Step]:
    """Keys and values of a token where every layer keeps the same kind of heads."""
    kept = [block for block in model.blocks if block.attention.kind == "gqa" and block.attention.stores_cache]
    shapes = {(each.attention.kv_heads, each.attention.head_width, each.attention.cache_vectors) for each in kept}
    if len(shapes) != 1 or len(kept) != len(model.blocks):
        return []
    heads, width, vectors = shapes.pop()
    return [
        explain(arithmetic.cache_entry, subject="One token", layers=float(model.layers), kv_heads=heads,
                head_width=width, element_byte_per_token=BF16_BYTE, vectors=vectors)
    ]  # fmt: skip


def _placed(asked: Asked) -> tuple[Workload, Plan, WaferRoom]:
    """The model on the stated wafers in 16 bits, and the room its weights leave."""
    work = Workload(architecture=asked.model(), context_tokens=1.0, weight_format="bf16", cache_format="bf16",
                    parameters=asked.parameters)  # fmt: skip
    count = int(asked.positive("device_count"))
    plan = plans_of(work, [Slot(place=0, chip=asked.chip(), device_count=count)])[0]
    return work, plan, wafer_room(work, plan, float(count))


def users_by_room(asked: Asked) -> Verdict:
    """A range of batch sizes on wafers: the context that the most users then have."""
    work, plan, room = _placed(asked)
    users, count = max(asked.numbers("users")), plan.device_count
    usable = plan.usable * asked.figure(asked.chip(), "memory_byte")
    weights = weights_of(work, plan.slot.chip)
    pooled, each = count * usable - weights.total, room.pooled_tokens / users
    name = counted(plan.slot.chip, count)
    kind: Kind = "holds only if" if room.pooled_tokens >= users else "false by a factor"
    lead = f"Holds only if no user keeps more than {each:,.0f} tokens" if kind == "holds only if" else "False"
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {work.architecture.name} on {name} leaves {bytes_text(pooled)}, room for "
        f"{room.pooled_tokens:,.0f} tokens in BF16 with all memory pooled and {room.placed_tokens:,.0f} with whole "
        f"layers in place, shared by {users:,.0f}.",
        figures={"pooled_byte": pooled, "pooled_tokens": room.pooled_tokens, "placed_tokens": room.placed_tokens,
                 "each_tokens": each},
        steps=_room_steps(work, plan, room, users),
        sources=(*documents_of(work.architecture), *documents([plan.slot.chip.facts.get("memory_byte")])),
        assumed=(f"{1 - plan.usable:.0%} of the memory holds code and buffers, a prior",),
    )  # fmt: skip


def _room_steps(work: Workload, plan: Plan, room: WaferRoom, users: float) -> tuple[Step, ...]:
    weights, count = weights_of(work, plan.slot.chip), plan.device_count
    usable, name = plan.usable * float(plan.slot.chip.memory_byte or 0.0), counted(plan.slot.chip, count)
    return (
        explain(placement.pooled_cache_room, subject=name, devices=count, usable_byte=usable,
                weight_byte=weights.total),
        explain(placement.placed_cache_room, subject=f"{name}, whole layers in place",
                layers=float(work.architecture.layers), devices=count, usable_byte=usable,
                layer_byte=weights.heaviest_layer, embedding_byte=weights.embedding, head_byte=weights.head),
        explain(arithmetic.room_for_each, subject=f"{users:,.0f} users", room_tokens=room.pooled_tokens, users=users),
    )  # fmt: skip


def memory_split(asked: Asked) -> Verdict:
    """A planning rule for memory, shown against a published placement."""
    work, plan, _ = _placed(asked)
    share, memory = asked.positive("weight_fraction"), asked.figure(asked.chip(), "memory_byte")
    weights, count = weights_of(work, plan.slot.chip).total, plan.device_count
    runs, by_rule = weights / (count * memory), float(placement.wafers_by_fill(weights, memory, share))
    name = counted(plan.slot.chip, count)
    return Verdict(
        kind="a rule",
        sentence=f"A planning rule, not a law: {work.architecture.name} in BF16 runs on {name} with "
        f"{share_text(runs, 2)} of the memory in weights; at {share_text(share, 2)} it would take {by_rule:.0f}.",
        figures={"weight_fraction": runs, "needed_by_rule": by_rule},
        steps=(
            explain(ratios.times_the_memory, subject=f"Weights over the memory of {name}", claimed_byte=weights,
                    reference_byte=count * memory),
            explain(placement.wafers_by_fill, subject="By the rule", weight_byte=weights, memory_byte=memory,
                    weight_fraction=share),
        ),
        sources=(*documents_of(work.architecture), *documents([plan.slot.chip.facts.get("memory_byte")])),
    )  # fmt: skip
