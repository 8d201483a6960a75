"""Pruned widths and assumed gains against arithmetic by hand."""

from __future__ import annotations

import pytest

from analysis.models.precision import assumed_speed, byte_ratio, pruned_width


@pytest.mark.parametrize(("bits", "left"), [(16, 9), (8, 5), (4, 3)])
def test_two_of_four(bits: int, left: int) -> None:
    """Half of the values and two bits for each of them: (bits + 2) / 2 bits a weight (Mishra et al. 2021)."""
    assert 8 * pruned_width(bits / 8, 0.5, 0.25) == left


def test_a_byte_of_place_eats_what_half_of_eight_bits_saves() -> None:
    assert pruned_width(1.0, 0.5, 1.0) == 1.0
    assert byte_ratio(pruned_width(2.0, 0.5, 1.0), 2.0) == 0.75


def test_an_assumed_gain_stops_at_the_ceiling() -> None:
    assert assumed_speed(100.0, 1.54, 1000.0) == pytest.approx(154.0)
    assert assumed_speed(800.0, 1.54, 1000.0) == 1000.0
