"""How much energy a token takes: serving and idle hours, the power assumed, measured rows, and a check from below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.explain import explain
from analysis.models.energy import energy_from_work
from analysis.models.sensitivity import relative_change
from analysis.provenance import own_figures_in, sources_of
from analysis.scales import J_PER_KWH, MILLION
from analysis.step_operators import Phase, operators_of
from analysis.studies import energy_words as words
from analysis.studies.compare_steps import energy_steps
from analysis.studies.requests import Request, served, wall_powers
from analysis.study import Slot, Step, Study, rows_of
from analysis.workload import Workload
from data.records import Chip
from data.sources import Source

QUESTION = "How much energy does a token take, and how much of it while nothing is served?"
FIELDS = ("power_w", "memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s")
METRIC = "energy_j_per_token"
# Priors, nothing fitted: middles of 30-60 pJ a byte from DRAM, 1-5 from SRAM, 0.5-1 pJ a 16-bit multiply-accumulate.
DRAM_J_PER_BYTE, SRAM_J_PER_BYTE, FLOP_J = 45e-12, 3e-12, 0.375e-12
IN_SRAM = ("mesh", "deterministic")
SHARES = Source(title="xPU-athalon: idle, prefill and decode power of CS-3, SN30, H100, A100 and MI300X", kind="paper",
                where="arXiv 2604.10852")  # fmt: skip
MEASURED = Source(
    title="ML.ENERGY leaderboard v3, LLM-Inference-Bench, MLPerf Inference v4.1 and v5.1 power", kind="measurement",
    where="ml-energy/leaderboard@0cd52da, argonne-lcf/LLM-Inference-Bench@4211f5d4, mlcommons/inference_results",
)  # fmt: skip


def study(
    workload: Workload, slots: Sequence[Slot], request: Request, predictions: pd.DataFrame | None = None
) -> Study:
    """Energy of an output token of up to six slots, prompts and idle hours included. [J/token]

    predictions   measured runs beside their prediction (rows of the accuracy report), None where there is no report

    Table: one row a slot: `energy_j_per_token` and its interval, `serving_j_per_token` without idle hours,
    `floor_j_per_token` from bytes and arithmetic alone, idle share, powers at the wall, `basis` of the power assumed.
    Marks: `points` of measured energies with `measured` and `predicted`.
    """
    table = _table(workload, slots, request)
    points = _points(predictions)
    chips = [slot.chip for slot in slots]
    return Study(
        question=QUESTION,
        answer=words.answer(workload, table),
        conditions=words.conditions(workload, request, chips[0]),
        table=table,
        steps=lambda: _steps(workload, slots, table, request),
        sources=(*sources_of(workload.architecture, chips, FIELDS), SHARES, MEASURED),
        assumptions=words.assumptions(table),
        remarks=(*own_figures_in(chips), *words.remarks(chips, request, points)),
        marks={"points": points},
    )


def _table(workload: Workload, slots: Sequence[Slot], request: Request) -> pd.DataFrame:
    answers = served(workload, slots, request)
    duty, mean = request.duty_fraction, answers["power_w"].astype(float).to_numpy()
    idle_w, serving_w = wall_powers(slots, answers, duty)
    rated = np.array([slot.chip.power_w or np.nan for slot in slots])
    whole = answers[METRIC].astype(float).to_numpy()
    idle_fraction = (1.0 - duty) * idle_w / mean
    table = answers.assign(
        idle_energy_fraction=idle_fraction,
        serving_j_per_token=whole * (1.0 - idle_fraction),
        floor_j_per_token=[_floor(workload, slot.chip, request) for slot in slots],
        idle_power_w=idle_w,
        serving_power_w=serving_w,
        rated_power_w=rated * answers["device_count"].astype(float).to_numpy(),
        energy_of_million_tokens=whole * MILLION / J_PER_KWH,
        basis=[words.basis(slot.chip) for slot in slots],
    )
    table = table.assign(over_floor=relative_change(whole, table["floor_j_per_token"]) + 1.0)
    return table.assign(row_header=[words.row_header(row) for row in rows_of(table)])


def work_of_token(workload: Workload, chip: Chip, request: Request) -> tuple[float, float]:
    """Bytes read and arithmetic done for one output token, its part of the prompt included; one copy, nothing twice."""
    read = work = 0.0
    phases: tuple[tuple[Phase, float], ...] = (("decode", workload.sequences), ("prefill", request.made_tokens))
    for phase, over in phases:
        for each in operators_of(workload, chip, phase):
            read += each.traffic_byte / over
            work += each.work_flop / over
    return read, work


def _byte_energy(chip: Chip) -> float:
    return SRAM_J_PER_BYTE if chip.execution in IN_SRAM else DRAM_J_PER_BYTE


def _floor(workload: Workload, chip: Chip, request: Request) -> float:
    read, work = work_of_token(workload, chip, request)
    return float(energy_from_work(read, work, _byte_energy(chip), FLOP_J))


def _points(predictions: pd.DataFrame | None) -> pd.DataFrame:
    """Measured energies beside what the others predict of them, in the columns that the figure takes."""
    columns = ["row_id", "model", "hardware", "engine", "measured", "predicted", "error", "clean"]
    if predictions is None:
        return pd.DataFrame(columns=columns)
    found = predictions[predictions["quantity"] == METRIC].rename(columns={"predicted_left_out": "predicted"})
    return found.assign(error=relative_change(found["predicted"], found["measured"]))[columns]


def _steps(workload: Workload, slots: Sequence[Slot], table: pd.DataFrame, request: Request) -> tuple[Step, ...]:
    """Power and energy of every slot that serves, then the check from below."""
    lines: list[Step] = []
    for slot, row in zip(slots, rows_of(table), strict=True):
        if row["feasible"]:
            read, work = work_of_token(workload, slot.chip, request)
            counted = {"read_byte": read, "work_flop": work, "flop_energy_j_per_flop": FLOP_J}
            own = {"byte_energy_j_per_byte": _byte_energy(slot.chip)}
            lines.append(explain(energy_from_work, subject=str(row["slot"]), **counted, **own))
            lines += energy_steps(slot, row, request.duty_fraction)
    return tuple(lines)
