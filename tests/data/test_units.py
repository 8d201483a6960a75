"""Units against hand arithmetic: decimal and binary bytes, bits, currencies, printing to three digits."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import UnitError
from data.units import (
    format_number,
    format_quantity,
    is_in_bits,
    parse_quantity,
    quantity,
    same_dimension,
    unit_of_suffix,
)

# text, SI value by hand, unit
READ = [
    ("4.8 TB/s", 4.8e12, "byte/s"),
    ("141 GB", 141 * 10**9, "byte"),
    ("141GB", 141 * 10**9, "byte"),
    ("24 GiB", 24 * 1024**3, "byte"),
    ("1 KiB", 1024, "byte"),
    ("1 kB", 1000, "byte"),
    ("97887 MiB", 97887 * 1048576, "byte"),
    ("214 Pb/s", 214e15 / 8, "byte/s"),  # 26.75 PB/s
    ("214 PB/s", 214e15, "byte/s"),
    ("1.2 Tbps", 150e9, "byte/s"),
    ("400 Gbit/s", 50e9, "byte/s"),
    ("989.4 TFLOP/s", 989.4e12, "flop/s"),
    ("989.4 TFLOPS", 989.4e12, "flop/s"),
    ("206 FLOP/B", 206, "flop/byte"),
    ("1,200 tok/s", 1200, "token/s"),
    ("30 tokens/s/user", 30, "token/s"),
    ("12 ms", 0.012, "s"),
    ("12 µs", 12e-6, "s"),
    ("2 minutes", 120, "s"),
    ("23 kW", 23000, "W"),
    ("3 kWh", 3 * 3.6e6, "J"),
    ("62 %", 0.62, ""),
    ("900,000", 900000, ""),
    ("1e12 B/s", 1e12, "byte/s"),
    ("0.5 J/token", 0.5, "J/token"),
    ("4.8\u202fTB/s", 4.8e12, "byte/s"),
]


@pytest.mark.parametrize(("text", "value", "unit"), READ)
def test_reads_a_quantity(text: str, value: float, unit: str) -> None:
    found = parse_quantity(text)
    assert found.unit == unit
    assert math.isclose(found.value_si, value, rel_tol=1e-12)


def test_expected_unit_keeps_hours_and_millions() -> None:
    """$2.50 an hour stays 2.5 when asked for per hour; $3 a million tokens stays 3."""
    assert parse_quantity("$2.50/hour", "usd/hour").value_si == pytest.approx(2.5)
    assert parse_quantity("3 USD/Mtok", "usd/Mtoken").value_si == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 TB", "byte/s"),
        ("5 TB/s", "byte"),
        ("700", "W"),
        ("4.8 gb/s", "byte/s"),  # neither GB nor Gb
        ("5 mb/s", "byte/s"),  # a thousandth of a bit is nobody's meaning
        ("five GB", "byte"),
        ("", "byte"),
        ("GB", "byte"),
        ("nan GB", "byte"),
        ("inf GB", "byte"),
        ("5 TFLOP", "flop/s"),
        ("5 Q", "byte"),
        ("1.2.3 GB", "byte"),
        ("12,34 GB", "byte"),
        ("5 GB; import os", "byte"),
        ("1e999999999999999999999 GB", "byte"),
        ("1e400 GB", "byte"),
        ("9" * 400 + " GB", "byte"),
        ("1 GB 1 GB", "byte"),
        ("5 GB/", "byte"),
        ("1 GB**2", "byte"),
        ("١٢ GB", "byte"),
    ],
)
def test_refuses_and_says_found_expected_remedy(text: str, expected: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, expected, where="chips/x.yaml, memory_byte")
    assert "chips/x.yaml" in str(caught.value)
    assert repr(text) in caught.value.found
    assert expected in caught.value.expected


def test_bits_are_told_from_bytes() -> None:
    assert all(is_in_bits(text) for text in ("214 Pb/s", "400Gbps", "24 Gbit/s", "24 Gb"))
    assert not any(is_in_bits(text) for text in ("214 PB/s", "141 GB", "24 GiB", "989 TFLOP/s", "12 ms", "3 B"))


@pytest.mark.parametrize(
    ("name", "symbol", "unit"),
    [
        ("bandwidth_byte_per_s", "bandwidth", "byte/s"),
        ("peak_flop_per_s", "peak", "flop/s"),
        ("peak_int8_op_per_s", "peak_int8", "op/s"),
        ("intensity_flop_per_byte", "intensity", "flop/byte"),
        ("ttft_s", "ttft", "s"),
        ("memory_byte", "memory", "byte"),
        ("context_tokens", "context", "token"),
        ("tokens", "tokens", "token"),
        ("power_w", "power", "W"),
        ("price_usd_per_hour", "price", "usd/hour"),
        ("rate_per_s", "rate", "1/s"),
        ("cache_byte_per_token", "cache", "byte/token"),
        ("state_byte_per_sequence", "state", "byte"),
        ("tokens_per_s_per_user", "tokens_per_s_per_user", "token/s"),
        ("energy_joule_per_token", "energy", "J/token"),
        ("cost_usd_per_million_tokens", "cost", "usd/Mtoken"),
        ("layers", "layers", ""),
        ("experts_per_token", "experts_per_token", ""),
        ("kv_heads", "kv_heads", ""),
    ],
)
def test_suffix_names_the_unit(name: str, symbol: str, unit: str) -> None:
    assert unit_of_suffix(name) == (symbol, unit)


@pytest.mark.parametrize("name", ["memory_gb", "ttft_ms", "bandwidth_gb_per_s", "peak_tflops", "power_kw"])
def test_suffix_in_another_scale_is_refused(name: str) -> None:
    with pytest.raises(UnitError):
        unit_of_suffix(name)


PRINTED = [
    (4.8e12, "byte/s", "4.8 TB/s"),
    (141e9, "byte", "141 GB"),
    (989.4e12, "flop/s", "989 TFLOP/s"),
    (206.04, "flop/byte", "206 FLOP/B"),
    (0.5, "byte/s", "0.5 B/s"),  # no prefix below one: never 500 mB/s
    (999.96e9, "byte", "1 TB"),  # rounding carries into the next prefix
    (1234, "token/s", "1,230 tok/s"),
    (12345, "token/s", "12.3k tok/s"),
    (1.4e6, "token/s", "1.4M tok/s"),
    (131072, "token", "131k tok"),
    (8192, "token", "8,192 tok"),
    (0.0123, "s", "12.3 ms"),
    (1.2e-6, "s", "1.2 µs"),
    (3600.0, "s", "3,600 s"),
    (2.5, "usd/hour", "$2.50/h"),
    (3.0, "usd/Mtoken", "$3.00/M tok"),
    (123456, "usd", "$123,000"),
    (23e3, "W", "23 kW"),
    (0.62, "percent", "62 %"),
    (21e15, "byte/s", "21 PB/s"),
    (327680, "byte/token", "328 kB/tok"),
    (-5.2e9, "byte", "−5.2 GB"),
    (0, "s", "0 s"),
]


@pytest.mark.parametrize(("value", "unit", "text"), PRINTED)
def test_prints_three_digits(value: float, unit: str, text: str) -> None:
    assert format_quantity(value, unit).replace("\u00a0", " ") == text


def test_missing_is_a_dash_and_the_space_is_thin() -> None:
    assert format_quantity(None, "s") == format_quantity(math.nan, "byte") == format_number(None) == "–"
    assert "\u00a0" in format_quantity(1e9, "byte")
    assert " " not in format_quantity(1e9, "byte")


def test_numbers() -> None:
    assert format_number(1024) == "1,024"
    assert format_number(0.6234) == "0.623"
    assert format_number(70_553_706_496).replace("\u00a0", " ") == "70.6 billion"


@given(st.text(max_size=30) | st.from_regex(r"[0-9.,eE+-]{1,9} ?[a-zA-Z/$%µ*]{0,9}", fullmatch=True))
def test_any_text_is_read_or_refused_in_our_words(text: str) -> None:
    with suppress(UnitError):
        assert math.isfinite(parse_quantity(text).value_si)


@given(st.floats(min_value=1e-3, max_value=1e20), st.sampled_from(["byte/s", "byte", "flop/s", "W", "flop/byte"]))
def test_what_is_printed_reads_back_within_its_digits(value: float, unit: str) -> None:
    """Three significant digits are off by at most half a unit of the third: 0.5 %."""
    back = parse_quantity(format_quantity(value, unit), unit).value_si
    assert math.isclose(back, value, rel_tol=5.1e-3)


def test_quantities_multiply_by_dimension() -> None:
    """2 B/s for 3 s are 6 B, on arrays too; bytes and FLOP do not add."""
    moved = quantity(np.array([2.0, 4.0]), "byte/s") * quantity(3.0, "s")
    assert moved.check(quantity(1.0, "byte").dimensionality)
    assert list(moved.magnitude) == [6.0, 12.0]
    with pytest.raises(Exception, match="byte"):
        _ = quantity(1.0, "byte") + quantity(1.0, "flop")
    assert same_dimension("TB/s", "byte/s")
    assert not same_dimension("byte", "byte/s")
