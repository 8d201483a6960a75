"""One list of checks for every quantity shown."""

from __future__ import annotations

import pytest

from analysis.metrics import METRICS, Metric, metric
from data.errors import UnknownNameError
from data.unit_printing import UNIT_SPACE
from data.units import parse_quantity, unit_of_suffix

EVERY = pytest.mark.parametrize("shown", METRICS.values(), ids=METRICS.keys())


@EVERY
def test_key_and_unit_agree(shown: Metric) -> None:
    """A column whose name ends in a unit has that unit; percent is a unit of print for shares only."""
    named = unit_of_suffix(shown.key)[1]
    if shown.unit == "percent":
        assert shown.key.endswith("_fraction") or shown.key.startswith("share_")
    elif named:
        assert parse_quantity(f"1 {shown.unit}") == parse_quantity(f"1 {named}")


@EVERY
def test_every_metric_prints(shown: Metric) -> None:
    assert shown.label
    assert shown.digits in (2, 3) or (shown.digits == 4 and shown.key.startswith("hit_"))  # 99.53 % is not 99.5 %
    assert shown.format(None) == "–"
    assert shown.format(0.25)
    arrow = shown.axis_title()[-1]
    assert (arrow in "→←") == (shown.better != "none")


def test_axis_titles_point_toward_better() -> None:
    assert metric("tokens_per_s_per_user").axis_title() == "tokens/s per user (tok/s) →"
    assert metric("memory_needed_byte").axis_title("G") == "memory needed (GB) ←"
    assert metric("rate_flop_per_s").axis_title(vertical=True) == "arithmetic rate (FLOP/s) ↑"


def test_formats() -> None:
    assert metric("bandwidth_byte_per_s").format(4.8e12) == f"4.8{UNIT_SPACE}TB/s"
    assert metric("bandwidth_used_fraction").format(0.162) == f"16{UNIT_SPACE}%"


def test_an_unknown_metric_is_named_with_its_neighbours() -> None:
    with pytest.raises(UnknownNameError, match="tokens_per_s_per_user"):
        metric("tokens_per_user")
