"""The roofline against datasheets, sums done by hand, and its limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models import roofline

H200_PEAK, H200_BANDWIDTH = 989e12, 4.8e12


def test_ridge_of_an_h200() -> None:
    """NVIDIA H200 datasheet: 989 TFLOP/s dense BF16 over 4.8 TB/s = 206 FLOP/B."""
    assert roofline.ridge_intensity(H200_PEAK, H200_BANDWIDTH) == pytest.approx(206, rel=0.001)


def test_critical_batch_is_the_ridge_for_two_byte_weights() -> None:
    """989e12 x 2 B / (2 x 4.8e12) = 206 tokens; with 160 experts of which 8 are chosen 20 times that."""
    dense = roofline.critical_batch(H200_PEAK, H200_BANDWIDTH, 2.0)
    assert dense == pytest.approx(206, rel=0.001)
    assert roofline.critical_batch(H200_PEAK, H200_BANDWIDTH, 2.0, 160, 8) == pytest.approx(20 * dense)


@given(st.floats(1e-3, 1e5), st.floats(1e9, 1e18), st.floats(1e9, 1e17))
def test_attainable_rate_stays_under_both_ceilings(intensity: float, peak: float, bandwidth: float) -> None:
    rate = roofline.attainable_rate(intensity, peak, bandwidth)
    assert rate <= peak
    assert rate <= bandwidth * intensity
    assert roofline.attainable_rate(2 * intensity, peak, bandwidth) >= rate
    ridge = roofline.ridge_intensity(peak, bandwidth)
    assert roofline.attainable_rate(ridge, peak, bandwidth) == pytest.approx(peak)


@given(st.floats(1.0, 1e12), st.floats(1.0, 1e15))
def test_time_and_rate_are_two_readings_of_one_roof(traffic: float, work: float) -> None:
    """work / time = attainable rate at intensity work / traffic."""
    time = roofline.ideal_operator_time(traffic, H200_BANDWIDTH, work, H200_PEAK)
    intensity = roofline.arithmetic_intensity(work, traffic)
    assert work / time == pytest.approx(roofline.attainable_rate(intensity, H200_PEAK, H200_BANDWIDTH))


def test_palm_utilisation() -> None:
    """PaLM 540B, arXiv 2204.02311 table 3: 238.3 thousand tokens/s on 6,144 TPU v4 (275 TFLOP/s), 46.2 % MFU.

    Appendix B: 6 x 540.35e9 + 12 x 118 layers x 48 heads x 256 x 2,048 tokens = 3.278e12 FLOP a token.
    """
    work = 6 * 540.35e9 + 12 * 118 * 48 * 256 * 2048
    assert roofline.model_flop_utilisation(238.3e3, work, 6144, 275e12) == pytest.approx(0.462, abs=0.001)


def test_bandwidth_utilisation_by_definition() -> None:
    """Databricks 2023: 7B in 16 bit at 14 ms a token moves 14 GB / 14 ms = 1 TB/s, half of a 2 TB/s machine."""
    assert roofline.model_bandwidth_utilisation(14e9, 14e-3, 1, 2e12) == pytest.approx(0.5)
