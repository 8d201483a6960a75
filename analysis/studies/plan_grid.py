"""The grid of a plan search: chips, counts, splits, users and number formats that are worth asking about."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from analysis.engine import Case, evaluate
from analysis.machines import divides_freely, places_layers
from analysis.parameters import starting_parameters
from analysis.plans import served_case
from analysis.studies.plan_space import COUNTS, Spread, spreads
from analysis.study import Slot, counted
from analysis.workload import Workload
from data.records import Chip

BATCHES = (1, 4, 16, 64, 256)
MOST_STAGES = 4  # stages beyond it add devices and no speed; copies side by side serve the same
MORE_WAFERS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0)  # times the fewest, where a machine is laid out whole
LEAST_MEMORY_BYTE = 60e9  # smaller cards are no servers of large models
_FAMILY_NAMES = {
    "cdna1": "CDNA 1", "cdna2": "CDNA 2", "cdna3": "CDNA 3", "cdna4": "CDNA 4", "tpu": "TPU", "wse": "WSE",
    "groq": "LPU", "rdu": "RDU", "ipu": "IPU", "gaudi2": "Gaudi 2", "gaudi3": "Gaudi 3",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One chip, its split, the users of one copy and the formats, with the engine's question for it.

    name     count and chip: "8 × H200"
    family   maker and generation: "NVIDIA Hopper"
    split    the spread in words
    """

    chip: Chip
    name: str
    family: str
    split: str
    spread: Spread
    users: int
    weights: str
    cache: str
    case: Case


def family_of(chip: Chip) -> str:
    """Maker and generation, as the table names them."""
    generation = _FAMILY_NAMES.get(chip.generation, chip.generation.replace("-", " ").title())
    return f"{chip.vendor} {generation}"


def servers(chips: Iterable[Chip]) -> list[Chip]:
    """Chips on sale that servers of large models are made of: linked cards with memory, and SRAM machines."""
    return [chip for chip in chips if chip.available and _is_server(chip)]


def _is_server(chip: Chip) -> bool:
    if chip.execution != "kernels":
        return chip.execution != "mesh" or chip.core_count is not None
    linked = chip.link_bandwidth_byte_per_s is not None and (chip.scale_up_device_count or 0) > 1
    return linked and (chip.memory_byte or 0.0) >= LEAST_MEMORY_BYTE and chip.kind in ("gpu", "tpu", "npu")


def grid(workload: Workload, chips: Sequence[Chip], formats: Sequence[tuple[str, str]]) -> list[Plan]:
    """Every plan, in the order of the chips. Counts below the fewest that hold the model are not asked about."""
    works = [replace(workload, weight_format=w, cache_format=c, sequences=1.0) for w, c in formats]
    pairs = [(chip, work) for chip in chips for work in works]
    asked = [served_case(work, Slot(place=0, chip=chip, device_count=None)) for chip, work in pairs]
    if not asked:
        return []
    needed = evaluate(asked, workload.parameters)["devices_needed"].tolist()
    return [
        plan
        for (chip, work), base, fewest in zip(pairs, asked, needed, strict=True)
        if not math.isnan(fewest)
        for plan in _of_chip(work, chip, base, int(fewest))
    ]


def _of_chip(work: Workload, chip: Chip, base: Case, fewest: int) -> list[Plan]:
    plans, family = [], family_of(chip)
    given = {each.name: getattr(base, each.name) for each in fields(base)}
    for spread in _spreads(work, chip, fewest):
        name, split = counted(chip, spread.device_count), spread.words
        own = given | {degree: getattr(spread, degree) for degree in ("device_count", "tp", "pp", "ep", "dp")}
        plans += [
            Plan(
                chip=chip, name=name, family=family, split=split, spread=spread, users=users,
                weights=work.weight_format, cache=work.cache_format, case=Case(**(own | {"concurrency": float(users)})),
            )
            for users in BATCHES
            if users >= (spread.dp or 1)
        ]  # fmt: skip
    return plans


def _spreads(work: Workload, chip: Chip, fewest: int) -> list[Spread]:
    if chip.execution != "kernels":
        counts = sorted({math.ceil(fewest * more) for more in MORE_WAFERS})
        return [Spread(device_count=count) for count in counts if count <= max(fewest, _most(work, chip))]
    reached = chip.scale_up_device_count or starting_parameters().serving.node_device_count
    counts = sorted({fewest, *(count for count in COUNTS if count >= fewest)})
    found = [each for n in counts for each in spreads(work.architecture, chip, n, weights=work.weight_format)]
    return [each for each in found if (each.tp or 1) <= reached and (each.pp or 1) <= MOST_STAGES]


def _most(work: Workload, chip: Chip) -> float:
    """Most devices of a machine that lays the model out itself: a layer a wafer, sockets as far as links reach."""
    if places_layers(chip):
        return work.architecture.layers
    return math.inf if divides_freely(chip) else float(chip.scale_up_device_count or 1)
