"""One call for a whole mixed table of cases: names resolved, plans chosen, every form evaluated on its own rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.engine import fixed, kernels, streamed, wafer
from analysis.engine.answer import binding_of, columns_of, held_to_ceiling
from analysis.engine.arrays import Flags, put_rows, rows_of
from analysis.engine.bounds import bounds_of
from analysis.engine.case import Case
from analysis.engine.degrees import Plan, plan_for
from analysis.engine.energy import Columns, with_energy
from analysis.engine.inputs import FIXED, KERNELS, MESH, STREAMED, Inputs, side_by_side
from analysis.engine.memory import Room, Weights, room_for, weights_of
from analysis.engine.own_fit import OWN, told
from analysis.engine.refusals import capacity_reasons, refusals
from analysis.engine.resolve import Resolved, Shared, resolve
from analysis.engine.shapes_of_cases import Shapes, shapes_of
from analysis.engine.speeds import Speeds, unanswered
from analysis.engine.spread import RATES, TIMES, WIDER, interval_columns, regimes_of
from analysis.engine.words import assumed_of
from analysis.parameters import Parameters, starting_parameters
from data.catalogue.edited import is_another_machine

CONFIDENCES = ("measured nearby", "interpolated", "extrapolated")


def evaluate(cases: Sequence[Case], parameters: Parameters | None = None) -> pd.DataFrame:
    """The answer to every case, one row each in the order given; SI columns, nan where there is no answer.

    A case that cannot be served has feasible False and says why in `reason`, with what would be needed instead.
    """
    return pd.DataFrame(columns_for(cases, parameters))


def columns_for(cases: Sequence[Case], parameters: Parameters | None = None) -> Columns:
    """The columns of `evaluate` by name, without the frame, which takes a third as long to make for a few cases."""
    if not cases:
        return {}
    believed = parameters or starting_parameters()
    shared: Shared = {}
    resolved = [resolve(case, believed, shared) for case in cases]
    inputs = side_by_side([each.numbers for each in resolved])
    shapes = shapes_of([case.architecture for case in cases])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return with_energy(_answer(cases, resolved, inputs, shapes, believed), cases)


def _answer(
    cases: Sequence[Case], resolved: Sequence[Resolved], inputs: Inputs, shapes: Shapes, believed: Parameters
) -> Columns:
    serving = believed.serving
    weights = weights_of(inputs, shapes)
    plan = plan_for(inputs, shapes, weights, serving.state_byte)
    room = room_for(inputs, shapes, weights, (plan.tp, plan.pp, plan.ep, plan.dp), serving.state_byte)
    built, fits = refusals(inputs, shapes, plan), capacity_reasons(inputs, plan, room)
    reasons = [each.refusal or degrees or full for each, degrees, full in zip(resolved, built, fits, strict=True)]
    answered = np.array([not reason for reason in reasons])
    speeds = _speeds(inputs, shapes, weights, plan, room, believed, answered)
    copies = np.maximum(plan.replicas, 1.0)
    bounds = bounds_of(inputs, shapes, weights, serving, plan.device_count / copies, np.maximum(speeds.in_step, 1.0))
    speeds, held = held_to_ceiling(speeds, bounds, inputs)
    over = [bool(full) and full == reason for full, reason in zip(fits, reasons, strict=True)]
    words = {
        "binding": ["capacity" if o else name for o, name in zip(over, binding_of(speeds, inputs), strict=True)],
        "assumed": assumed_of([each.assumed for each in resolved], inputs, plan, speeds, held),
        "confidence": _confidences(cases, resolved, inputs, plan, believed),
    }
    numbers = columns_of(inputs, plan, room, weights, speeds, bounds, answered)
    answer = {"feasible": answered, "reason": reasons} | numbers | words
    return _with_intervals(cases, answer, inputs, speeds, believed)


def _with_intervals(
    cases: Sequence[Case], answer: Columns, inputs: Inputs, speeds: Speeds, believed: Parameters
) -> Columns:
    """The answer with the 80 % interval round every time and rate, and a word where it is wider than usual."""
    far = [confidence == CONFIDENCES[2] for confidence in answer["confidence"]]
    regimes, words = told(cases, inputs, believed, regimes_of(inputs, speeds.in_step, far), answer["assumed"])
    names = (*TIMES, *RATES, "running", "ceiling_tokens_per_s_per_user")
    numbers = {name: np.asarray(answer[name], dtype=float) for name in names}
    ceiling = numbers["ceiling_tokens_per_s_per_user"]
    columns = interval_columns(numbers, regimes, believed.intervals, ceiling)
    apart = [away and not regime.startswith(OWN) for away, regime in zip(far, regimes, strict=True)]
    said = [f"{text}; {WIDER}" if away else text for text, away in zip(words, apart, strict=True)]
    return answer | columns | {"assumed": said, "interval_regime": regimes}


def _confidences(
    cases: Sequence[Case], resolved: Sequence[Resolved], inputs: Inputs, plan: Plan, believed: Parameters
) -> list[str]:
    pairs = enumerate(zip(cases, resolved, strict=True))
    return [_confidence(case, each, inputs, plan, at, believed) for at, (case, each) in pairs]


def _speeds(
    inputs: Inputs, shapes: Shapes, weights: Weights, plan: Plan, room: Room, believed: Parameters, answered: Flags
) -> Speeds:
    """Every form on the rows it serves."""
    count = len(inputs.form)
    groups = [(np.ones(count, dtype=bool), unanswered(count))]
    for form in (KERNELS, STREAMED, MESH, FIXED):
        rows = answered & (inputs.form == form)
        if not rows.any():
            continue
        i, s, w, p = rows_of(inputs, rows), rows_of(shapes, rows), rows_of(weights, rows), rows_of(plan, rows)
        most = room.sequences[rows]
        if form == KERNELS:
            machine = kernels.Machine(inputs=i, shapes=s, serving=believed.serving, plan=p)
            groups.append((rows, kernels.serve(machine, most)))
        elif form == STREAMED:
            groups.append((rows, streamed.serve(i, s, believed.serving, p, most)))
        elif form == MESH:
            groups.append((rows, wafer.serve(i, s, w, believed.mesh, p, most)))
        else:
            groups.append((rows, fixed.serve(i, s, most)))
    return put_rows(groups, count)


def _confidence(case: Case, resolved: Resolved, inputs: Inputs, plan: Plan, at: int, believed: Parameters) -> str:
    """How near the case is to what the form was fitted on; empty if it is not answered."""
    if resolved.refusal or np.isnan(plan.device_count[at]):
        return ""
    beyond_mesh = inputs.form[at] == MESH and inputs.step_context[at] > believed.mesh.fitted_context_tokens
    beyond_node = inputs.form[at] == KERNELS and plan.tp[at] * plan.pp[at] > max(inputs.node_count[at], 8.0)
    inside = resolved.fitted and not beyond_mesh and not beyond_node
    form = {KERNELS: "serving", STREAMED: "streamed", MESH: "mesh"}.get(float(inputs.form[at]), "")
    seen = believed.measured.get(form)
    real = not is_another_machine(case.chip)
    near = seen and real and case.chip.key in seen.chips and case.architecture.key in seen.models
    return CONFIDENCES[2] if not inside else CONFIDENCES[0] if near else CONFIDENCES[1]
