"""The arithmetic behind the scaling study: collectives and hops of each slot's fastest count."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.engine.device_numbers import links
from analysis.explain import explain
from analysis.machines import places_layers
from analysis.models import collectives, mesh
from analysis.models.sequence_parallel import ring_prefill_time
from analysis.parameters import Parameters
from analysis.studies.scaling_parts import layer_macs, link_of
from analysis.study import Slot, Step, rows_of
from analysis.workload import Workload

Row = Mapping[str, Any]


def steps_of(workload: Workload, slots: Sequence[Slot], table: pd.DataFrame, parameters: Parameters) -> list[Step]:
    """Steps for every slot that serves."""
    steps: list[Step] = []
    for slot in slots:
        own = [row for row in rows_of(table) if row["place"] == slot.place and not row["verdict"]]
        if not own:
            continue
        best = max(own, key=lambda row: float(row["tokens_per_s_per_user"]))
        if places_layers(slot.chip):
            steps += _wafer_steps(workload, slot, best, parameters)
        elif slot.chip.link_bandwidth_byte_per_s is not None and best["device_count"] > 1:
            steps += _group_steps(workload, slot, best, parameters)
    return steps


def _wafer_steps(workload: Workload, slot: Slot, best: Row, parameters: Parameters) -> list[Step]:
    believed, layers, wafers = parameters.mesh, workload.architecture.layers, float(best["device_count"])
    if not slot.chip.core_count:
        return []
    macs = layer_macs(workload)
    region = float(mesh.region_size(slot.chip.core_count, wafers, layers))
    side = explain(
        mesh.best_side, subject=f"{best['slot']}, best side of a layer's region", mac_s=believed.mac_s, macs=macs,
        crossing_s=believed.crossing_s,
    )  # fmt: skip
    own = explain(
        mesh.region_size, subject=f"{best['slot']}, cores of a region", cores=slot.chip.core_count, wafers=wafers,
        layers=layers,
    )  # fmt: skip
    layer = explain(
        mesh.layer_time, subject=f"{best['slot']}, one layer", fixed_s=believed.fixed_s, crossing_s=believed.crossing_s,
        mac_s=believed.mac_s, macs=macs, region=region,
    )  # fmt: skip
    return [side, own, layer]


def _group_steps(workload: Workload, slot: Slot, best: Row, parameters: Parameters) -> list[Step]:
    serving, count = parameters.serving, float(best["device_count"])
    link = link_of(slot.chip, count, parameters)
    message = workload.architecture.hidden * serving.activation_byte
    joined, _ = links(slot.chip, serving)
    reduce = explain(
        collectives.allreduce_time, subject=f"{best['slot']}, one of two sums a layer over all devices, one stream",
        first_s=joined["allreduce"], growth=joined["allreduce_growth"], devices=count, message_byte=message,
        link_byte_per_s=link, link_fraction=serving.link_fraction,
    )  # fmt: skip
    hops = explain(
        collectives.hop_time, subject=f"{best['slot']}, if all were stages in line", stages=count, hop_s=serving.hop_s,
        message_byte=message, link_byte_per_s=link,
    )  # fmt: skip
    groups = float(best["ring_groups"])
    if math.isnan(best["first_token_s"]) or groups <= 1:
        return [reduce, hops]
    width = count / groups
    ring = explain(
        ring_prefill_time, subject=f"{best['slot']}, a prompt over {groups:.0f} groups of {width:.0f}",
        alone_s=float(best["ring_alone_s"]), groups=groups, cache_byte=float(best["ring_cache_byte"]),
        link_byte_per_s=link, link_fraction=serving.link_fraction,
        layers=workload.architecture.layers, hop_s=serving.hop_s,
    )  # fmt: skip
    return [reduce, hops, ring]
