"""Bytes per device, against sums done by hand and physics."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models import memory_fit


def test_seventy_billion_on_two_h100() -> None:
    """141.1 GB of weights over tp 2 is 70.55 GB a card; 0.9 x 80 - 70.55 - 2 is below zero once activations count."""
    activation = memory_fit.activation_per_device(8192.0, 2.0, 8192.0, 2.0)
    assert activation == pytest.approx(1.61e9, rel=0.01)  # 24 x 8192 x 2 B x 8192 / 2
    budget = memory_fit.memory_budget(80e9, 0.9, activation, 2e9)
    assert memory_fit.largest_batch(budget, 70.55e9, 327_680 * 4096 / 2) == 0


def test_eight_billion_on_one_h100() -> None:
    """0.9 x 80 - 1.61 x 1 (24 x 4096 x 2 x 8192) - 2 - 16.06 GB = 52.3 GB; / (131,072 B x 4,096) = 97 sequences."""
    activation = memory_fit.activation_per_device(4096.0, 2.0, 8192.0, 1.0)
    budget = memory_fit.memory_budget(80e9, 0.9, activation, 2e9)
    assert memory_fit.largest_batch(budget, 16.06e9, 131_072 * 4096.0) == 97


@pytest.mark.parametrize(
    ("tp", "dp", "kv_heads", "copies"),
    [(1, 1, 8, 1), (8, 1, 8, 1), (16, 1, 8, 2), (8, 1, 1, 8), (8, 8, 1, 1), (8, 2, 1, 4)],
)
def test_cache_copies(tp: int, dp: int, kv_heads: int, copies: int) -> None:
    """(M3): tp / kv_heads for grouped heads; a latent cache is copied to every rank, unless dp."""
    assert memory_fit.cache_copies(tp, dp, kv_heads) == copies


def test_pages_round_up() -> None:
    """vLLM's blocks of 16: 1,000 tokens take 63 blocks = 1,008 tokens; 1,008 take no more."""
    assert memory_fit.paged_context(1000.0) == 1008
    assert memory_fit.paged_context(1008.0) == 1008


def test_attention_weights_split() -> None:
    """GLM-4.6 layer: queries and output 2 x 5120 x 12288, keys and values 2 x 5120 x 1024; tp 16 keeps two copies."""
    by_heads, by_kv_heads = 2 * 5120 * 12288.0, 2 * 5120 * 1024.0
    copies = memory_fit.cache_copies(16.0, 1.0, 8.0)
    held = memory_fit.attention_weight_per_device(by_heads, by_kv_heads, 0.0, copies, 16.0, 1.0, 1.0)
    assert held == by_heads / 16 + by_kv_heads / 8


@given(
    context=st.integers(1, 200_000),
    sequences=st.integers(1, 64),
    growing=st.floats(1e3, 1e6),
    free=st.floats(1e9, 1e12),
)
def test_largest_context_fits_and_one_page_more_does_not(
    context: int, sequences: int, growing: float, free: float
) -> None:
    longest = memory_fit.largest_context(free, 0.0, sequences, 1e6, growing)
    if longest:
        assert sequences * (longest * growing + 1e6) <= free * (1 + 1e-12)
    assert sequences * ((longest + 16) * growing + 1e6) > free * (1 - 1e-12)


@given(tp=st.sampled_from([1, 2, 4, 8, 16]), context=st.integers(16, 100_000))
def test_largest_batch_falls_with_context_and_rises_with_devices(tp: int, context: int) -> None:
    def batch(tp: float, context: float) -> float:
        copies = memory_fit.cache_copies(tp, 1.0, 8.0)
        one = memory_fit.cache_per_device(1.0, 131_072.0 * context, 0.0, copies, tp, 1.0)
        return float(memory_fit.largest_batch(60e9, 16e9 / tp, one))

    assert batch(tp, context) >= batch(tp, context + 1000)
    assert batch(2 * tp, context) >= batch(tp, context)


def test_devices_by_capacity() -> None:
    """162 GB over 141 GB cards asks for two; 141.1 GB over 41.8 GB for four."""
    assert memory_fit.devices_by_capacity(162e9, 141e9, 0.0) == 2
    assert memory_fit.devices_by_capacity(141.1e9, 41.8e9, 0.0) == 4
