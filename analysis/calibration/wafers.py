"""The wafer's law: its three constants fitted to the decode points of WSE-2, and its errors on CS-3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.fit import minimum
from analysis.calibration.measured import Measured, measured_rows
from analysis.engine import Case, evaluate
from analysis.engine.arrays import Floats
from analysis.parameters import Mesh, Parameters

BLOCKS = ("waferllm",)
CS3_ROWS = frozenset(f"sram-{at:03d}" for at in range(1, 6))  # August and September 2024, before any draft model
CS3_CONTEXT_TOKENS = 4096.0  # the context the law was fitted at; the sources state none
FREE = ("fixed_s", "crossing_s", "mac_s")
# What the hardware says: 16 crossings at one core a cycle of 1.1 GHz, one cycle a multiply-accumulate.
PHYSICAL = {"fixed_s": 4.0e-6, "crossing_s": 1.45e-8, "mac_s": 9.1e-10}
DRAW = np.array([0.02, 1.0, 1.0])  # nothing is known of the fixed time beforehand
WIDTH = 0.01


@dataclass(frozen=True, kw_only=True)
class Wafers:
    """Decode points of a wafer with stated regions."""

    rows: Measured
    parameters: Parameters

    @property
    def step_s(self) -> Floats:
        """Measured time of a token. [s]"""
        return 1.0 / self.rows.values

    def predicted(self, mesh: Mesh, rows: NDArray[np.int64] | None = None) -> Floats:
        """Time of a token under these constants. [s]"""
        at = range(len(self.rows.ids)) if rows is None else rows
        return steps([self.rows.cases[place] for place in at], replace(self.parameters, mesh=mesh))

    def fitted(self, rows: NDArray[np.int64] | None = None) -> Mesh:
        """The constants fitted to some points."""
        at = np.arange(len(self.rows.ids)) if rows is None else rows
        neutral = np.array([PHYSICAL[name] for name in FREE])
        measured = self.step_s[at]

        def mesh(point: Floats) -> Mesh:
            values = (neutral * np.exp(point)).tolist()
            return replace(self.parameters.mesh, **dict(zip(FREE, values, strict=True)))

        def residuals(point: Floats) -> Floats:
            error = self.predicted(mesh(point), at) / measured - 1.0
            return np.concatenate([error / WIDTH, DRAW / WIDTH * point])

        return mesh(minimum(len(FREE), residuals))

    def left_out(self) -> Floats:
        """Predictions of every point by a fit that has seen no point of its model. (rows,)"""
        model = self.rows.label(lambda case: case.architecture.key)
        whole = np.full(len(model), np.nan)
        for name in np.unique(model):
            rest = np.flatnonzero(model == name)
            whole[rest] = self.predicted(self.fitted(np.flatnonzero(model != name)), rest)
        return whole


def steps(cases: Sequence[Case], parameters: Parameters) -> Floats:
    """Time of a token of each case by the engine. [s]"""
    return np.asarray(evaluate(list(cases), parameters)["tpot_s"].to_numpy(dtype=float))


def wafers(parameters: Parameters) -> Wafers:
    """The decode points on WSE-2."""
    rows = measured_rows(parameters, BLOCKS, ("decode_tps_per_user",), lambda row: row["hardware"] == "WSE-2")
    return Wafers(rows=rows, parameters=parameters)


def cs3(parameters: Parameters) -> Measured:
    """Speeds of CS-3 before drafts, at the context assumed for them."""
    rows = measured_rows(parameters, ("sram",), ("decode_tps_per_user",), lambda row: row["id"] in CS3_ROWS)
    read = tuple(
        replace(case, input_tokens=CS3_CONTEXT_TOKENS, output_tokens=0.0, concurrency=1.0) for case in rows.cases
    )
    return replace(rows, cases=read)
