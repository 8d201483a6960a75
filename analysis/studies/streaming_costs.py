"""What a machine holds of a model, what a step must fetch, and how long that takes beside the step itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.block_table import expert_elements
from analysis.engine import Case, evaluate
from analysis.machines import divides_freely, places_layers
from analysis.memory_use import memory_use
from analysis.models.streaming import step_with_transfer, transfer_time
from analysis.plans import Plan, plans_of, served_case
from analysis.studies.streaming_links import Kind, Link, link_of
from analysis.studies.streaming_routing import Routing, met, popularity
from analysis.study import Slot, rows_of
from analysis.workload import Workload, met_weights, weights_of
from data.records import Chip
from data.units import format_quantity

Floats = NDArray[np.float64]
ALL_MEMORY_BYTE = 1e18  # a machine on which everything is resident, for the step itself


@dataclass(frozen=True, kw_only=True)
class Streaming:
    """How missing weights come. `hidden_fraction` of the shorter of step and transfer runs beside the longer."""

    routing: Routing
    resident_limit: float = 1.0  # no more than this share of the experts is kept, however much fits
    hidden_fraction: float = 0.0
    link: Kind = "built"
    own_link_byte_per_s: float = 50e9


@dataclass(frozen=True, kw_only=True)
class Part:
    """Equal layers' weights that may lie outside: experts, or all layers of a dense model as one that is always met."""

    layers: float
    unit_byte: float
    popular: Floats


@dataclass(frozen=True, kw_only=True)
class Held:
    """One machine. Bytes are of one copy; `refusal` says why nothing can be streamed.

    fits_share     share of the experts (dense: of all layers) that finds room beside everything else
    always_byte    what a step reads that is always resident: attention, shared parts, head
    step_s         decode step with everything resident
    links          links that work at once for one step; `crowding` how many streams wait for each of them
    rows           tokens whose experts a transfer brings together
    """

    plan: Plan
    link: Link
    parts: tuple[Part, ...]
    fits_share: float
    always_byte: float
    weight_byte: float
    streamable_byte: float
    step_s: float
    links: float
    crowding: float
    rows: float
    refusal: str

    def missed_byte(self, resident_share: float) -> float:
        """Bytes a step must fetch if the most popular experts up to this share are resident."""
        return sum(part.layers * part.unit_byte * met(part.popular, self.rows, resident_share) for part in self.parts)

    @property
    def whole_layers(self) -> bool:
        """True for a model without experts, whose layers are met by every token."""
        return len(self.parts) == 1 and bool(self.parts[0].popular.min() >= 1)

    @property
    def touched_byte(self) -> float:
        """Bytes of weights that a step meets, resident or not."""
        return self.always_byte + self.missed_byte(0.0)

    def hit_fraction(self, resident_share: float) -> float:
        """Share of the bytes a step meets that are resident. [1]"""
        return 1.0 - self.missed_byte(resident_share) / self.touched_byte

    @property
    def link_byte_per_s(self) -> float:
        """All links that one step can use. [B/s]"""
        return (self.link.byte_per_s or math.nan) * self.links / self.crowding

    def step_time(self, resident_share: float, hidden_fraction: float) -> float:
        """Time of a step with its transfer. [s]"""
        missed = self.missed_byte(resident_share)
        moved = transfer_time(missed, 1.0, self.link_byte_per_s) if missed > 0 else 0.0
        return float(step_with_transfer(self.step_s, moved, hidden_fraction))


def held_by(workload: Workload, slots: Sequence[Slot], streaming: Streaming) -> list[Held]:
    """What every machine holds and fetches; the engine's step is that of a machine with room for everything."""
    plans = plans_of(workload, slots)
    cases = [_roomy(workload, plan) for plan in plans]
    answers = rows_of(evaluate(cases, workload.parameters))
    return [
        _held(workload, plan, streaming, float(answer["tpot_s"]), str(answer["reason"]))
        for plan, answer in zip(plans, answers, strict=True)
    ]


def _roomy(workload: Workload, plan: Plan) -> Case:
    """The same plan on devices with room for everything."""
    chip = replace(plan.slot.chip, memory_byte=ALL_MEMORY_BYTE, memory_visible_byte=None)
    count = 1 if math.isnan(plan.device_count) else int(plan.device_count)
    case = served_case(workload, Slot(place=0, chip=chip, device_count=count))
    shared = plan.tp * plan.pp * plan.replicas == count and not places_layers(chip) and not divides_freely(chip)
    return replace(case, tp=int(plan.tp), pp=int(plan.pp)) if shared else case


def _held(workload: Workload, plan: Plan, streaming: Streaming, step_s: float, reason: str) -> Held:
    chip = plan.slot.chip
    parts = _parts(workload, chip, streaming.routing)
    one = met_weights(workload.at(sequences=1.0), chip)[0]
    touched = sum(part.layers * part.unit_byte * float(np.sum(part.popular)) for part in parts)
    link = link_of(chip, streaming.link, streaming.own_link_byte_per_s)
    share, short = _fits_share(workload, plan)
    kept = min(share, streaming.resident_limit)
    if math.isnan(plan.device_count):
        reason = plan.refusal
    rows, links, crowding = _traffic(workload, plan)
    return Held(
        plan=plan,
        link=link,
        parts=parts,
        fits_share=share,
        always_byte=one - touched,
        weight_byte=weights_of(workload, chip).total,
        streamable_byte=sum(part.layers * part.unit_byte * len(part.popular) for part in parts),
        step_s=step_s,
        links=links,
        crowding=crowding,
        rows=rows,
        refusal=reason or short or (link.words if link.byte_per_s is None and kept < 1 else ""),
    )


def _parts(workload: Workload, chip: Chip, routing: Routing) -> tuple[Part, ...]:
    """Routed experts of every block; of a model without any, its layers, every one met by every token."""
    model, used = workload.architecture, workload.formats(chip)
    found = [
        Part(
            layers=float(block.layers),
            unit_byte=expert_elements(block.mlp, model.hidden) * used.expert.byte,
            popular=popularity(routing, block.mlp.experts, block.mlp.experts_per_token),
        )
        for block in model.blocks
        if block.mlp.experts
    ]
    if found:
        return tuple(found)
    weights = weights_of(workload, chip)
    layers = weights.total - weights.embedding - weights.head
    return (Part(layers=1.0, unit_byte=layers / model.layers, popular=np.ones(model.layers)),)


def _fits_share(workload: Workload, plan: Plan) -> tuple[float, str]:
    """Share of what may lie outside that has room on the fullest device, and why none has; nan for unknown memory."""
    use = memory_use(workload, plan)
    streamable = use.experts or use.attention + use.dense_mlp
    beside = use.needed - streamable
    if math.isnan(use.memory):
        return math.nan, "its memory is not known"
    if beside > use.usable:
        need, have = (format_quantity(value, "byte") for value in (beside, use.usable))
        return 0.0, f"{need} of cache and other weights in {have}"
    return min(1.0, (use.usable - beside) / streamable), ""


def _traffic(workload: Workload, plan: Plan) -> tuple[float, float, float]:
    """Tokens whose experts come together, links that work at once for them, and how many streams share a link."""
    users = workload.sequences / max(plan.replicas, 1.0)
    if places_layers(plan.slot.chip):
        return 1.0, 1.0, max(1.0, users / plan.device_count)
    if divides_freely(plan.slot.chip):
        return 1.0, plan.device_count, max(1.0, users)
    return max(1.0, users / max(plan.pp, 1.0)), max(plan.tp, 1.0), 1.0
