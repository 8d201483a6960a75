"""Does memory or arithmetic bind the operators of this model, and at which intensity does each device turn?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.explain import explain
from analysis.machines import arithmetic_class, dense_peak
from analysis.models import roofline
from analysis.plans import Plan, plans_of
from analysis.provenance import estimates_in, sources_of
from analysis.sentences import list_words, shortest_of, token_words, users_words
from analysis.step_operators import Operator, Phase, operators_of
from analysis.study import Slot, Step, Study, short_name
from analysis.workload import Workload
from data.records import Chip
from data.units import format_quantity

QUESTION = "Does memory or arithmetic bind the operators of this model?"
FIELDS = ("bandwidth_byte_per_s", *(f"peak_{name}_flop_per_s" for name in ("bf16", "fp16", "fp8", "fp4")))
PHASES: tuple[Phase, ...] = ("decode", "prefill")
Row = dict[str, Any]
RUN_COLUMNS = ("place", "intensity_flop_per_byte", "rate_flop_per_s", "label")


def study(workload: Workload, slots: Sequence[Slot], *, runs: pd.DataFrame | None = None) -> Study:
    """Operators of decode and prefill under the roof of one device of every slot.

    runs   uploaded runs as solid marks, columns place, intensity_flop_per_byte, rate_flop_per_s (of one device), label

    Table: one row a slot, phase and operator. Marks: `roofs`, one row a slot and number class with peak, bandwidth and
    ridge; `runs`. A device without a known bandwidth has no rows; one without a known peak has no ridge.
    """
    plans = [plan for plan in plans_of(workload, slots) if plan.slot.chip.bandwidth_byte_per_s]
    rows = [
        _row(plan, operator)
        for plan in plans
        for phase in PHASES
        for operator in operators_of(workload, plan.slot.chip, phase)
    ]
    table = pd.DataFrame(rows)
    chips = [slot.chip for slot in slots]
    return Study(
        question=QUESTION,
        answer=_answer(workload, plans, rows),
        conditions=_conditions(workload, slots[0].chip),
        table=table,
        steps=lambda: list(_steps(workload, plans, rows)),
        sources=sources_of(workload.architecture, chips, FIELDS),
        remarks=(*estimates_in(chips, FIELDS), *_missing(chips)),
        marks={
            "roofs": pd.DataFrame(_roofs(rows)),
            "runs": pd.DataFrame(columns=list(RUN_COLUMNS)) if runs is None else runs,
        },
    )


def _row(plan: Plan, operator: Operator) -> Row:
    chip = plan.slot.chip
    bandwidth = chip.bandwidth_byte_per_s or math.nan
    peak, used = dense_peak(chip, arithmetic_class(chip, operator.weights))
    ceiling = math.inf if peak is None else peak
    intensity = float(roofline.arithmetic_intensity(operator.work_flop, operator.traffic_byte))
    time = roofline.ideal_operator_time(operator.traffic_byte, bandwidth, operator.work_flop, ceiling)
    ridge = float(roofline.ridge_intensity(ceiling, bandwidth))
    return {
        "slot": plan.name,
        "place": plan.slot.place,
        "chip": short_name(chip),
        "vendor": chip.vendor,
        "phase": operator.phase,
        "operator": operator.name,
        "number_class": used,
        "work_flop": operator.work_flop,
        "traffic_byte": operator.traffic_byte,
        "intensity_flop_per_byte": intensity,
        "attainable_flop_per_s": float(roofline.attainable_rate(intensity, ceiling, bandwidth)),
        "peak_flop_per_s": math.nan if peak is None else peak,
        "bandwidth_byte_per_s": bandwidth,
        "ridge_flop_per_byte": math.nan if peak is None else ridge,
        "operator_s": float(time) / plan.device_count,
        "binds": "arithmetic" if intensity > ridge else "memory",
    }


def _roofs(rows: Sequence[Row]) -> list[Row]:
    keys = ("slot", "place", "chip", "vendor", "number_class", "peak_flop_per_s", "bandwidth_byte_per_s")
    distinct = {(row["place"], row["number_class"]): row for row in reversed(rows)}
    return [{name: row[name] for name in (*keys, "ridge_flop_per_byte")} for row in reversed(distinct.values())]


def _missing(chips: Sequence[Chip]) -> list[str]:
    without = [short_name(chip) for chip in chips if not chip.bandwidth_byte_per_s]
    flat = [short_name(chip) for chip in chips if dense_peak(chip, "bf16")[0] is None]
    said = [f"no memory bandwidth is known for {name}" for name in without]
    return said + [f"no 16-bit peak is known for {name}: its roof has no ridge" for name in flat]


def _step_sums(rows: Sequence[Row]) -> tuple[float, float]:
    """Arithmetic and bytes of one decode step of the first slot."""
    own = [row for row in rows if row["phase"] == "decode" and row["place"] == rows[0]["place"]]
    return sum(row["work_flop"] for row in own), sum(row["traffic_byte"] for row in own)


def _binding(rows: Sequence[Row], place: int) -> str:
    """What takes more of a decode step at the roof."""
    seconds = {"memory": 0.0, "arithmetic": 0.0}
    for row in rows:
        if row["phase"] == "decode" and row["place"] == place:
            seconds[row["binds"]] += row["operator_s"]
    return max(seconds, key=lambda cause: seconds[cause])


def _answer(workload: Workload, plans: Sequence[Plan], rows: Sequence[Row]) -> str:
    model, users = workload.architecture.name, users_words(workload.sequences)
    if not rows:
        return f"No memory bandwidth is known for these devices, so {model} has no roofline."
    work, traffic = _step_sums(rows)
    head = f"Decoding {model} for {users} does {format_quantity(work / traffic, '', 2)} FLOP per byte: "
    bound: dict[str, list[str]] = {}
    for plan in plans:
        bound.setdefault(_binding(rows, plan.slot.place), []).append(short_name(plan.slot.chip))
    full = {what: list_words(list(dict.fromkeys(names))) for what, names in bound.items()}
    counted = {
        what: "all of them" if len(bound) == 1 else f"{len(names)} of {len(plans)}" for what, names in bound.items()
    }
    return shortest_of(head + _bound_words(full), head + _bound_words(counted))


def _bound_words(names: Mapping[str, str]) -> str:
    return ", ".join(f"{what} {'binds ' * (at == 0)}on {who}" for at, (what, who) in enumerate(names.items())) + "."


def _conditions(workload: Workload, chip: Chip) -> str:
    context = token_words(workload.context_tokens)
    return (
        f"One device's roof. Decode: {users_words(workload.sequences)} at {context} of context; prefill: one prompt of "
        f"{context}. {workload.format_words(chip)}. Datasheet peaks, dense. Modelled, not measured."
    )


def _steps(workload: Workload, plans: Sequence[Plan], rows: Sequence[Row]) -> list[Step]:
    steps: list[Step] = []
    if not rows:
        return steps
    work, traffic = _step_sums(rows)
    steps.append(
        explain(
            roofline.arithmetic_intensity, subject="Decode step, all operators",
            work_flop=work, traffic_byte=traffic,
        )
    )  # fmt: skip
    for plan in plans:
        steps += _roof_steps(workload, plan)
    return steps


def _roof_steps(workload: Workload, plan: Plan) -> list[Step]:
    """Ridge of a device in the weights' class, and the batch at which its matrices turn."""
    chip, used = plan.slot.chip, workload.formats(plan.slot.chip)
    bandwidth = chip.bandwidth_byte_per_s
    peak, name = dense_peak(chip, arithmetic_class(chip, used.dense))
    if peak is None or bandwidth is None:
        return []
    title = f"{short_name(chip)}, {name.upper()}"
    ridge = explain(roofline.ridge_intensity, subject=title, peak_flop_per_s=peak, bandwidth_byte_per_s=bandwidth)
    experts = max((block.mlp.experts for block in workload.architecture.blocks), default=0)
    chosen = max((block.mlp.experts_per_token for block in workload.architecture.blocks), default=0)
    batch = explain(
        roofline.critical_batch, subject=f"{title}, {'experts' if experts else 'matrices'}", peak_flop_per_s=peak,
        bandwidth_byte_per_s=bandwidth, weight_byte=used.expert.byte if experts else used.dense.byte,
        experts=max(experts, 1), chosen=max(chosen, 1),
    )  # fmt: skip
    return [ridge, batch]
