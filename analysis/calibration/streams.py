"""One stream of llama.cpp: what each measured run reads for a token, and the fit by kind of device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.fit import minimum, robust
from analysis.calibration.measured import Measured, Texts, measured_rows
from analysis.engine.arrays import Floats
from analysis.engine.device_numbers import llama_cpp_kind
from analysis.engine.formats import read_format
from analysis.engine.inputs import side_by_side
from analysis.engine.memory import sequence_cache
from analysis.engine.resolve import resolve
from analysis.engine.shapes_of_cases import shapes_of
from analysis.engine.work_of_token import streamed_byte, weight_macs
from analysis.models.single_stream import streamed_step_time
from analysis.parameters import Parameters
from data.catalogue.parameter_files import ParameterSet

BLOCKS = ("xd", "apple", "spark")
KINDS = ("cuda", "metal", "datacentre", "gb10")
SHARED_CACHE = "cache_factor"
# Free parameters of a kind, and how strongly each is drawn to its neutral value, per unit of log.
DRAWS: Mapping[str, float] = {"weight_fraction": 8.0, "quantised_factor": 3.0, "layer_s": 0.5, "k_quant_flop": 0.3}


@dataclass(frozen=True, kw_only=True)
class Streams:
    """Decode runs of one stream on one kind of device.

    read, cache   bytes of weights and cache for one token; seconds at full bandwidth   [s]
    unpacking     seconds at the 16-bit peak for one operation a weight, k-quants only  [s]
    step_s        measured time of a token                                              [s]
    """

    kind: str
    ids: Texts
    device: Texts
    engine: Texts
    model: Texts
    read: Floats
    cache: Floats
    unpacking: Floats
    layers: Floats
    quantised: Floats
    step_s: Floats
    cache_factor: float
    neutral: Mapping[str, float]

    def predicted(self, values: Mapping[str, float], rows: NDArray[np.int64] | None = None) -> Floats:
        """Time of a token under the parameters of the kind. [s]"""
        at = np.arange(len(self.ids)) if rows is None else rows
        reach = values["weight_fraction"] * np.where(self.quantised[at] > 0, values["quantised_factor"], 1.0)
        reading = streamed_step_time(self.read[at], self.cache[at], 1.0, reach, reach * self.cache_factor, 0.0, 0.0)
        unpacking = self.unpacking[at] * values.get("k_quant_flop", 0.0)
        return np.asarray(np.maximum(reading, unpacking) + self.layers[at] * values["layer_s"])

    def fitted(self, rows: NDArray[np.int64] | None = None) -> dict[str, float]:
        """The parameters of the kind fitted to some rows, cold from their neutral values."""
        at = np.arange(len(self.ids)) if rows is None else rows
        names = list(self.neutral)
        neutral, draw = np.array(list(self.neutral.values())), np.array([DRAWS[name] for name in names])

        def values(point: Floats) -> dict[str, float]:
            return dict(zip(names, (neutral * np.exp(point)).tolist(), strict=True))

        def residuals(point: Floats) -> Floats:
            return np.concatenate([robust(self.predicted(values(point), at) / self.step_s[at] - 1.0), draw * point])

        return values(minimum(len(names), residuals))

    def left_out(self) -> Floats:
        """Predictions of every row by a fit that has seen no row of its device. (rows,)"""
        whole = np.full(len(self.ids), np.nan)
        if len(np.unique(self.device)) < 2:
            return whole
        for name in np.unique(self.device):
            rest = np.flatnonzero(self.device == name)
            whole[rest] = self.predicted(self.fitted(np.flatnonzero(self.device != name)), rest)
        return whole


def streams(parameters: Parameters, values: ParameterSet) -> list[Streams]:
    """The decode runs of every kind of device."""
    rows = measured_rows(parameters, BLOCKS, ("decode_tps_per_user",))
    kinds = rows.label(lambda case: llama_cpp_kind(case.chip))
    return [_of_kind(kind, rows, np.flatnonzero(kinds == kind), parameters, values) for kind in KINDS]


def _of_kind(kind: str, rows: Measured, at: NDArray[np.int64], parameters: Parameters, values: ParameterSet) -> Streams:
    cases = [rows.cases[place] for place in at]
    inputs = side_by_side([resolve(case, parameters).numbers for case in cases])
    shapes = shapes_of([case.architecture for case in cases])
    one, copies = np.ones(len(cases)), np.ones_like(shapes.layers)
    k_quant = np.array(["_k" in read_format(case.weight_format or "bf16", False).name for case in cases])
    known = [name for name in DRAWS if f"{kind}_{name}" in values.values]
    return Streams(
        kind=kind,
        ids=rows.ids[at],
        device=np.array([case.chip.key for case in cases]),
        engine=rows.engine[at],
        model=np.array([case.architecture.key for case in cases]),
        read=streamed_byte(inputs, shapes, one) / inputs.bandwidth,
        cache=sequence_cache(inputs, shapes, inputs.step_context, copies) / inputs.bandwidth,
        unpacking=np.where(k_quant, weight_macs(shapes) / inputs.peak_16, 0.0),
        layers=shapes.layer_count,
        quantised=(inputs.byte_dense < parameters.streamed.quantised_below_byte).astype(float),
        step_s=1.0 / rows.values[at],
        cache_factor=values.value(SHARED_CACHE),
        neutral={name: values.values[f"{kind}_{name}"].neutral for name in known},
    )
