"""What is left out stays out: its measurements do not move its predictions; repeats stand on one side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.calibration.fit import FREE, fitted, space_of
from analysis.calibration.folds import errors, left_out
from analysis.calibration.own_rows import errors_after
from analysis.calibration.parameter_text import intervals_text, renewed
from analysis.calibration.runs import Runs, merged, serving_runs
from analysis.parameters import starting_parameters
from data.errors import CatalogueError

BELIEVED = starting_parameters()


@pytest.fixture(scope="module")
def runs() -> Runs:
    """Every thirteenth run: all models, few enough to fit in a moment."""
    whole = serving_runs(BELIEVED)
    return whole.rows(np.arange(0, len(whole.ids), 13))


def test_left_out_measurements_do_not_move_their_predictions(runs: Runs) -> None:
    space, part = space_of(FREE, BELIEVED), runs.labels["GPU family"]
    plain = left_out(space, runs, part)
    first = part == np.unique(part)[0]
    changed = left_out(space, replace(runs, tpot_s=np.where(first, 2 * runs.tpot_s, runs.tpot_s)), part)
    assert np.array_equal(plain.tpot_s[first], changed.tpot_s[first])
    assert not np.allclose(plain.tpot_s[~first], changed.tpot_s[~first])


def test_a_fit_finds_the_parameters_that_made_the_runs(runs: Runs) -> None:
    """Runs made by the model itself, and no pull to neutral values: the fit gives their times back."""
    space = space_of(FREE, BELIEVED)
    truth = replace(BELIEVED.serving, operator_s=1.2e-5, sequence_s=2e-5, delaying_fraction=0.7)
    made = runs.loads.speeds(truth)
    found = fitted(space, replace(runs, tpot_s=made.tpot_s, ttft_s=made.ttft_s), draw=1e-3)
    again = runs.loads.speeds(found)
    assert errors(again.tpot_s, made.tpot_s).mape_percent < 0.5
    assert errors(again.e2e_s, made.e2e_s).mape_percent < 0.5


def test_repeats_are_one_row() -> None:
    names = ("model", "hardware", "device_count", "engine", "weight_format", "attention_weight_format")
    names += ("expert_weight_format", "fp8_scaling", "kv_format", "tp", "ep", "concurrency", "input_tokens")
    row = dict.fromkeys((*names, "output_tokens", "length_factor"), "1")
    first, again, other = {**row, "id": "a-1"}, {**row, "id": "a-2"}, {**row, "id": "a-3", "concurrency": "8"}
    assert [each["id"] for each in merged([first, again, other])] == ["a-1", "a-3"]


def test_own_rows_remove_an_offset(runs: Runs) -> None:
    """Predictions that are off by one factor in each group: after three runs of one's own nearly nothing is left."""
    names, place = np.unique(runs.group, return_inverse=True)
    factor = np.exp(np.linspace(-0.4, 0.4, names.size))[place]
    before, after = errors(runs.tpot_s * factor, runs.tpot_s), errors_after(runs, runs.tpot_s * factor, 3)
    assert after.mape_percent < 0.35 * before.mape_percent


def test_errors_by_hand() -> None:
    """Predictions 10 % above, 20 % below and none: mean and median 15 %."""
    found = errors(np.array([1.1, 0.8, np.nan]), np.ones(3))
    assert (found.rows, found.mape_percent, found.median_percent) == (2, pytest.approx(15), pytest.approx(15))


def test_parameter_files_keep_all_but_their_numbers() -> None:
    text = renewed("gpu-serving", {"operator_s": 1.23456e-5}, {"operator_s": (1e-5, 2e-5)}, "2027-01-02")
    assert "dated: 2027-01-02" in text
    assert "operator_s: {value: 1.235e-05, low: 1.0e-05, high: 2.0e-05, neutral: 1.0e-5, source: runs" in text
    with pytest.raises(CatalogueError, match="no such parameter"):
        renewed("gpu-serving", {"magic": 1.0}, {}, "2027-01-02")
    assert "serving_tpot_high: {value: 1.25," in intervals_text({("serving", "tpot"): (0.8, 1.25)}, "2027-01-02")
