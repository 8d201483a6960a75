"""Drafts and verification: limits, arithmetic by hand and the table of the paper they come from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models.speculation import (
    accepted_tokens,
    speculation_speedup,
    step_ratio,
    tokens_for_speedup,
    wafer_verify_ratio,
)

LENGTHS = st.integers(0, 16)
RATIOS = st.floats(0.0, 1.0)


def test_by_hand() -> None:
    """a = 0.5, k = 3: 1 + 1/2 + 1/4 + 1/8 = 1.875 tokens; over 3 x 0.1 + 1.05 = 1.35 it is 1.875/1.35 = 1.389."""
    tokens = accepted_tokens(0.5, 3)
    assert tokens == 1.875
    assert speculation_speedup(tokens, 3, 0.1, 1.05) == pytest.approx(1.875 / 1.35)
    assert tokens_for_speedup(1.8, 3, 0.1, 1.05) == pytest.approx(1.8 * 1.35)
    assert step_ratio(0.0105, 0.010) == pytest.approx(1.05)
    assert wafer_verify_ratio(0.4, 0.25, 3) == pytest.approx(1.3)


@pytest.mark.parametrize(
    ("acceptance", "drafted", "speed"),
    [(0.6, 2, 1.96), (0.7, 3, 2.53), (0.8, 2, 2.44), (0.8, 5, 3.69), (0.9, 2, 2.71), (0.9, 10, 6.86)],
)
def test_published_speeds(acceptance: float, drafted: int, speed: float) -> None:
    """Leviathan et al. (2022), table 1: speed with a draft of no cost, three digits."""
    found = speculation_speedup(accepted_tokens(acceptance, drafted), drafted, 0.0, 1.0)
    assert found == pytest.approx(speed, abs=0.005)


@given(drafted=LENGTHS, draft=RATIOS, verify=st.floats(1.0, 17.0))
def test_never_and_always_accepted(drafted: int, draft: float, verify: float) -> None:
    """a = 0 pays the draft and the verification for one token, a = 1 gets k + 1 for them."""
    never, always = (speculation_speedup(accepted_tokens(a, drafted), drafted, draft, verify) for a in (0.0, 1.0))
    assert never == pytest.approx(1.0 / (drafted * draft + verify))
    assert always == pytest.approx((drafted + 1.0) / (drafted * draft + verify))


@given(drafted=LENGTHS, acceptance=st.floats(0.0, 1.0))
def test_tokens_are_the_sum_of_their_chances(drafted: int, acceptance: float) -> None:
    """The geometric series written out: the model's own token, then each drafted one if all before it were accepted."""
    expected = sum(acceptance**place for place in range(drafted + 1))
    assert accepted_tokens(acceptance, drafted) == pytest.approx(expected, rel=1e-9)


def test_the_limit_at_one_is_reached_smoothly() -> None:
    assert accepted_tokens(1.0, 7) == 8.0
    assert accepted_tokens(1.0 - 1e-7, 7) == pytest.approx(8.0, rel=1e-6)


def test_longer_drafts_are_not_always_faster() -> None:
    """a = 0.7, c = 0.1, v = 1: 1.55, 1.82, 1.95, 1.98, 1.96, 1.91: the best draft has four tokens."""
    lengths = np.arange(1, 7)
    gained = speculation_speedup(accepted_tokens(0.7, lengths), lengths, 0.1, 1.0)
    assert np.round(gained, 2).tolist() == [1.55, 1.82, 1.95, 1.98, 1.96, 1.91]
    assert not (np.diff(gained) > 0).all()
