"""What one device of a plan holds, by component: weights, cache, activations, overhead; and the room that is left."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.machines import divides_freely, places_layers
from analysis.models import memory_fit, placement
from analysis.plans import Plan
from analysis.workload import Weights, Workload, growth, state_of, stored_cache, weights_of

ACTIVATION_BYTE = 2.0  # activations are kept in 16 bits


@dataclass(frozen=True, kw_only=True)
class MemoryUse:
    """Bytes on the fullest device, and what would still fit.

    one_sequence   cache and state of one sequence on that device, all copies of heads counted
    copies         copies of each cached head in the group, most over the layers
    memory         of one device, all of it; `usable` the part the plan may use
    fits           True if the sequences asked for have room; on wafers with whole layers in place
    """

    attention: float
    dense_mlp: float
    experts: float
    embedding: float
    cache: float
    activation: float
    overhead: float
    one_sequence: float
    copies: float
    memory: float
    usable: float
    largest_batch: float
    largest_context_tokens: float
    fits: bool

    @property
    def weight(self) -> float:
        """All weights on the device."""
        return self.attention + self.dense_mlp + self.experts + self.embedding

    @property
    def needed(self) -> float:
        """Everything the device must hold."""
        return self.weight + self.cache + self.activation + self.overhead


def memory_use(workload: Workload, plan: Plan) -> MemoryUse:
    """Memory of the fullest device under a plan; a plan without a count is taken as one device."""
    weights = weights_of(workload, plan.slot.chip)
    if places_layers(plan.slot.chip):
        return _on_wafers(workload, plan, weights)
    return _on_devices(workload, plan, weights)


def _counted(value: float) -> float:
    return 1.0 if math.isnan(value) else value


def _memory(plan: Plan) -> float:
    known = plan.slot.chip.usable_memory_byte
    return math.nan if known is None else float(known)


def _sequences(workload: Workload, plan: Plan) -> float:
    """Sequences on the fullest copy."""
    return math.ceil(workload.sequences / max(_counted(plan.replicas), 1.0))


def _on_devices(workload: Workload, plan: Plan, weights: Weights) -> MemoryUse:
    """Tensor and pipeline parallel devices; compilers that cut layers freely divide everything evenly."""
    free = divides_freely(plan.slot.chip)
    tp, pp = (_counted(plan.device_count), 1.0) if free else (_counted(plan.tp), _counted(plan.pp))
    ep, dp = max(_counted(plan.ep), tp), _counted(plan.dp)
    copies = np.ones_like(weights.kv_heads) if free else memory_fit.cache_copies(tp, dp, weights.kv_heads)
    whole = weights.whole / tp if free else weights.whole
    attention = memory_fit.attention_weight_per_device(weights.by_heads, weights.by_kv_heads, whole, copies, tp, dp, pp)
    one = _sequence_on_device(workload, plan, float(np.max(copies)), tp * pp)
    width, chunk = float(workload.architecture.hidden), plan.chunk_tokens
    live = float(memory_fit.activation_per_device(width, ACTIVATION_BYTE, chunk, tp)) if chunk else 0.0
    held = {
        "attention": float(np.sum(attention)),
        "dense_mlp": float(np.sum(weights.dense_mlp)) / (tp * pp),
        "experts": float(np.sum(weights.experts)) / (ep * pp),
        "embedding": (weights.embedding + weights.head) / (tp * pp),
    }
    return _with_room(workload, plan, held, one, float(np.max(copies)), live, tp * pp)


def _sequence_on_device(workload: Workload, plan: Plan, copies: float, parts: float) -> float:
    """Cache of one sequence, in whole pages where the engine pages it, and its state. [B]"""
    context = workload.context_tokens
    paged = float(memory_fit.paged_context(context)) if plan.chunk_tokens else context
    cache = stored_cache(workload.at(context_tokens=paged), plan.slot.chip)
    return float(memory_fit.cache_per_device(1.0, cache, state_of(workload), copies, parts, 1.0))


def _with_room(
    workload: Workload, plan: Plan, held: dict[str, float], one: float, copies: float, live: float, parts: float
) -> MemoryUse:
    memory, sequences = _memory(plan), _sequences(workload, plan)
    budget = float(memory_fit.memory_budget(memory, plan.usable, live, plan.overhead_byte))
    weight = sum(held.values())
    fixed, growing = growth(workload, plan.slot.chip)
    fixed = (fixed * copies + state_of(workload)) / parts
    limit = workload.architecture.max_context_tokens or math.inf
    longest = limit
    if growing > 0:
        longest = float(memory_fit.largest_context(budget, weight, sequences, fixed, growing * copies / parts))
    batch = float(memory_fit.largest_batch(budget, weight, one)) if one > 0 else math.inf
    return MemoryUse(
        **held, cache=sequences * one, activation=live, overhead=plan.overhead_byte, one_sequence=one, copies=copies,
        memory=memory, usable=plan.usable * memory, largest_batch=batch * _counted(plan.replicas),
        largest_context_tokens=min(longest, limit) if weight <= budget else 0.0,
        fits=weight + sequences * one <= budget,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WaferRoom:
    """Room for the cache on a line of wafers, tokens at the workload's context."""

    layers_on_fullest: float
    pooled_tokens: float
    placed_tokens: float
    placed_byte: float


