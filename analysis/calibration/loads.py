"""Cases of a fit side by side: read once, evaluated under any parameters in a few milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.marks import MarkedInputs, marked_inputs
from analysis.calibration.sheets import Sheets, write_sheets
from analysis.engine.arrays import Floats, rows_of
from analysis.engine.case import Case
from analysis.engine.degrees import Plan, plan_for
from analysis.engine.kernels import Machine, serve
from analysis.engine.memory import room_for, weights_of
from analysis.engine.shapes_of_cases import Shapes, shapes_of
from analysis.engine.speeds import Speeds
from analysis.parameters import Parameters, Serving


@dataclass(frozen=True, kw_only=True)
class Loads:
    """Kernel-by-kernel cases with everything written down that does not depend on free parameters."""

    marked: MarkedInputs
    shapes: Shapes
    plan: Plan
    room: Floats
    sheets: Sheets

    def speeds(self, serving: Serving) -> Speeds:
        """What the engine answers under these parameters, before ceilings."""
        inputs = self.marked.under(serving)
        machine = Machine(inputs=inputs, shapes=self.shapes, serving=serving, plan=self.plan, worker=self.sheets.worker)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return serve(machine, self.room)

    def rows(self, rows: NDArray[np.int64]) -> Loads:
        """Only these cases."""
        return Loads(
            marked=self.marked.rows(rows),
            shapes=rows_of(self.shapes, rows),
            plan=rows_of(self.plan, rows),
            room=self.room[rows],
            sheets=self.sheets.rows(rows),
        )


def loads_of(cases: Sequence[Case], parameters: Parameters) -> Loads:
    """The cases read and planned; each must be one the kernel-by-kernel form answers."""
    marked, shapes = marked_inputs(cases, parameters), shapes_of([case.architecture for case in cases])
    inputs, serving = marked.inputs, parameters.serving
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        weights = weights_of(inputs, shapes)
        plan = plan_for(inputs, shapes, weights, serving.state_byte)
        degrees = (plan.tp, plan.pp, plan.ep, plan.dp)
        room = room_for(inputs, shapes, weights, degrees, serving.state_byte)
        sheets = write_sheets(marked, shapes, serving, (plan.tp, plan.ep, plan.dp))
    return Loads(marked=marked, shapes=shapes, plan=plan, room=room.sequences, sheets=sheets)
