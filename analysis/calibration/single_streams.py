"""Outcomes of single streams: llama.cpp by kind of device, and wafers."""

from __future__ import annotations

import numpy as np

from analysis.calibration.measured import Measured
from analysis.calibration.outcomes import Goal, Outcome
from analysis.calibration.streams import Streams, streams
from analysis.calibration.wafers import CS3_CONTEXT_TOKENS, cs3, steps, wafers
from analysis.parameters import Parameters
from data.catalogue.parameter_files import load_parameters

NAMES = {
    "cuda": "llama.cpp, CUDA cards", "metal": "llama.cpp, Apple", "datacentre": "llama.cpp, A100 and H100 of 2024",
    "gb10": "llama.cpp, GB10",
}  # fmt: skip
NO_MEDIAN = float("nan")
STREAM_GOALS: dict[str, Goal] = {"cuda": (5.5, NO_MEDIAN), "metal": (10.0, NO_MEDIAN)}
WAFER_GOAL: Goal = (2.0, NO_MEDIAN)
CS3_GOAL: Goal = (10.0, NO_MEDIAN)
SPEED = "decode_tokens_per_s"


def stream_outcomes(parameters: Parameters) -> tuple[dict[str, float], list[Outcome]]:
    """Fitted values by name in streamed-layers.yaml, and the errors of every kind of device."""
    values: dict[str, float] = {}
    outcomes = []
    for each in streams(parameters, load_parameters()["streamed-layers"]):
        found = each.fitted()
        values |= {f"{each.kind}_{name}": value for name, value in found.items()}
        outcomes.append(_stream(each, found))
    return values, outcomes


def _stream(runs: Streams, values: dict[str, float]) -> Outcome:
    several = len(np.unique(runs.device)) > 1
    return Outcome(
        group=NAMES[runs.kind],
        regime="llama.cpp",
        key="llama_cpp",
        quantity=SPEED,
        short="tpot",
        ids=runs.ids,
        models=runs.model,
        hardware=runs.device,
        engine=runs.engine,
        measured=1.0 / runs.step_s,
        in_sample=1.0 / runs.predicted(values),
        left_out={"device": 1.0 / runs.left_out()} if several else {},
        part=runs.device,
        offset=runs.device,
        clean=np.ones(len(runs.ids), dtype=bool),
        goals={"device": STREAM_GOALS[runs.kind]} if runs.kind in STREAM_GOALS else {},
        note="" if several else "one device: nothing can be left out",
    )


def wafer_outcomes(parameters: Parameters) -> list[Outcome]:
    """The law on WSE-2 with a model left out, and carried to CS-3 with nothing refitted."""
    points = wafers(parameters)
    away = 1.0 / points.left_out()
    law = _wafer(points.rows, "wafer mesh, WSE-2", 1.0 / points.predicted(parameters.mesh), away, WAFER_GOAL, "model")
    rows = cs3(parameters)
    carried = 1.0 / steps(rows.cases, parameters)
    note = f"nothing refitted; the sources state no context: {CS3_CONTEXT_TOKENS:,.0f} tokens assumed"
    return [law, _wafer(rows, "CS-3 before drafts", carried, carried, CS3_GOAL, "machine", note)]


def _wafer(
    rows: Measured, group: str, inside: np.ndarray, away: np.ndarray, goal: Goal, by: str, note: str = ""
) -> Outcome:
    models = rows.label(lambda case: case.architecture.key)
    return Outcome(
        group=group,
        regime="wafer",
        key="wafer",
        quantity=SPEED,
        short="tpot",
        ids=rows.ids,
        models=models,
        hardware=rows.label(lambda case: case.chip.key),
        engine=rows.engine,
        measured=rows.values,
        in_sample=inside,
        left_out={by: away},
        part=models,
        offset=models,
        clean=np.ones(len(rows.ids), dtype=bool),
        goals={by: goal},
        note=note,
    )
