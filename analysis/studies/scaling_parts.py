"""Parts of the scaling study that the engine does not tell apart: hops, rings of groups, work of a wafer's layer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.engine.device_numbers import links
from analysis.engine.shapes_of_cases import shapes_of
from analysis.engine.work_of_token import attention_macs, weight_macs
from analysis.machines import places_layers
from analysis.models.collectives import hop_time
from analysis.models.memory_fit import cache_copies
from analysis.models.sequence_parallel import ring_prefill_time
from analysis.parameters import Parameters
from analysis.study import Slot
from analysis.workload import Workload, stored_cache, weights_of
from data.records import Chip

Floats = NDArray[np.float64]
Row = Mapping[str, Any]  # one split of one count, as the study lists them
RING = ("ring_s", "ring_groups", "ring_alone_s", "ring_cache_byte")


def link_of(chip: Chip, devices: float, parameters: Parameters) -> float:
    """Link bandwidth of one device of a group: the chip's inside a node, the assumed network's beyond it. [B/s]"""
    joined, _ = links(chip, parameters.serving)
    between = parameters.serving.node_link_byte_per_s
    return float(between if math.isnan(joined["link"]) or devices > joined["node_count"] else joined["link"])


def hop_seconds(workload: Workload, slots: Sequence[Slot], rows: Sequence[Row], parameters: Parameters) -> Floats:
    """Time that one token of one stream spends between stages or wafers. [s] (plans,)"""
    chips = {slot.place: slot.chip for slot in slots}
    message = workload.architecture.hidden * parameters.serving.activation_byte
    stages = np.array([row["device_count"] if places_layers(chips[row["place"]]) else row["pp"] for row in rows], float)
    wafers = np.array([places_layers(chips[row["place"]]) for row in rows])
    link = np.array([link_of(chips[row["place"]], row["device_count"], parameters) for row in rows])
    hops = hop_time(stages, parameters.serving.hop_s, message, link)
    return np.where(wafers, (stages - 1) * parameters.mesh.hop_s, hops)


def ring_seconds(
    workload: Workload, slots: Sequence[Slot], rows: Sequence[Row], parameters: Parameters
) -> dict[str, Floats]:
    """Quickest prompt of every row's count when its tokens are divided over groups that each hold the model.

    Arrays, one value a plan: seconds, groups, seconds of one group alone, cache that one device of a group keeps.
    Groups share layers and nothing else; nan for machines that place layers, and where no smaller group fits.
    """
    chips = {slot.place: slot.chip for slot in slots}
    alone = {
        (row["place"], row["tp"]): float(row["prefill_s"])
        for row in rows
        if row["feasible"] and row["tp"] == row["device_count"] and row["dp"] == 1
    }
    best: dict[tuple[int, int], tuple[float, ...]] = {}
    for place, count in {(row["place"], row["device_count"]) for row in rows}:
        trials = [
            _ring(workload, chips[place], (width, count // width), seconds, parameters)
            for (at, width), seconds in alone.items()
            if at == place and width < count and count % width == 0 and not places_layers(chips[place])
        ]
        best[place, count] = min(trials) if trials else (math.nan,) * len(RING)
    columns = np.array([best[row["place"], row["device_count"]] for row in rows], dtype=float).T
    return dict(zip(RING, columns, strict=True))


def _ring(
    workload: Workload, chip: Chip, split: tuple[int, int], alone_s: float, parameters: Parameters
) -> tuple[float, float, float, float]:
    """One split into (devices of a group, groups), as RING lists it."""
    serving, (width, groups) = parameters.serving, split
    copies = float(np.max(cache_copies(width, 1.0, weights_of(workload, chip).kv_heads)))
    kept = stored_cache(workload, chip) * copies / width
    link, layers = link_of(chip, width * groups, parameters), workload.architecture.layers
    seconds = ring_prefill_time(alone_s, groups, kept, link, serving.link_fraction, layers, serving.hop_s)
    return float(seconds), float(groups), alone_s, kept


def layer_macs(workload: Workload) -> float:
    """Multiply-accumulates of one token in an average layer, head and attention included, as the engine counts."""
    shapes = shapes_of([workload.architecture])
    macs = weight_macs(shapes) + attention_macs(shapes, np.array([workload.context_tokens]))
    return float(macs[0] / shapes.layer_count[0])
