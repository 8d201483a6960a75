"""Whole layers on wafers, against published deployments and sums done by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models import placement

# Llama 3.1 70B, two bytes a weight: 80 layers, width 8192, 64 query and 8 cached heads of 128, MLP 28672, vocabulary
# 128256. A layer: 2 x (8192 x 80 x 128 + 8192 x 8192 + 3 x 8192 x 28672) = 1,711,276,032 B; a table 2 x 8192 x 128256.
LAYER_BYTE = 2.0 * (8192 * 80 * 128 + 8192 * 8192 + 3 * 8192 * 28672)
TABLE_BYTE = 2.0 * 8192 * 128256
WEIGHT_BYTE = 2.0 * 70_553_706_496
CACHE_BYTE_PER_TOKEN = 80 * 2 * 8 * 128 * 2.0
WAFER_BYTE = 44e9
USABLE_BYTE = 0.95 * WAFER_BYTE


def seventy_billion(devices: float) -> float:
    return float(placement.placed_cache_room(80.0, devices, USABLE_BYTE, LAYER_BYTE, TABLE_BYTE, TABLE_BYTE))


def test_seventy_billion_pooled_room() -> None:
    """Published: 26 GB, 79,600 tokens. 4 x 41.8 - 141.1 = 26.1 GB; / 327,680 B = 79,600; 19 streams of 4K."""
    room_byte = placement.pooled_cache_room(4.0, USABLE_BYTE, WEIGHT_BYTE)
    assert room_byte == pytest.approx(26.1e9, rel=0.002)
    assert room_byte / CACHE_BYTE_PER_TOKEN == pytest.approx(79_600, rel=0.001)
    assert room_byte / CACHE_BYTE_PER_TOKEN // 4096 == 19


def test_seventy_billion_placed_room() -> None:
    """Last wafer: 41.8 - 20 x 1.711 - 2.101 = 5.473 GB over 20 x 4,096 B a token = 66,800 tokens; 16 streams of 4K."""
    tokens = seventy_billion(4.0) / CACHE_BYTE_PER_TOKEN
    assert tokens == pytest.approx(66_800, rel=0.001)
    assert tokens // 4096 == 16


def test_one_wafer_down() -> None:
    """Three wafers: 27 layers on one are 46.2 GB, above 41.8: the model no longer runs."""
    assert seventy_billion(3.0) < 0


@pytest.mark.parametrize(
    ("weight_byte", "fraction", "wafers"),
    [
        (WEIGHT_BYTE, placement.OBSERVED_WEIGHT_FRACTION, 4),  # Cerebras, August 2024: 70B in 16 bit on four
        (WEIGHT_BYTE, placement.PLANNED_WEIGHT_FRACTION, 6),  # 141.1 / 26.4 = 5.3
        (352_797_829_024 * 1.0, placement.OBSERVED_WEIGHT_FRACTION, 11),  # GLM-4.6 in FP8: 11 at 80 % fill
        (352_797_829_024 * 2.0, placement.OBSERVED_WEIGHT_FRACTION, 21),  # GLM-4.6 in BF16: 21
    ],
)
def test_wafers_by_fill(weight_byte: float, fraction: float, wafers: int) -> None:
    assert placement.wafers_by_fill(weight_byte, WAFER_BYTE, fraction) == wafers


def test_seventy_billion_needs_four_wafers() -> None:
    """A wafer takes (41.8 - 2.1) / (1.711 + 0.017) = 22 layers, 80 / 22 asks for 4; the fill rule for 4 too."""
    cache_byte = 4096 * CACHE_BYTE_PER_TOKEN
    needed = placement.wafers_needed(80.0, USABLE_BYTE, WAFER_BYTE, LAYER_BYTE, TABLE_BYTE, WEIGHT_BYTE, cache_byte)
    assert needed == 4


def test_a_layer_larger_than_a_wafer_has_no_answer() -> None:
    assert np.isinf(placement.wafers_by_layers(10.0, 40e9, 50e9, 1e9, 0.0))


@given(layers=st.integers(1, 130), share=st.integers(1, 130))
def test_layout_places_every_layer(layers: int, share: int) -> None:
    """First, last and middle wafers together hold all layers, and no wafer more than the fullest."""
    devices = min(layers, share)
    fullest = placement.layers_on_fullest(layers, devices)
    first, last = placement.layers_on_first(layers, devices), placement.layers_on_last(layers, devices)
    assert last <= first <= fullest
    if devices == 1:
        assert first == last == layers
        return
    middle = layers - first - last
    assert (devices - 2) * last <= middle <= (devices - 2) * fullest


@given(devices=st.integers(4, 80))
def test_placed_room_is_never_above_the_pool(devices: int) -> None:
    assert seventy_billion(float(devices)) <= placement.pooled_cache_room(devices, USABLE_BYTE, WEIGHT_BYTE)


@given(
    layers=st.integers(2, 90),
    layer_byte=st.floats(0.5e9, 8e9),
    table_byte=st.floats(0.0, 4e9),
    cache_byte=st.floats(0.0, 60e9),
)
def test_needed_wafers_do_hold_it(layers: int, layer_byte: float, table_byte: float, cache_byte: float) -> None:
    """Two routes: the count from whole layers leaves at least the room that was asked for."""
    weight_byte = layers * layer_byte + 2 * table_byte
    needed = placement.wafers_needed(layers, USABLE_BYTE, WAFER_BYTE, layer_byte, table_byte, weight_byte, cache_byte)
    if needed <= layers:
        room = placement.placed_cache_room(layers, needed, USABLE_BYTE, layer_byte, table_byte, table_byte)
        assert room >= cache_byte * (1 - 1e-9) - 1.0
