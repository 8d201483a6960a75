"""Fits of further regimes of the kernel-by-kernel form: a machine kept full, and single-digit batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.fit import Space, minimum, robust
from analysis.calibration.loads import Loads, loads_of
from analysis.calibration.measured import Measured, Texts, measured_rows
from analysis.engine.arrays import Floats
from analysis.engine.speeds import Speeds
from analysis.parameters import Parameters, Serving
from data.catalogue.measurement_files import Row

OFFLINE_BLOCKS = ("trt", "trt017")
OFFLINE_FREE = (
    "offline_saturation", "offline_sequence_s", "offline_cache_bandwidth_fraction", "offline_peak_fraction_attention",
    "offline_peak_fraction_16_bit", "offline_peak_fraction_fp8", "offline_peak_fraction_fp4", "offline_link_fraction",
    "offline_expert_bandwidth_fraction",
)  # fmt: skip
OFFLINE_DRAW = 4.0

LOW_BATCH_BLOCKS = ("cbk", "gptfast", "nim", "vul", "ds4", "atom", "dst")
LOW_BATCH_FREE = ("amd_operator_factor",)
LOW_BATCH_DRAW = 2.0
MOST_SEQUENCES = 4.0
NOT_DATACENTRE = frozenset({"RX-9070XT-16GB"})
RATE, STEP = "output_tokens_per_s", "tpot_s"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Rows of one regime, what is compared, and the parameters that only this regime tells.

    part   what a row is left out by; a fit that has seen no row of a part predicts it
    """

    rows: Measured
    loads: Loads
    values: Floats
    quantity: str
    part: Texts
    space: Space
    draw: float

    def predicted(self, serving: Serving) -> Floats:
        """What the rows should have measured under these parameters. (rows,)"""
        return _QUANTITY[self.quantity](self.loads.speeds(serving))

    def fitted(self, serving: Serving, rows: NDArray[np.int64] | None = None) -> Serving:
        """The regime's parameters fitted to some rows, everything else as given."""
        seen = np.arange(len(self.values)) if rows is None else rows
        space, loads, values = self.space.around(serving), self.loads.rows(seen), self.values[seen]
        read = _QUANTITY[self.quantity]

        def residuals(point: Floats) -> Floats:
            error = robust(read(loads.speeds(space.at(point))) / values - 1.0)
            return np.concatenate([error, self.draw * point])

        return space.at(minimum(len(space.names), residuals))

    def left_out(self, serving: Serving) -> Floats:
        """Predictions of every row by a fit that has seen no row of its part. (rows,)"""
        whole = np.full(len(self.values), np.nan)
        for name in np.unique(self.part):
            rest = np.flatnonzero(self.part == name)
            believed = self.fitted(serving, np.flatnonzero(self.part != name))
            whole[rest] = _QUANTITY[self.quantity](self.loads.rows(rest).speeds(believed))
        return whole


def _rate(speeds: Speeds) -> Floats:
    return speeds.output_rate


def _step(speeds: Speeds) -> Floats:
    return speeds.tpot_s


_QUANTITY: dict[str, Callable[[Speeds], Floats]] = {RATE: _rate, STEP: _step}


def offline_trial(parameters: Parameters, space: Space) -> Trial:
    """Most throughput of TensorRT-LLM, a model left out at a time."""
    rows = measured_rows(parameters, OFFLINE_BLOCKS, ("output_tps_total",))
    return Trial(
        rows=rows,
        loads=loads_of(rows.cases, parameters),
        values=rows.values,
        quantity=RATE,
        part=rows.label(lambda case: case.architecture.key),
        space=space,
        draw=OFFLINE_DRAW,
    )


def low_batch_trial(parameters: Parameters, space: Space) -> Trial:
    """Datacentre GPUs with one to four sequences and no drafts, a source left out at a time."""
    rows = measured_rows(parameters, LOW_BATCH_BLOCKS, ("tpot_ms", "decode_tps_per_user"), _low_batch)
    values = np.where(rows.values > 1.0, 1.0 / rows.values, rows.values)  # speeds are above 1 tok/s, times below 1 s
    return Trial(
        rows=rows,
        loads=loads_of(rows.cases, parameters),
        values=values,
        quantity=STEP,
        part=rows.block,
        space=space,
        draw=LOW_BATCH_DRAW,
    )


def _low_batch(row: Row) -> bool:
    try:
        few = float(row["concurrency_or_batch"]) <= MOST_SEQUENCES
    except ValueError:
        return False
    return few and row["speculative"] != "yes" and row["hardware"] not in NOT_DATACENTRE
