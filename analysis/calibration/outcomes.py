"""What a calibration found for one group of runs and one quantity: predictions beside measurements, and the goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.folds import Errors, errors
from analysis.calibration.intervals import Interval, interval
from analysis.engine.arrays import Floats

Texts = NDArray[np.str_]
Goal = tuple[float, float]
NO_GOAL: Goal = (float("nan"), float("nan"))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One group and quantity, rows in the order of their table.

    regime         whose interval these errors make; `key` of intervals in the parameter file with `short`
    left_out       predictions by what was left out as a whole; the first is the one shown beside each run
    part, group    what the first split left out, and rows that share their offset
    clean          False for rows set aside by a rule that looks at no residual
    goals          mean and median aimed at, in percent, by what is left out ("" for in sample)
    own_rows       mean and median error in percent after so many measured runs of one's own
    """

    group: str
    regime: str
    key: str
    quantity: str
    short: str
    ids: Texts
    models: Texts
    hardware: Texts
    engine: Texts
    measured: Floats
    in_sample: Floats
    left_out: Mapping[str, Floats]
    part: Texts
    offset: Texts
    clean: NDArray[np.bool_]
    goals: Mapping[str, Goal] = field(default_factory=dict)
    own_rows: Mapping[int, Errors] = field(default_factory=dict)
    note: str = ""

    @property
    def shown(self) -> Floats:
        """Left-out predictions of the first split; nan where there is none. (rows,)"""
        return next(iter(self.left_out.values()), np.full(len(self.measured), np.nan))

    def errors_of(self, by: str) -> Errors:
        """Errors on clean rows, in sample for ""."""
        values = self.left_out[by] if by else self.in_sample
        return errors(values[self.clean], self.measured[self.clean])

    @property
    def around(self) -> Interval | None:
        """The interval that the first split asks for; None where nothing was left out."""
        if not np.isfinite(self.shown[self.clean]).any():
            return None
        rows = self.clean
        return interval(self.shown[rows], self.measured[rows], self.offset[rows], self.part[rows])