def wafer_room(workload: Workload, plan: Plan, count: float) -> WaferRoom:
    """Cache that fits on so many wafers, their memories pooled, and with whole layers in place."""
    weights, layers = weights_of(workload, plan.slot.chip), float(workload.architecture.layers)
    usable = plan.usable * _memory(plan)
    per_token = stored_cache(workload, plan.slot.chip) / max(workload.context_tokens, 1.0)
    pooled = float(placement.pooled_cache_room(count, usable, weights.total))
    placed = -math.inf
    if 1 <= count <= layers:
        tables = (weights.embedding, weights.head)
        placed = float(placement.placed_cache_room(layers, count, usable, weights.heaviest_layer, *tables))
    tokens = [max(0.0, math.floor(room / per_token)) if per_token else math.inf for room in (pooled, max(placed, 0.0))]
    return WaferRoom(
        layers_on_fullest=float(placement.layers_on_fullest(layers, count)),
        pooled_tokens=tokens[0],
        placed_tokens=tokens[1],
        placed_byte=placed,
    )


def layers_by_wafer(layers: int, count: int) -> list[int]:
    """Layers on each wafer in line: ends as the placement equations say, the rest spread evenly between them."""
    if count == 1:
        return [layers]
    first, last = int(placement.layers_on_first(layers, count)), int(placement.layers_on_last(layers, count))
    between, middle = count - 2, layers - first - last
    spread = [middle * (at + 1) // between - middle * at // between for at in range(between)] if between else []
    return [first, *spread, last]


def _on_wafers(workload: Workload, plan: Plan, weights: Weights) -> MemoryUse:
    """The fullest wafer: its own layers, their cache, and an embedding or head at the ends."""
    layers, count = workload.architecture.layers, int(_counted(plan.device_count))
    one = stored_cache(workload, plan.slot.chip) + state_of(workload)
    placed = layers_by_wafer(layers, min(count, layers))
    tables = [0.0] * len(placed)
    tables[0] += weights.embedding
    tables[-1] += weights.head
    per_layer = weights.heaviest_layer + workload.sequences * one / layers
    at = max(range(len(placed)), key=lambda index: placed[index] * per_layer + tables[index])
    share = placed[at] / layers
    room = wafer_room(workload, plan, float(count))
    memory = _memory(plan)
    batch = math.floor(max(room.placed_byte, 0.0) / one) if one else math.inf
    fixed, growing = growth(workload, plan.slot.chip)
    left = max(room.placed_byte, 0.0) / workload.sequences - fixed - state_of(workload)
    limit = workload.architecture.max_context_tokens or math.inf
    longest = max(0.0, left / growing) if growing > 0 else limit
    return MemoryUse(
        attention=weights.attention * share, dense_mlp=float(np.sum(weights.dense_mlp)) * share,
        experts=float(np.sum(weights.experts)) * share, embedding=tables[at],
        cache=workload.sequences * one * share, activation=0.0, overhead=0.0, one_sequence=one * share, copies=1.0,
        memory=memory, usable=plan.usable * memory, largest_batch=float(batch),
        largest_context_tokens=float(math.floor(min(longest, limit))),
        fits=room.placed_byte >= workload.sequences * one,
    )  # fmt: skip
