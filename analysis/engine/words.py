"""What the engine assumed for each case, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.engine.answer import waits
from analysis.engine.arrays import Flags
from analysis.engine.degrees import Plan
from analysis.engine.inputs import KERNELS, MESH, STREAMED, Inputs
from analysis.engine.speeds import Speeds


def assumed_of(said: Sequence[Sequence[str]], inputs: Inputs, plan: Plan, speeds: Speeds, held: Flags) -> list[str]:
    """Every default used, one text a case; `said` is what reading the case already assumed."""
    waiting = waits(speeds, inputs)
    texts = []
    for at, first in enumerate(said):
        parts = [*first, *_plan(at, inputs, plan)]
        running = speeds.running[at]
        parts += ["caches pooled over the wafers"] if inputs.form[at] == MESH else []
        parts += ["held to the ceiling"] if held[at] else []
        parts += [f"room for {running:,.0f} sequences at once, the others wait"] if waiting[at] else []
        parts += [f"machine kept full with {running:,.0f} sequences"] if inputs.offline[at] > 0 < running else []
        texts.append("; ".join(dict.fromkeys(parts)))
    return texts


def _plan(at: int, inputs: Inputs, plan: Plan) -> list[str]:
    """Device count and degrees that nobody stated."""
    count, tp, pp = plan.device_count[at], plan.tp[at], plan.pp[at]
    parts = []
    if np.isfinite(inputs.region_cores[at]):
        parts.append("every layer on a region of the stated size: whether all fit on the wafers is not checked")
    if plan.chosen[at] and np.isfinite(count):
        one = "1 device holds" if count == 1 else f"{count:,.0f} devices, the fewest that hold"
        parts.append(f"{one} the model and its cache")
    if np.isnan(inputs.tp[at]) and inputs.form[at] == KERNELS and count > 1:
        parts.append(f"tp {tp:.0f}" + (f", pp {pp:.0f}" if pp > 1 else ""))
    if inputs.form[at] == STREAMED and inputs.tp[at] > 1 and tp == 1:
        parts.append("layers stand in line on the devices: one works at a time, tp is not used")
    if plan.replicas[at] > 1:
        parts.append(f"{plan.replicas[at]:.0f} copies side by side")
    if inputs.form[at] == KERNELS and tp * pp > max(inputs.node_count[at], 8.0):
        parts.append("50 GB/s a device and 10 us a hop between nodes")
    if inputs.form[at] == KERNELS and plan.ep[at] > 1:
        parts.append("tokens spread evenly over the experts' devices")
        parts += ["dispatch and combine as quick as an all-reduce of such bytes"] if plan.dp[at] > 1 else []
    return parts
