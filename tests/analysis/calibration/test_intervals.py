"""Intervals, own rows and the loss, against arithmetic by hand and simulation."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.calibration.fit import group_weights, robust
from analysis.calibration.intervals import ends, interval


def test_shortest_span_of_ten_equal_rows() -> None:
    """Ten rows at 0, 1, ..., 8 and 100: 80 % are eight rows, and 0 to 7 (or 1 to 8) is the shortest span."""
    values = np.array([0.0, 1, 2, 3, 4, 5, 6, 7, 8, 100])
    low, high = ends(values, np.arange(10).astype(str), 0.8)
    assert high - low == 7


def test_groups_weigh_the_same() -> None:
    """A hundred rows at 5 are one group of eleven: ten others spread from 0 to 9 keep their say."""
    values = np.concatenate([np.full(100, 5.0), np.arange(10.0)])
    group = np.array(["many"] * 100 + [f"one {at}" for at in range(10)])
    low, high = ends(values, group, 0.8)
    assert (low, high) != (5.0, 5.0)
    assert high - low >= 6


def test_unseen_parts_are_covered_as_promised() -> None:
    """Twelve parts of the same normal errors: 80 % of left-out rows lie inside, to within sampling."""
    generator = np.random.default_rng(4)
    part = np.repeat([f"part {at}" for at in range(12)], 60)
    measured = np.exp(0.2 * generator.normal(size=part.size))
    found = interval(np.ones(part.size), measured, part, part)
    assert found.coverage == pytest.approx(0.80, abs=0.05)
    assert found.ratio == pytest.approx(np.exp(2 * 1.2816 * 0.2), rel=0.12)  # 1.2816: normal quantile of 90 %


def test_one_part_has_no_coverage() -> None:
    only = np.array(["one"] * 5)
    assert np.isnan(interval(np.ones(5), np.linspace(0.9, 1.1, 5), only, only).coverage)


def test_loss_is_square_inside_and_absolute_outside() -> None:
    """Half the square of robust(x) is sqrt(1 + (x/w)^2) - 1: about (x/w)^2 / 2 near zero and |x|/w far out."""
    assert robust(np.array([0.012]))[0] ** 2 / 2 == pytest.approx(0.005, rel=0.01)
    assert robust(np.array([-12.0]))[0] ** 2 / 2 == pytest.approx(99.0, rel=0.01)
    assert robust(np.array([-12.0]))[0] < 0


def test_weights_of_groups() -> None:
    """Sixteen rows of one group weigh 16^-0.5 each against one alone: a quarter; the mean is one."""
    weights = group_weights(np.array(["a"] * 16 + ["b"]), 0.5)
    assert weights[0] / weights[-1] == pytest.approx(0.25)
    assert weights.mean() == pytest.approx(1.0)
