"""Runs beside their prediction in one quantity: both figures, the gap, bandwidth and arithmetic used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.engine import evaluate
from analysis.machines import arithmetic_class, dense_peak
from analysis.metrics import Metric, metric
from analysis.models.roofline import model_bandwidth_utilisation, model_flop_utilisation
from analysis.parameters import Parameters
from analysis.step_operators import operators_of
from analysis.studies.benchmark_cases import (
    LeftOut,
    Measured,
    beyond_memory,
    case_of,
    format_words,
    places,
    read_byte_of,
    workload_of,
)
from analysis.study import rows_of
from data.errors import WaferlineError

MS = 1e-3


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One thing that runs state and the model predicts.

    key      metric and column of the engine's answer
    field    canonical field of a run; `size` is the SI value of one of its units
    """

    key: str
    field: str
    size: float

    @property
    def metric(self) -> Metric:
        """The quantity as the screen names it."""
        return metric(self.key)


QUANTITIES = (
    Quantity(key="tpot_s", field="tpot_mean_ms", size=MS),
    Quantity(key="ttft_s", field="ttft_mean_ms", size=MS),
    Quantity(key="e2e_s", field="e2e_mean_ms", size=MS),
    Quantity(key="output_tokens_per_s", field="output_tps", size=1.0),
)


def compared(
    runs: Sequence[Measured], quantity: Quantity, parameters: Parameters | None
) -> tuple[pd.DataFrame, list[LeftOut]]:
    """One row a run that states the quantity, SI, and the others with the reason; one call of the engine for all."""
    stated, left_out = [], []
    for one in runs:
        if _stated(one, quantity) is None:
            left_out.append(LeftOut(run=one.run, reason=f"it does not state the {quantity.metric.label}"))
        else:
            stated.append(one)
    answers = rows_of(evaluate([case_of(one) for one in stated], parameters)) if stated else []
    colour, rows = places(stated), []
    for one, answer in zip(stated, answers, strict=True):
        if math.isnan(float(answer[quantity.key])):
            reason = str(answer["reason"]) or f"the model has no {quantity.metric.label} for this machine"
            left_out.append(LeftOut(run=one.run, reason=reason.rstrip(".")))
            continue
        try:
            rows.append(_row(one, quantity, answer, colour[one.group]))
        except WaferlineError as error:  # a number format nobody knows
            left_out.append(LeftOut(run=one.run, reason=error.sentence().rstrip(".")))
    return pd.DataFrame(rows), left_out


def _stated(one: Measured, quantity: Quantity) -> float | None:
    value = one.run.values.get(quantity.field)
    known = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) * quantity.size if known else None  # type: ignore[arg-type]


def _row(one: Measured, quantity: Quantity, answer: Mapping[str, Any], place: int) -> dict[str, object]:
    measured, modelled = _stated(one, quantity) or math.nan, float(answer[quantity.key])
    running = float(answer["running"]) if float(answer["running"]) > 0 else math.inf
    read = read_byte_of(one, running)
    used = model_bandwidth_utilisation(read, one.step_s, one.device_count, one.chip.bandwidth_byte_per_s or math.nan)
    low, high = (float(answer[f"{side}_{quantity.key}"]) for side in ("low", "high"))
    figures = {
        "measured": measured,
        "modelled": modelled,
        "low": low,
        "high": high,
        "measured_over_modelled": measured / modelled,
        "inside": low <= measured <= high if math.isfinite(low + high) else None,
        "read_byte": read,
        "bandwidth_used_fraction": float(used),
        "beyond_memory": beyond_memory(one, running),
        "compute_used_fraction": compute_used(one),
        "assumed": str(answer["assumed"]),
    }
    return _served(one) | {"place": place} | figures


def _served(one: Measured) -> dict[str, object]:
    """What served what, under which load, and the file that says so."""
    return {
        "slot": one.machine,
        "vendor": one.chip.vendor,
        "model": one.architecture.name,
        "weights": format_words(one),
        "users": one.users,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "context_tokens": one.input_tokens + one.output_tokens / 2,
        "started_at": str(one.run.values.get("started_at") or ""),
        "engine": str(one.run.values.get("engine") or ""),
        "source_file": one.run.source_file,
        "run_id": one.run.run_id,
    }


def work_and_peak(one: Measured) -> tuple[float, float]:
    """Arithmetic of one token in a decode step [FLOP/tok], and the dense peak for the format of the weights [FLOP/s].

    The peak is nan where the catalogue gives none.
    """
    work = workload_of(one)
    operators = operators_of(work, one.chip, "decode")
    peak, _ = dense_peak(one.chip, arithmetic_class(one.chip, work.formats(one.chip).dense))
    return sum(each.work_flop for each in operators) / work.sequences, peak or math.nan


def compute_used(one: Measured) -> float:
    """Share of the dense peak that decoding has used, prompts not counted. [-]"""
    work, peak = work_and_peak(one)
    return float(model_flop_utilisation(one.users / one.step_s, work, one.device_count, peak))
