"""Runs on machines and engines that no fit has seen: how far off predictions are where the form is carried over."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analysis.calibration.measured import measured_rows
from analysis.calibration.outcomes import Outcome
from analysis.engine import evaluate
from analysis.parameters import Parameters
from data.catalogue.measurement_files import Row

# Blocks whose rows state their load and do not speculate, on chips or engines outside every fit.
BLOCKS = (
    "argo", "rocmvllm", "gaudi", "tpu", "tpujx", "tpurc", "neuron", "qh20", "b5090", "scic", "silb", "dcr", "mle",
    "ix870", "gb10", "comm", "strix", "gb10n", "cons",
)  # fmt: skip
METRICS: Mapping[str, tuple[str, str, str]] = {
    "tpot_ms": ("tpot_s", "tpot_s", "tpot"),
    "ttft_ms": ("ttft_s", "ttft_s", "ttft"),
    "output_tps_total": ("output_tokens_per_s", "output_tokens_per_s", "rate"),
    "prefill_tps": ("prefill_tokens_per_s", "prefill_tokens_per_s", "prefill"),
}


def unseen_outcomes(parameters: Parameters) -> list[Outcome]:
    """One outcome a metric; predictions are left out by their nature."""
    return [_outcome(metric, parameters) for metric in METRICS]


def _outcome(metric: str, parameters: Parameters) -> Outcome:
    quantity, column, short = METRICS[metric]
    rows = measured_rows(parameters, BLOCKS, (metric,), _stated_load)
    found = evaluate(rows.cases, parameters)[column].to_numpy(dtype=float)
    models = rows.label(lambda case: case.architecture.key)
    return Outcome(
        group="other machines and engines",
        regime="other",
        key="far",
        quantity=quantity,
        short=short,
        ids=rows.ids,
        models=models,
        hardware=rows.label(lambda case: case.chip.key),
        engine=rows.engine,
        measured=rows.values,
        in_sample=np.full(len(rows.ids), np.nan),
        left_out={"machine": found},
        part=rows.block,
        offset=np.char.add(np.char.add(rows.block, " "), models),
        clean=np.ones(len(rows.ids), dtype=bool),
        note=f"nothing fitted to them; {len(rows.refused)} rows without an answer"
        if rows.refused
        else "nothing fitted",
    )


def _stated_load(row: Row) -> bool:
    return bool(row["concurrency_or_batch"]) and row["speculative"] != "yes"
