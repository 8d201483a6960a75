"""Rows of the table of single measurements as cases: chosen by block and metric, those set aside by name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.case_table import read_rows
from analysis.engine import evaluate
from analysis.engine.arrays import Floats
from analysis.engine.case import Case
from analysis.parameters import Parameters
from data.catalogue.catalogue import load_catalogue
from data.catalogue.measurement_files import MEASURED, Row, block_of, load_measurements

Texts = NDArray[np.str_]
EXCLUDED = "exclude"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Rows with an answer, in the order of the table; values in seconds or tokens per second as the metric says.

    refused   ids of rows that have none, with the reason
    """

    ids: Texts
    cases: tuple[Case, ...]
    values: Floats
    engine: Texts
    refused: dict[str, str]

    @property
    def block(self) -> Texts:
        """The source of each row."""
        return np.array([block_of(name) for name in self.ids])

    def label(self, read: Callable[[Case], str]) -> Texts:
        """A text of each row's case."""
        return np.array([read(case) for case in self.cases])


def measured_rows(
    parameters: Parameters,
    blocks: Collection[str],
    metrics: Collection[str],
    wanted: Callable[[Row], bool] = lambda row: True,
) -> Measured:
    """Rows of these blocks and metrics that the engine answers; rows marked "exclude" stay out."""
    rows = [
        row
        for row in load_measurements(MEASURED)
        if block_of(row["id"]) in blocks and row["metric"] in metrics and not row["quality"].startswith(EXCLUDED)
    ]
    rows = [row for row in rows if wanted(row)]
    refused, kept, cases = {}, [], []
    for row, read in zip(rows, read_rows(rows, load_catalogue()), strict=True):
        if read.case is None:
            refused[row["id"]] = read.reason
        else:
            kept.append(row)
            cases.append(read.case)
    answer = evaluate(cases, parameters)
    good = answer["feasible"].to_numpy(dtype=bool)
    refused |= {row["id"]: why for row, why, ok in zip(kept, answer["reason"], good, strict=True) if not ok}
    kept = [row for row, ok in zip(kept, good, strict=True) if ok]
    return Measured(
        ids=np.array([row["id"] for row in kept]),
        cases=tuple(case for case, ok in zip(cases, good, strict=True) if ok),
        values=np.array([float(row["value"]) * (1e-3 if row["metric"].endswith("_ms") else 1.0) for row in kept]),
        engine=np.array([row["engine"] for row in kept]),
        refused=refused,
    )
