"""Machines whose compiler fixes the time of a layer: streams follow each other through the layers."""

from __future__ import annotations

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.inputs import Inputs
from analysis.engine.shapes_of_cases import Shapes
from analysis.engine.speeds import Speeds, Terms, speeds_of
from analysis.models.mesh import shared_stream_time
from analysis.models.single_stream import fixed_layer_step_time


def serve(inputs: Inputs, shapes: Shapes, room: Floats) -> Speeds:
    """Time per token; no law for prompts is published, so times that need one are unknown."""
    wanted = np.where(inputs.offline > 0, np.maximum(room, 1.0), np.maximum(inputs.concurrency, 1.0))
    running = np.where(room > 0, np.minimum(wanted, room), wanted)
    alone = fixed_layer_step_time(shapes.layer_count, inputs.layer_s)
    tpot = shared_stream_time(alone, running, inputs.layer_s, 0.0, 1.0)
    nothing, unknown = np.zeros_like(alone), np.full_like(alone, np.nan)
    terms = Terms(memory_s=nothing, compute_s=nothing, latency_s=tpot, communication_s=nothing, host_s=nothing)
    times = (tpot, unknown, tpot, unknown, unknown, running / tpot)
    return speeds_of(times, (running, running), (terms, terms), nothing)
