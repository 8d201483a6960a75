"""The ways one copy of a model can lie over so many devices: which degrees are worth asking the engine about."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from analysis.engine import Case
from analysis.engine.device_numbers import form_of
from analysis.engine.inputs import KERNELS
from analysis.plans import served_case
from analysis.study import Slot
from analysis.workload import Workload
from data.records import Architecture, Chip

COUNTS = (1, 2, 4, 8, 16, 32, 64)
WIDEST_GROUP = 64  # devices that share one layer
BLOCK_WEIGHTS = 128  # side of the squares that DeepSeek-style FP8 scales together; a device must hold whole ones


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Degrees of one copy. All None where the machine's own compiler lays the model out."""

    device_count: int
    tp: int | None = None
    pp: int | None = None
    ep: int | None = None
    dp: int | None = None

    @property
    def words(self) -> str:
        """ "tp 8, pp 2, dp 8, ep 8"; degrees of one are not said."""
        said = [f"{name} {getattr(self, name)}" for name in ("tp", "pp", "dp", "ep") if (getattr(self, name) or 1) > 1]
        return ", ".join(said) or ("one device" if self.device_count == 1 else "layers in place")


def spreads(architecture: Architecture, chip: Chip, count: int, *, weights: str = "") -> list[Spread]:
    """Every split of so many devices into groups that share a layer and stages in line.

    Attention heads must divide over a group, and a model must have a layer for each stage. Attention is kept whole in
    the group, or given to as many sets of users as leave no cached head copied. Experts are cut like the rest, or
    spread whole where users are apart and where their cut would split a scaling block.
    """
    if form_of(chip, "") != KERNELS:
        return [Spread(device_count=count)]
    found = []
    for tp in (each for each in range(1, min(count, WIDEST_GROUP) + 1) if count % each == 0):
        pp = count // tp
        if pp > architecture.layers or (tp > 1 and not _linked(chip, tp)):
            continue
        found += [
            Spread(device_count=count, tp=tp, pp=pp, ep=_expert_groups(architecture, tp, dp, weights), dp=dp)
            for dp in _attention_groups(architecture, tp)
            if _heads_divide(architecture, tp // dp)
        ]
    return found


def _linked(chip: Chip, tp: int) -> bool:
    return chip.link_bandwidth_byte_per_s is not None and (tp <= 2 or not chip.link_pair_only)


def _heads_divide(architecture: Architecture, tp: int) -> bool:
    kinds = {"gqa", "mla"}
    return all(b.attention.query_heads % tp == 0 for b in architecture.blocks if b.attention.kind in kinds)


def _attention_groups(architecture: Architecture, tp: int) -> list[int]:
    """1 and, where a mixture's cached heads would be copied over the group, the groups that copy none."""
    cached = [1 if b.attention.kind == "mla" else b.attention.kv_heads for b in architecture.blocks]
    most = max((heads for heads in cached if heads), default=tp)
    apart = tp // math.gcd(tp, most)
    return sorted({1, apart} | {tp}) if architecture.is_mixture and tp > 1 else [1]


def _expert_groups(architecture: Architecture, tp: int, dp: int, weights: str) -> int:
    widths = [(b.mlp.experts, b.mlp.expert_width) for b in architecture.blocks if b.mlp.experts]
    if tp == 1 or not widths or any(experts % tp for experts, _ in widths):
        return 1
    scaled = architecture.fp8_block_scaled and weights in ("fp8", "")
    cut_scales = scaled and any(width % (BLOCK_WEIGHTS * tp) for _, width in widths)
    return tp if dp > 1 or cut_scales else 1


def counts_for(needed: float, *more: float) -> list[int]:
    """Powers of two up to 64, the fewest devices that hold the model, and others worth seeing. [devices]"""
    wanted = [float(each) for each in COUNTS] + [needed, *more]
    return sorted({int(each) for each in wanted if math.isfinite(each) and each >= 1})


def spread_case(workload: Workload, chip: Chip, spread: Spread) -> Case:
    """The engine's question for one spread, as GPUs serve it."""
    case = served_case(workload, Slot(place=0, chip=chip, device_count=spread.device_count))
    return replace(case, tp=spread.tp, pp=spread.pp, ep=spread.ep, dp=spread.dp)
