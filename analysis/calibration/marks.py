"""Which parameter each number of a case comes from, so that new parameters need no new reading of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from analysis.engine.arrays import Floats, rows_of
from analysis.engine.case import Case
from analysis.engine.inputs import Inputs, side_by_side
from analysis.engine.resolve import resolve
from analysis.parameters import Parameters, Serving

# Numbers of a case that are parameters, or twice a parameter where a block has two products.
CARRIED = (
    *("reach_16", "reach_attention", "reach_dense", "reach_expert", "expert_reach", "expert_operators"),
    *("quantise_attention", "quantise_dense", "quantise_expert", "engine_factor", "saturation"),
    *("vendor_factor", "wide_attention", "wide_dense"),
    *("allreduce", "allreduce_growth", "sequence_s", "front_s", "waiting", "cache_reach", "reach_core", "link_reach"),
)
NAMES = tuple(each.name for each in fields(Serving))
KEPT = frozenset(
    {"node_device_count", "state_byte", "activation_byte", "node_link_byte_per_s", "offline_prefill_tokens"}
)
_FIRST = 1000.0  # marks lie above every real value of the numbers carried


def marked(serving: Serving) -> Serving:
    """The same parameters, each that may be free replaced by a mark that tells which one it is."""
    return replace(serving, **{name: _FIRST + at for at, name in enumerate(NAMES) if name not in KEPT})


@dataclass(frozen=True, kw_only=True)
class Carried:
    """Where a number of each case comes from: parameter at `at` times `times`, or `plain` where at is -1. (cases,)"""

    at: NDArray[np.int64]
    times: Floats
    plain: Floats

    def values(self, serving: Floats) -> Floats:
        """The number under these parameters, given in the order of NAMES."""
        return np.where(self.at >= 0, serving[self.at] * self.times, self.plain)


def carried(marks: Floats) -> Carried:
    """Where numbers come from, read off their marks."""
    times = np.where(marks >= 2 * _FIRST, 2.0, 1.0)
    at = np.where((marks >= _FIRST) & np.isfinite(marks), marks / times - _FIRST, -1.0)
    return Carried(at=np.rint(at).astype(np.int64), times=times, plain=marks)


@dataclass(frozen=True, kw_only=True)
class MarkedInputs:
    """Numbers of cases with everything that depends on parameters left open."""

    inputs: Inputs
    open: dict[str, Carried]

    def under(self, serving: Serving) -> Inputs:
        """The numbers under these parameters."""
        values = in_order(serving)
        return replace(self.inputs, **{name: each.values(values) for name, each in self.open.items()})

    def rows(self, rows: NDArray[np.int64]) -> MarkedInputs:
        """Only these cases."""
        return MarkedInputs(
            inputs=rows_of(self.inputs, rows), open={name: rows_of(each, rows) for name, each in self.open.items()}
        )


def in_order(serving: Serving) -> Floats:
    """All parameters in the order of NAMES."""
    return np.array([getattr(serving, name) for name in NAMES])


def marked_inputs(cases: Sequence[Case], parameters: Parameters) -> MarkedInputs:
    """The cases read once; none of them may be refused when read."""
    marks = replace(parameters, serving=marked(parameters.serving))
    inputs = side_by_side([resolve(case, marks).numbers for case in cases])
    return MarkedInputs(inputs=inputs, open={name: carried(getattr(inputs, name)) for name in CARRIED})
