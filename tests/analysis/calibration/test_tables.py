"""Summary, predictions and intervals out of a small outcome worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.calibration.folds import Errors
from analysis.calibration.outcomes import Outcome
from analysis.calibration.spreads import spreads_of
from analysis.calibration.tables import prediction_table, summary_table


def outcome() -> Outcome:
    """Four runs of 1 s predicted 10 % long in sample; left out 20 % long, and the one set aside ten times too long."""
    names = np.array(["a", "b", "c", "d"])
    return Outcome(
        group="made up",
        regime="serving",
        key="serving",
        quantity="tpot_s",
        short="tpot",
        ids=names,
        models=names,
        hardware=names,
        engine=names,
        measured=np.ones(4),
        in_sample=np.full(4, 1.1),
        left_out={"model": np.array([1.2, 1.2, 1.2, 10.0])},
        part=names,
        offset=names,
        clean=np.array([True, True, True, False]),
        goals={"model": (15.0, 10.0)},
        own_rows={1: Errors(rows=3, mape_percent=5.0, median_percent=4.0, p90_percent=9.0)},
    )


def test_summary_has_clean_rows_all_rows_and_own_rows() -> None:
    table = summary_table([outcome()])
    found = {(row["split"], row["left_out_by"]): row for row in table.to_dict("records")}
    assert found["in sample", ""]["mape_percent"] == pytest.approx(10)
    row = found["left out", "model"]
    assert (row["mape_percent"], row["rows"], row["goal_mape_percent"]) == (pytest.approx(20), 3, 15)
    assert row["coverage_fraction"] == 1.0  # three equal errors: each lies where the other two do
    assert found["left out", "model, all rows"]["mape_percent"] == pytest.approx((3 * 20 + 900) / 4)
    assert found["left out", "model, but for one own row"]["mape_percent"] == 5


def test_intervals_of_other_quantities_follow() -> None:
    """Measured over predicted is 1/1.2 in all three clean rows; the prediction stays inside; a rate inverts it."""
    spreads = spreads_of([outcome()])
    low, high = spreads["serving", "tpot"]
    assert (low, high) == (pytest.approx(1 / 1.2), 1.0)
    assert spreads["serving", "rate"] == (1.0, pytest.approx(1.2))
    table = prediction_table([outcome()], spreads)
    assert table["low"].iat[0] == pytest.approx(1.0)
    assert table["high"].iat[0] == pytest.approx(1.2)
    assert list(table["note"]) == ["", "", "", "set aside"]
