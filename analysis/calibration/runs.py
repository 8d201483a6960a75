"""Measured serving runs as cases with their times: read, merged where they repeat, grouped, weighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.loads import Loads, loads_of
from analysis.case_table import read_rows
from analysis.engine.arrays import Floats
from analysis.engine.case import Case
from analysis.parameters import Parameters
from data.catalogue.catalogue import load_catalogue
from data.catalogue.measurement_files import SERVING, Row, load_measurements

Texts = NDArray[np.str_]
MS = 1e-3
_SAME = (
    "model", "hardware", "device_count", "engine", "weight_format", "attention_weight_format", "expert_weight_format",
    "fp8_scaling", "kv_format", "tp", "ep", "concurrency", "input_tokens", "output_tokens", "length_factor",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Measured runs, rows in the order of the table; times in seconds, e2e from the two others by definition.

    clean    False where a rule that looks at no residual has set the row aside
    group    model x GPU x engine x format: runs that share their offset
    labels   by name of a split (model, GPU, family, engine): the part of each row
    """

    ids: Texts
    cases: tuple[Case, ...]
    loads: Loads
    tpot_s: Floats
    ttft_s: Floats
    clean: NDArray[np.bool_]
    group: Texts
    labels: dict[str, Texts]

    @property
    def e2e_s(self) -> Floats:
        """Mean time of a request. (rows,)"""
        tokens = self.loads.marked.inputs.output_tokens
        return self.ttft_s + (tokens - 1.0) * self.tpot_s

    def rows(self, rows: NDArray[np.int64]) -> Runs:
        """Only these rows."""
        return Runs(
            ids=self.ids[rows],
            cases=tuple(self.cases[at] for at in rows),
            loads=self.loads.rows(rows),
            tpot_s=self.tpot_s[rows],
            ttft_s=self.ttft_s[rows],
            clean=self.clean[rows],
            group=self.group[rows],
            labels={name: each[rows] for name, each in self.labels.items()},
        )


def serving_runs(parameters: Parameters) -> Runs:
    """The serving table, repeats merged, every row with its case."""
    rows = merged(load_measurements(SERVING))
    catalogue = load_catalogue()
    cases = tuple(each.case for each in read_rows(rows, catalogue) if each.case is not None)
    chips = [case.chip for case in cases]
    labels = {
        "model": np.array([case.architecture.key for case in cases]),
        "GPU": np.array([chip.key for chip in chips]),
        "GPU family": np.array([chip.generation for chip in chips]),
        "engine": np.array([row["engine"] for row in rows]),
    }
    return Runs(
        ids=np.array([row["id"] for row in rows]),
        cases=cases,
        loads=loads_of(cases, parameters),
        tpot_s=np.array([float(row["tpot_ms"]) * MS for row in rows]),
        ttft_s=np.array([float(row["ttft_ms"]) * MS for row in rows]),
        clean=np.array([row["clean"] == "True" for row in rows]),
        group=np.array([group_of(row) for row in rows]),
        labels=labels,
    )


def group_of(row: Row) -> str:
    """Model, GPU, engine and formats of a row as one text."""
    names = ("model", "hardware", "engine", "weight_format", "attention_weight_format", "expert_weight_format")
    return " ".join(row[name] for name in names if row[name])


def merged(rows: Sequence[Row]) -> list[Row]:
    """One row for each configuration, the first of its repeats; a split must not see one run on both sides."""
    first: dict[tuple[str, ...], Row] = {}
    for row in rows:
        first.setdefault(tuple(row[name] for name in _SAME), row)
    return list(first.values())
