"""The 80 % interval round each answer: which errors on left-out runs speak for a case, and never past its ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.device_numbers import FEW_SEQUENCES
from analysis.engine.inputs import KERNELS, MESH, STREAMED, Inputs

SERVING, LOW_BATCH, OFFLINE, LLAMA_CPP, WAFER, OTHER, FAR, FAR_WAFER = (
    "serving", "low_batch", "offline", "llama_cpp", "wafer", "other", "far", "far_wafer",
)  # fmt: skip
TIMES = {"tpot_s": "tpot", "ttft_s": "ttft", "e2e_s": "e2e"}
TOTAL = "output_tokens_per_s"
RATES = {TOTAL: "rate", "prefill_tokens_per_s": "prefill"}
PER_USER = "tokens_per_s_per_user"
Intervals = Mapping[tuple[str, str], tuple[float, float]]
WIDER = "far from anything measured: the interval is wider"


def regimes_of(inputs: Inputs, sequences: Floats, far: Sequence[bool]) -> list[str]:
    """The regime whose left-out errors speak for each case. (cases,)

    sequences   in one step; far   True where the form was not fitted on anything like the case
    """
    offline, few, streamed = inputs.offline > 0, sequences < FEW_SEQUENCES, inputs.chunk > 0
    names = []
    for at, form in enumerate(inputs.form):
        if form == KERNELS:
            near = OFFLINE if offline[at] else LOW_BATCH if few[at] else SERVING
            names.append(FAR if far[at] else near)
        elif form == MESH:
            names.append(FAR_WAFER if far[at] else WAFER)
        else:
            names.append(LLAMA_CPP if form == STREAMED and streamed[at] and not far[at] else OTHER)
    return names


def interval_columns(
    numbers: Mapping[str, Floats], regimes: Sequence[str], intervals: Intervals, ceiling: Floats
) -> dict[str, Floats]:
    """Columns low_* and high_* for every time and rate; nan where no left-out errors are known. (cases,)

    numbers   times and rates by name, and `running`, the sequences in flight
    ceiling   most tokens/s of one of them
    """
    columns: dict[str, Floats] = {}
    for name, quantity in (TIMES | RATES).items():
        low, high = _factors(regimes, intervals, quantity)
        columns |= {f"low_{name}": numbers[name] * low, f"high_{name}": numbers[name] * high}
    with np.errstate(divide="ignore", invalid="ignore"):
        columns["low_tpot_s"] = np.fmax(columns["low_tpot_s"], 1.0 / ceiling)
        most = np.fmax(numbers[TOTAL], numbers["running"] * ceiling)
        high = columns[f"high_{TOTAL}"]
        columns[f"high_{TOTAL}"] = np.where(np.isnan(most), high, np.minimum(high, most))
        columns[f"low_{PER_USER}"] = 1.0 / columns["high_tpot_s"]
        columns[f"high_{PER_USER}"] = 1.0 / columns["low_tpot_s"]
    return columns


def _factors(regimes: Sequence[str], intervals: Intervals, quantity: str) -> tuple[Floats, Floats]:
    """Factors on a prediction, low and high; those of other machines where a regime has none of its own. (cases,)"""
    none = (np.nan, np.nan)
    pairs = [intervals.get((name, quantity), intervals.get((FAR, quantity), none)) for name in regimes]
    table = np.array(pairs, dtype=float).reshape(-1, 2)
    return table[:, 0], table[:, 1]
