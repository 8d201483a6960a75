"""Queueing equations against hand arithmetic, their limits, and one another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models import capacity, queueing

SHARES = st.floats(0.01, 0.99)
CVS = st.floats(0.0, 3.0)


def test_a_queue_on_paper() -> None:
    """4 requests/s of 0.2 s each: busy 0.8. Deterministic: 0.8 x 0.2 / (2 x 0.2) = 0.4 s; exponential twice that."""
    busy = queueing.busy_share_of(4.0, 0.2)
    assert busy == pytest.approx(0.8)
    assert queueing.mean_wait(busy, 0.2, 0.0) == pytest.approx(0.4)
    assert queueing.mean_wait(busy, 0.2, 1.0) == pytest.approx(0.8)


def test_percentile_on_paper() -> None:
    """M/M/1 at 0.8 with 0.2 s: P(W > t) = 0.8 exp(-t), so 5 % wait longer than ln 16 s; 10 % do not wait."""
    assert queueing.wait_quantile(0.8, 0.8, 0.05) == pytest.approx(math.log(16.0))
    assert queueing.wait_quantile(0.8, 0.8, 0.9) == 0.0


def test_several_servers_on_paper() -> None:
    """Seven servers: sqrt(16) - 1 = 3, so at 0.5 busy and exponential service 0.125 x s / (7 x 0.5) = s / 28."""
    assert queueing.mean_wait_of_servers(0.5, 1.0, 1.0, 7.0) == pytest.approx(1 / 28)


@given(busy=SHARES, cv=CVS)
def test_one_of_several_servers_is_one_server(busy: float, cv: float) -> None:
    several = queueing.mean_wait_of_servers(busy, 0.3, cv, 1.0)
    assert several == pytest.approx(queueing.mean_wait(busy, 0.3, cv))


@given(busy=SHARES, cv=CVS)
def test_delayed_requests_make_up_the_mean(busy: float, cv: float) -> None:
    """One server: a request is delayed with probability rho, the least remaining time is s (1 + cv^2) / 2."""
    delayed = queueing.mean_delay_of_delayed(busy, 0.3 * (1 + cv**2) / 2, 0.3, cv, 1.0)
    assert busy * delayed == pytest.approx(queueing.mean_wait(busy, 0.3, cv))


@pytest.mark.parametrize("busy", [1.0, 1.5])
def test_no_end_from_a_busy_share_of_one(busy: float) -> None:
    with np.errstate(divide="ignore"):
        assert queueing.mean_wait(np.float64(busy), 0.2, 1.0) == math.inf
        assert queueing.mean_wait_of_servers(np.float64(busy), 0.2, 1.0, 4.0) == math.inf
        assert queueing.interrupted_step(0.01, 1.0, np.float64(busy)) == math.inf


@given(low=SHARES, high=SHARES, cv=CVS)
def test_wait_rises_with_load(low: float, high: float, cv: float) -> None:
    first, second = sorted((low, high))
    assert queueing.mean_wait(first, 1.0, cv) <= queueing.mean_wait(second, 1.0, cv)


def test_capacity_on_paper() -> None:
    """Prompt 0.1 s, 100 tokens, steps of 20 ms for 40: 1 / (0.1 + 100 x 0.02 / 40) = 1 / 0.15 = 6.67 requests/s.

    40 sequences of 100 tokens at 20 ms end 20 requests/s; prompts of 0.1 s then need 2 replicas. A prompt of 8,000
    in steps of 2,048 with 48 decoding takes 4 steps. 40 GB at 2 GB/s and 30 s to start are 50 s, in which a load of
    5/s over 3/s carried piles up 100 requests.
    """
    assert capacity.saturation_rate(0.1, 100.0, 0.02, 40.0) == pytest.approx(1 / 0.15)
    assert capacity.prefill_balance(0.1, 40.0, 100.0, 0.02) == pytest.approx(2.0)
    assert capacity.prompt_chunks(8000.0, 2048.0, 48.0) == 4.0
    late = capacity.load_time(40e9, 2e9, 30.0)
    assert late == 50.0
    assert capacity.backlog(5.0, 3.0, late) == 100.0
    assert capacity.backlog(2.0, 3.0, late) == 0.0


def test_replicas_for_a_rate() -> None:
    """10/s over 2.5/s are 4 replicas, not 5; a load of nothing still needs one; what carries nothing never suffices."""
    with np.errstate(divide="ignore"):
        found = capacity.replicas_for_rate(np.array([10.0, 10.1, 0.0, 1.0]), np.array([2.5, 2.5, 2.5, 0.0]))
    assert found.tolist() == [4.0, 5.0, 1.0, math.inf]


def test_mixed_step_is_free_until_arithmetic_binds() -> None:
    """8 ms of memory hide 5 ms of a chunk beside 2 ms of arithmetic; 10 ms of chunk make it 12 ms and 1 ms beside."""
    assert capacity.mixed_step_time(8e-3, 2e-3, 1e-3, 5e-3) == pytest.approx(9e-3)
    assert capacity.mixed_step_time(8e-3, 2e-3, 1e-3, 10e-3) == pytest.approx(13e-3)
