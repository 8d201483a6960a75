"""What more devices give one stream, all streams together and the first token, and where more is less."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from analysis.engine import evaluate
from analysis.machines import places_layers
from analysis.models import mesh
from analysis.parameters import Parameters, starting_parameters
from analysis.plans import plans_of
from analysis.provenance import estimates_in, sources_of
from analysis.studies import scaling_words as words
from analysis.studies.launch import Launch, Served, launches
from analysis.studies.plan_space import COUNTS, Spread, counts_for, spread_case, spreads
from analysis.studies.scaling_parts import hop_seconds, layer_macs, ring_seconds
from analysis.studies.scaling_steps import steps_of
from analysis.study import Slot, Study, counted, rows_of
from analysis.workload import Workload

QUESTION = "What do more devices give: one stream, all streams, the first token?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s")
EVERYBODY = 1e6  # users asked for so that memory, not the load, decides how many are in flight
COPIED = ("tokens_per_s_per_user", "share_communication", "prefill_s", "decode_step_s", "weight_byte", "binding")


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """Links and hops as they might be; 1 and None leave them as they are.

    link_factor   bandwidth of links inside and between nodes against the catalogue's
    hop_s         latency from one stage or wafer to the next
    """

    link_factor: float = 1.0
    hop_s: float | None = None

    def chip_in(self, slot: Slot) -> Slot:
        """The slot with its chip's links changed."""
        link = slot.chip.link_bandwidth_byte_per_s
        if link is None or self.link_factor == 1.0:
            return slot
        return replace(slot, chip=replace(slot.chip, link_bandwidth_byte_per_s=self.link_factor * link))

    def believed(self, parameters: Parameters) -> Parameters:
        """Parameters with hops and the links between nodes changed."""
        serving, wafers = parameters.serving, parameters.mesh
        serving = replace(serving, node_link_byte_per_s=self.link_factor * serving.node_link_byte_per_s)
        if self.hop_s is not None:
            serving, wafers = replace(serving, hop_s=self.hop_s), replace(wafers, hop_s=self.hop_s)
        return replace(parameters, serving=serving, mesh=wafers)


def study(workload: Workload, slots: Sequence[Slot], what_if: WhatIf | None = None) -> Study:
    """Every count of every slot's chip, split in every way that can be built. [tokens/s, seconds]

    Table: one row a slot and count, with the split that is fastest for one stream and the one that serves most in all
    when memory is full. Marks: `plans`, one row a split; `less`, sentences on where more devices give less.
    """
    changed = what_if or WhatIf()
    parameters = changed.believed(workload.parameters or starting_parameters())
    machines = [changed.chip_in(slot) for slot in slots]
    asked = replace(workload, parameters=parameters, sequences=1.0)
    plans = _plans(asked, machines, parameters)
    rows = rows_of(plans)
    table = pd.DataFrame([_best_of(list(group)) for _, group in groupby(rows, lambda row: (row["place"], row["slot"]))])
    less = [line for slot in machines for line in words.less_lines(asked, slot, rows)]
    less += words.beyond(table, COUNTS[-1])
    return Study(
        question=QUESTION,
        answer=words.answer(asked, table),
        conditions=words.conditions(asked, slots[0].chip, changed.link_factor, changed.hop_s),
        table=table,
        steps=lambda: steps_of(asked, machines, table, parameters),
        sources=sources_of(workload.architecture, [slot.chip for slot in slots], FIELDS),
        remarks=estimates_in([slot.chip for slot in slots], FIELDS),
        assumptions=words.assumptions(machines, parameters),
        marks={"plans": plans, "less": less},
    )


