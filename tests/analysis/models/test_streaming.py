"""Weights that come through a link: published arithmetic, limits, and ranks against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models.streaming import (
    chance_met,
    hit_rate_needed,
    ranked_popularity,
    rate_with_hits,
    step_with_transfer,
    transfer_time,
)
from analysis.models.transformer import distinct_experts

POSITIVE = st.floats(1e-3, 1e6)


def test_a_thousand_tokens_through_one_system_input() -> None:
    """32 GB a token, 1,000 tok/s are 32 TB/s; 150 GB/s are 0.47 % of them, so 99.53 % must be resident."""
    needed = hit_rate_needed(1000, 32e9, 150e9)
    assert needed == pytest.approx(1 - 150 / 32000)
    assert round(100 * float(needed), 2) == 99.53


def test_nothing_resident() -> None:
    """32 GB through 150 GB/s take 0.2133 s: 4.69 tok/s."""
    assert rate_with_hits(150e9, 32e9, 0.0) == pytest.approx(4.6875)
    assert transfer_time(32e9, 1, 150e9) == pytest.approx(32 / 150)


def test_the_cache_of_a_prompt_on_its_way() -> None:
    """9,000 tokens of 50 kB over 50 GB/s take 9 ms; over three such links, 3 ms."""
    assert transfer_time(9000 * 50e3, np.array([1.0, 3.0]), 50e9) == pytest.approx([9e-3, 3e-3])


def test_everything_resident_has_no_bound() -> None:
    assert np.isinf(rate_with_hits(150e9, 32e9, 1.0))
    assert hit_rate_needed(1e-9, 32e9, 150e9) == 0.0


@given(link=POSITIVE, touched=POSITIVE, hit=st.floats(0.0, 0.999))
def test_the_bound_and_the_need_undo_each_other(link: float, touched: float, hit: float) -> None:
    assert hit_rate_needed(rate_with_hits(link, touched, hit), touched, link) == pytest.approx(hit, abs=1e-9)


@given(step=POSITIVE, transfer=POSITIVE, hidden=st.floats(0.0, 1.0))
def test_hiding_lies_between_the_sum_and_the_longer(step: float, transfer: float, hidden: float) -> None:
    whole = step_with_transfer(step, transfer, hidden)
    assert max(step, transfer) * (1 - 1e-12) <= whole <= (step + transfer) * (1 + 1e-12)
    assert step_with_transfer(step, transfer, 1.0) == pytest.approx(max(step, transfer))


@given(experts=st.integers(2, 64), rows=st.integers(1, 50), data=st.data())
def test_even_chances_add_up_to_the_distinct_experts(experts: int, rows: int, data: st.DataObject) -> None:
    """The ranked refinement with every popularity k / E is the formula for even routing."""
    chosen = data.draw(st.integers(1, experts))
    popular = np.full(experts, chosen / experts)
    assert chance_met(popular, rows).sum() == pytest.approx(distinct_experts(experts, chosen, rows))


def test_ranks_by_hand() -> None:
    """Four experts, one chosen, exponent 1: 1, 1/2, 1/3, 1/4 add up to 25/12, so 12/25 of tokens go to the first."""
    popular = ranked_popularity(1.0, np.arange(1.0, 5.0), 1.0, 25 / 12)
    np.testing.assert_allclose(popular, [12 / 25, 6 / 25, 4 / 25, 3 / 25])
