"""Power and energy of a token, by hand and against published shares of rated power."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models.energy import energy_per_token, mean_power, serving_power, utilisation

SHARE = st.floats(0.0, 1.0)
CS3_W, H100_W = 23_000.0, 700.0


def test_utilisation_by_hand() -> None:
    """Memory 0.5 and arithmetic 0.2 work 0.7 of the time; the other 0.3 counts a third: 0.7 + 0.1 = 0.8."""
    assert utilisation(0.5, 0.2, 1 / 3) == pytest.approx(0.8)


def test_power_by_hand() -> None:
    """H100, 20 % idle and 60 % decoding (arXiv 2604.10852): half at work draws 700 x (0.2 + 0.4 x 0.5) = 280 W."""
    assert serving_power(H100_W, 0.2, 0.6, 0.5) == pytest.approx(280.0)


def test_energy_by_hand() -> None:
    """8 devices at 500 W, 1.5 at the wall, 1,000 tok/s: 6 J; serving half the time at the same mean power: 12 J."""
    assert energy_per_token(500.0, 8, 1.5, 1.0, 1000.0) == pytest.approx(6.0)
    assert energy_per_token(500.0, 8, 1.5, 0.5, 1000.0) == pytest.approx(12.0)


def test_eight_b200_at_the_wall() -> None:
    """MLPerf Inference v5.1, Lenovo, 8 x B200, Llama-2-70B offline: 10,401 W and 102,909 tok/s are 0.10 J a token."""
    assert energy_per_token(10_401 / 8, 8, 1.0, 1.0, 102_909.0) == pytest.approx(0.101, abs=0.0005)


def test_what_parity_of_a_wafer_with_32_h100_at_a_third_duty_implies() -> None:
    """arXiv 2604.10852 puts a CS-3 level with 32 H100 in energy a token at a duty cycle of 34 %.

    Its shares give the powers: 23 kW x (0.34 + 0.66 x 0.8) = 19.96 kW against 32 x 700 W x (0.34 x 0.55 + 0.66 x 0.2) =
    7.15 kW. Level energies then mean 2.79 times the tokens from the wafer; the paper's own rates stand only in its
    figures, so the 34 % can be carried to a ratio of rates and not confirmed.
    """
    duty = 0.34
    wafer = mean_power(serving_power(CS3_W, 0.8, 1.0, 1.0), CS3_W, 0.8, duty)
    gpus = 32 * mean_power(serving_power(H100_W, 0.2, 0.55, 1.0), H100_W, 0.2, duty)
    assert (wafer, gpus) == (pytest.approx(19_964, abs=1), pytest.approx(7_146, abs=1))
    level = energy_per_token(wafer, 1, 1.0, duty, wafer / gpus)
    assert level == pytest.approx(energy_per_token(gpus / 32, 32, 1.0, duty, 1.0))
    assert wafer / gpus == pytest.approx(2.79, abs=0.005)


@given(memory=SHARE, compute=SHARE, waiting=SHARE)
def test_utilisation_stays_a_share(memory: float, compute: float, waiting: float) -> None:
    used = utilisation(memory, compute, waiting)
    assert min(memory + compute, 1.0) - 1e-12 <= used <= 1.0 + 1e-12


@given(duty=st.floats(0.01, 1.0), less=st.floats(0.5, 0.99), idle=st.floats(0.01, 1.0))
def test_serving_less_of_the_time_costs_more_a_token(duty: float, less: float, idle: float) -> None:
    """With anything drawn while idle, fewer busy hours raise the energy of each token."""
    often = energy_per_token(mean_power(500.0, 700.0, idle, duty), 1, 1.0, duty, 100.0)
    seldom = energy_per_token(mean_power(500.0, 700.0, idle, duty * less), 1, 1.0, duty * less, 100.0)
    assert seldom > often
