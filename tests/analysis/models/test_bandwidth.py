"""Bandwidth need against published claims and its own inverses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models import bandwidth, mesh

WSE3_BYTE_PER_S, H100_BYTE_PER_S = 21e15, 3.35e12


def test_wafer_against_h100() -> None:
    """21 PB/s (Cerebras) over 3.35 TB/s (NVIDIA H100 SXM datasheet) = 6,269, where an article prints 7,000."""
    ratio = bandwidth.naive_rate(1, WSE3_BYTE_PER_S, 1e9) / bandwidth.naive_rate(1, H100_BYTE_PER_S, 1e9)
    assert ratio == pytest.approx(6269, abs=1)


@pytest.mark.parametrize(
    ("weights", "width_byte", "required"),
    [(355e9, 2.0, 710e12), (32e9, 2.0, 64e12), (32e9, 1.0, 32e12)],
)
def test_glm_at_a_thousand_tokens(weights: float, width_byte: float, required: float) -> None:
    """GLM-4.6 card, 355B with 32B active, 1,000 tok/s: dense reading 710 TB/s, active 64, active in FP8 32."""
    read = bandwidth.read_per_step(weights * width_byte, 1, 0.0)
    assert bandwidth.required_bandwidth(1000, read) == required


def test_eight_billion_uses_a_thousandth_of_a_wafer() -> None:
    """8B in 16 bit at 1,837 tok/s (vendor): 7.50e9 weights met x 2 B x 1,837 = 27.6 TB/s = 0.13 % of 21 PB/s."""
    required = bandwidth.required_bandwidth(1837, 2 * 7_504_924_672.0)
    assert required / WSE3_BYTE_PER_S == pytest.approx(0.0013, rel=0.02)


def test_naive_bound_and_what_one_stream_reads() -> None:
    """WSE-3, 8B: 21e15 / 15.0e9 = 1,400,000 naive; a region of one layer holds 1/32 and has 1/32 of the bandwidth.

    All 16.06 GB: read once per region 16.06e9 / 21e15 = 0.765 us, 32 regions a token = 40,900 tok/s.
    """
    assert bandwidth.naive_rate(1, WSE3_BYTE_PER_S, 15.0e9) == pytest.approx(1.4e6, rel=0.01)
    assert 1 / (32 * mesh.region_read_time(16.06e9, 1, WSE3_BYTE_PER_S)) == pytest.approx(40_900, rel=0.002)


positive = st.floats(1e9, 1e12)


@given(devices=st.integers(1, 64), weight=positive, cache=st.floats(1e6, 1e9), sequences=st.integers(1, 64))
def test_required_bandwidth_at_the_allowed_rate_is_the_bandwidth(
    devices: int, weight: float, cache: float, sequences: int
) -> None:
    read = bandwidth.read_per_step(weight, sequences, cache)
    rate = bandwidth.naive_rate(devices, H100_BYTE_PER_S, read)
    assert bandwidth.required_bandwidth(rate, read) == pytest.approx(devices * H100_BYTE_PER_S)
    assert bandwidth.devices_for_rate(rate * 0.999999, read, H100_BYTE_PER_S) == devices


@given(
    weights=st.floats(1e9, 1e11),
    width=st.floats(0.5, 2.0),
    context=st.integers(1, 200_000),
    growing=st.floats(1e3, 1e6),
)
def test_inverses_return_what_went_in(weights: float, width: float, context: int, growing: float) -> None:
    read = bandwidth.read_per_step(weights * width, 4, context * growing)
    rate = bandwidth.naive_rate(8, H100_BYTE_PER_S, read)
    solved_width = bandwidth.weight_width_for_rate(rate, 8, H100_BYTE_PER_S, 4 * context * growing, weights)
    assert solved_width == pytest.approx(width, rel=1e-4)
    solved_context = bandwidth.context_for_rate(rate, 8, H100_BYTE_PER_S, weights * width, 4, 0.0, growing)
    assert solved_context * growing == pytest.approx(context * growing, abs=1e-6 * read)
    at_a_little_less = bandwidth.sequences_for_rate(
        rate * 0.99999, 8, H100_BYTE_PER_S, weights * width, context * growing
    )
    assert at_a_little_less >= 4


@given(st.floats(1.0, 1e4), st.floats(1e9, 1e12), st.floats(1.0, 8.0))
def test_speculation_divides_the_need(target: float, read: float, accepted: float) -> None:
    plain, drafted = bandwidth.required_bandwidth(target, read), bandwidth.required_bandwidth(target, read, accepted)
    assert drafted == pytest.approx(plain / accepted)