def _plans(workload: Workload, slots: Sequence[Slot], parameters: Parameters) -> pd.DataFrame:
    """All splits of all counts of all slots: alone and with memory full, in one call to the engine."""
    fewest = plans_of(workload, [replace(slot, device_count=None) for slot in slots])
    pairs: list[tuple[Slot, Spread]] = []
    for slot, plan in zip(slots, fewest, strict=True):
        counts = counts_for(plan.needed, slot.device_count or math.nan, _best_wafers(workload, slot, parameters))
        kept = [n for n in counts if math.isnan(plan.needed) or n >= plan.needed or n == slot.device_count]
        pairs += [(slot, each) for count in kept for each in _spreads(workload, slot, count)]
    cases = [spread_case(workload, slot.chip, spread) for slot, spread in pairs]
    answers = evaluate([*cases, *(replace(case, concurrency=EVERYBODY) for case in cases)], parameters)
    alone, full = answers.iloc[: len(cases)].reset_index(drop=True), answers.iloc[len(cases) :].reset_index(drop=True)
    columns: dict[str, Any] = {name: alone[name] for name in ("feasible", "reason", "devices_needed", *COPIED)}
    columns |= {name: full[name] for name in ("output_tokens_per_s", "running")}
    columns["full_share_communication"] = full["share_communication"]
    frame = pd.DataFrame([_named(slot, spread) for slot, spread in pairs]).assign(**columns)
    rows = rows_of(frame)
    hops = hop_seconds(workload, slots, rows, parameters) / frame["decode_step_s"].to_numpy()
    rings = ring_seconds(workload, slots, rows, parameters)
    first = np.fmin(rings["ring_s"], frame["prefill_s"].to_numpy())
    alone_or_ring = np.where(rings["ring_s"] <= first, rings["ring_groups"], 1.0)
    return frame.assign(**rings | {"ring_groups": alone_or_ring}, first_token_s=first,
                        share_hop=np.minimum(hops, frame["share_communication"]))  # fmt: skip


def _spreads(workload: Workload, slot: Slot, count: int) -> list[Spread]:
    return spreads(workload.architecture, slot.chip, count, weights=workload.weight_format) or [
        Spread(device_count=count)
    ]


def _best_wafers(workload: Workload, slot: Slot, parameters: Parameters) -> float:
    """Wafers at which a layer's region has its best side; nan elsewhere."""
    if not places_layers(slot.chip) or not slot.chip.core_count:
        return math.nan
    believed = parameters.mesh
    side = mesh.best_side(believed.mac_s, layer_macs(workload), believed.crossing_s)
    return float(round(float(side) ** 2 * workload.architecture.layers / slot.chip.core_count))


def _named(slot: Slot, spread: Spread) -> dict[str, object]:
    name = counted(slot.chip, spread.device_count)
    degrees = {name: getattr(spread, name) or 1 for name in ("tp", "pp", "ep", "dp")}
    return {"slot": name, "place": slot.place, "device_count": spread.device_count, "spread": spread.words} | degrees


def _best_of(rows: list[dict[str, Any]]) -> dict[str, object]:
    """One count of one slot: its best split for one stream, its best for all, its quickest prompt."""
    head = {name: rows[0][name] for name in ("slot", "place", "device_count")}
    served = [row for row in rows if row["feasible"]]
    if not served:
        said = {"spread": "", "full_spread": "", "verdict": words.refused(rows[0]), "reason": rows[0]["reason"]}
        return head | said | dict.fromkeys(words.FIGURES, math.nan)
    quick = max(served, key=lambda row: row["tokens_per_s_per_user"])
    most = max(served, key=lambda row: row["output_tokens_per_s"])
    prompts = [row for row in served if not math.isnan(row["first_token_s"])]
    prompt = min(prompts, key=lambda row: row["first_token_s"]) if prompts else {}
    found = {name: quick[name] for name in ("tokens_per_s_per_user", "share_communication", "share_hop")}
    found |= {name: most[name] for name in ("output_tokens_per_s", "running")}
    per_device = most["output_tokens_per_s"] / rows[0]["device_count"]
    said = {"spread": quick["spread"], "full_spread": most["spread"], "verdict": "", "reason": ""}
    found |= {"output_tokens_per_s_per_device": per_device}
    return head | said | found | {name: prompt.get(name, math.nan) for name in words.PROMPT_FIGURES}


def launches_of(workload: Workload, slots: Sequence[Slot], plans: pd.DataFrame, place: int, slot: str) -> list[Launch]:
    """How the split of one count that serves most in all is started; empty where none serves. slot: "8 × H200"."""
    rows = [row for row in rows_of(plans) if (row["place"], row["slot"]) == (place, slot) and row["feasible"]]
    if not rows:
        return []
    most = max(rows, key=lambda row: float(row["output_tokens_per_s"]))
    chip = next(each.chip for each in slots if each.place == place)
    spread = Spread(**{name: int(most[name]) for name in ("device_count", "tp", "pp", "ep", "dp")})
    users = max(1, math.floor(most["running"]))
    return launches(
        Served(
            architecture=workload.architecture, chip=chip, spread=spread, weights=workload.weight_format,
            cache=workload.cache_format, users=users, context_tokens=workload.context_tokens,
        )
    )  # fmt: skip
