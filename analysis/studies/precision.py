"""What do other number formats, pruning and fusion change: bytes, devices, speed, and what binds?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.engine import evaluate
from analysis.models.precision import assumed_speed, byte_ratio
from analysis.parameters import starting_parameters
from analysis.plans import served_case
from analysis.provenance import estimates_in, sources_of
from analysis.step_operators import ACTIVATION_BYTE
from analysis.studies import precision_words as words
from analysis.studies.precision_bytes import (
    COMPONENTS,
    held_by_component,
    moved_by_component,
    operators_launched,
)
from analysis.studies.precision_change import Change, changed, changed_case, pruned
from analysis.studies.precision_steps import steps_of
from analysis.study import Slot, Study, counted, rows_of
from analysis.weight_formats import byte_per_weight
from analysis.workload import Workload
from data.records import Chip

QUESTION = "What do other number formats, pruning and fusion change: bytes, devices, speed, and what binds?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", *(f"peak_{name}_flop_per_s" for name in ("bf16", "fp8", "fp4")))
Row = Mapping[str, Any]
SIDES = ("before", "after")
# Columns of the engine that are set side by side.
COMPARED = (
    *("weight_byte", "devices_needed", "device_count", "tokens_per_s_per_user", "ceiling_tokens_per_s_per_user"),
    *("output_tokens_per_s", "binding", "reason"),
)


def study(workload: Workload, slots: Sequence[Slot], change: Change) -> Study:
    """Every slot with and without the change; a gain that is only assumed stands in columns of its own.

    Table: one row a slot; columns end in `_before` and `_after`. Marks: `components`, one row a component with what the
    first slot that the change reaches holds and moves in a step, before and after; `components_title`; `gain`, the
    factor that is assumed.
    """
    cases = [served_case(workload, slot) for slot in slots] + [changed_case(workload, slot, change) for slot in slots]
    answers = rows_of(evaluate(cases, workload.parameters))
    before, after = answers[: len(slots)], answers[len(slots) :]
    pairs = zip(slots, before, after, strict=True)
    table = pd.DataFrame([_row(workload, slot, change, old, new) for slot, old, new in pairs])
    chips = [slot.chip for slot in slots]
    shown = next((slot for slot in slots if not pruned(slot.chip, change)[2]), slots[0])
    components = _components(workload, shown.chip, change)
    return Study(
        question=QUESTION,
        answer=words.answer_to(workload, table, change),
        conditions=words.conditions_of(workload, chips[0], change),
        table=table,
        steps=lambda: list(steps_of(workload, shown.chip, change, components, table)),
        sources=(*sources_of(workload.architecture, chips, FIELDS), *words.sources_of_change(change)),
        remarks=(*estimates_in(chips, FIELDS), *words.remarks_of(change)),
        assumptions=words.assumed_of(change),
        marks={
            "components": components,
            "components_title": words.components_title(components, shown),
            "gain": change.assumed_gain,
        },
    )


def _row(workload: Workload, slot: Slot, change: Change, old: Row, new: Row) -> dict[str, object]:
    row: dict[str, object] = {
        "slot": _name(slot, new if not math.isnan(new["device_count"]) else old),
        "place": slot.place,
        "vendor": slot.chip.vendor,
    }
    for side, answer in zip(SIDES, (old, new), strict=True):
        row |= {f"{name}_{side}": answer[name] for name in COMPARED}
    rate, ceiling = new["tokens_per_s_per_user"], new["ceiling_tokens_per_s_per_user"]
    row["assumed_tokens_per_s_per_user"] = (
        float(assumed_speed(rate, change.assumed_gain, ceiling)) if change.assumed_gain > 1 else math.nan
    )
    row |= _launched(workload, slot, change, old, new)
    row |= {
        "weights": words.arrow(old["weight_byte"], new["weight_byte"], "byte"),
        "needed": words.arrow(old["devices_needed"], new["devices_needed"], ""),
        "operators": words.arrow(float(row["operators_before"]), float(row["operators_after"]), ""),  # type: ignore[arg-type]
    }
    return row | {"binds": words.binds(row), "verdict": words.verdict(row, pruned(slot.chip, change)[2])}


def _name(slot: Slot, answer: Row) -> str:
    count = answer["device_count"]
    return counted(slot.chip, slot.device_count if math.isnan(count) else count)


def _launched(workload: Workload, slot: Slot, change: Change, old: Row, new: Row) -> dict[str, object]:
    """Operators that one step launches on each side; nan on machines that launch none."""
    believed = workload.parameters or starting_parameters()
    cases = (served_case(workload, slot), changed_case(workload, slot, change))
    found: dict[str, object] = {}
    for side, case, answer in zip(SIDES, cases, (old, new), strict=True):
        degrees = (answer["tp"], answer["ep"], answer["dp"])
        known = not any(math.isnan(each) for each in degrees)
        found[f"operators_{side}"] = operators_launched(case, degrees, believed) if known else math.nan
    return found


def _components(workload: Workload, chip: Chip, change: Change) -> pd.DataFrame:
    """What one copy holds and one step moves, component by component, on the chip of the first slot."""
    new = changed(workload, chip, change)
    held = (held_by_component(workload, chip), held_by_component(new, chip))
    width = byte_per_weight(change.activation_format) if change.activation_format else ACTIVATION_BYTE
    moved = (
        moved_by_component(workload, chip, ACTIVATION_BYTE, 0.0),
        moved_by_component(new, chip, width, change.fused_fraction),
    )
    return pd.DataFrame(
        [
            {
                "component": name,
                "held_byte_before": held[0][name],
                "held_byte_after": held[1][name],
                "moved_byte_before": moved[0][name],
                "moved_byte_after": moved[1][name],
                "moved_ratio": float(byte_ratio(moved[1][name], moved[0][name])) if moved[0][name] > 0 else math.nan,
            }
            for name in COMPONENTS
        ]
    )
