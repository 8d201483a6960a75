"""Free parameters fitted to runs: robust relative errors, groups weighed alike, drawn to neutral values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from analysis.calibration.runs import Runs
from analysis.engine.arrays import Floats
from analysis.parameters import Parameters, Serving
from data.catalogue.parameter_files import load_parameters

WIDTH = 0.12  # relative error at which the loss turns from square to absolute
FIRST_WIDTH = 0.3  # the same for the time to first token
FIRST_WEIGHT = 0.1  # of errors of the time to first token: it scatters several times as much
REQUEST_WEIGHT = 0.7  # of end-to-end errors against those per token
DRAW = 15.0  # weight of the pull to neutral values, per unit of log
GROUP_POWER = 0.25  # rows of a group of n weigh n ** -power

FREE = (
    "operator_s", "engine_factor", "expert_operators", "weight_only_expert_operators", "block_fp8_operators",
    "nvfp4_operators", "sequence_s", "cache_bandwidth_fraction", "expert_bandwidth_fraction",
    "weight_only_expert_bandwidth_fraction", "peak_fraction_fp8", "peak_fraction_fp4", "link_fraction",
    "delaying_fraction", "front_tensorrt_s", "front_vllm_s", "front_sglang_s", "first_steps", "waiting",
    "waiting_sglang",
)  # fmt: skip
LOOSE = frozenset(FREE[FREE.index("front_tensorrt_s") :])  # what only the time to first token tells
LOOSE_DRAW = 0.1  # pull of those against the others


def space_of(names: tuple[str, ...], parameters: Parameters) -> Space:
    """The space of these parameters round the neutral values of the shipped files."""
    values = load_parameters()["gpu-serving"].values
    neutral = np.array([values[name].neutral for name in names])
    return Space(names=names, neutral=neutral, rest=parameters.serving)


@dataclass(frozen=True, kw_only=True)
class Space:
    """The free parameters: their names, neutral values to start from, and everything else as it is."""

    names: tuple[str, ...]
    neutral: Floats
    rest: Serving

    @property
    def draw(self) -> Floats:
        """Pull of each parameter to its neutral value, against the common one. (names,)"""
        return np.array([LOOSE_DRAW if name in LOOSE else 1.0 for name in self.names])

    def around(self, serving: Serving) -> Space:
        """The same space with everything that is not free as given."""
        return replace(self, rest=serving)

    def at(self, point: Floats) -> Serving:
        """Parameters at a point, the logarithm of each against its neutral value."""
        values = self.neutral * np.exp(point)
        return replace(self.rest, **dict(zip(self.names, values.tolist(), strict=True)))


def group_weights(group: NDArray[np.str_], power: float = GROUP_POWER) -> Floats:
    """Weight of each row: large groups do not drown small ones; mean 1. (rows,)"""
    _, place, count = np.unique(group, return_inverse=True, return_counts=True)
    weight = count[place].astype(float) ** -power
    return np.asarray(weight / weight.mean())


def robust(error: Floats, width: float = WIDTH) -> Floats:
    """Signed square root of the pseudo-Huber loss, in units of its width: square inside, absolute outside."""
    return np.asarray(np.sign(error) * np.sqrt(2.0 * (np.sqrt(1.0 + (error / width) ** 2) - 1.0)))


def fitted(space: Space, runs: Runs, draw: float = DRAW, weight: Floats | None = None) -> Serving:
    """Parameters fitted to runs, from a cold start at the neutral values.

    weight   weight of each row beside that of its group; ones if None
    """
    return space.at(minimum(len(space.names), residuals_of(space, runs, draw, weight)))


def residuals_of(space: Space, runs: Runs, draw: float, weight: Floats | None) -> Callable[[Floats], Floats]:
    """What the fit makes small: errors per token and per request, and the distance from neutral values."""
    share = group_weights(runs.group) * (1.0 if weight is None else weight)
    per_token, per_request, first = (np.sqrt(each * share) for each in (1.0, REQUEST_WEIGHT, FIRST_WEIGHT))
    tpot, e2e, ttft = runs.tpot_s, runs.e2e_s, runs.ttft_s

    def residuals(point: Floats) -> Floats:
        speeds = runs.loads.speeds(space.at(point))
        return np.concatenate(
            [
                per_token * robust(speeds.tpot_s / tpot - 1.0),
                per_request * robust(speeds.e2e_s / e2e - 1.0),
                first * robust(speeds.ttft_s / ttft - 1.0, FIRST_WIDTH),
                draw * space.draw * point,
            ]
        )

    return residuals


def minimum(size: int, residuals: Callable[[Floats], Floats]) -> Floats:
    """The point where the residuals' squares are least, from zero."""
    found = least_squares(residuals, np.zeros(size), method="trf", diff_step=1e-4, xtol=1e-4, ftol=1e-5, max_nfev=40)
    return np.asarray(found.x)
