"""Regressions are found in time and noise is left alone, shown by simulation; sums against arithmetic by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from analysis.models.change import alarm_limit, correlated_noise, run_length
from analysis.monitoring import SIGNALS, alarms, watched
from analysis.monitoring.changes import BASELINE_SCRAPES, evidence_of

ITL = SIGNALS[0]


def series(rows: int, seed: int, *, noise: float = 0.03, shift: float = 0.0, at: int = 0) -> pd.DataFrame:
    """Times between tokens of 10 ms with noise; from row `at` longer by `shift`. Load stands still."""
    values = 0.010 * np.exp(np.random.default_rng(seed).normal(0, noise, rows))
    values[at:] *= 1 + shift
    blank = {signal.key: np.full(rows, np.nan) for signal in SIGNALS}
    return pd.DataFrame(blank | {"itl_s": values, "running": np.full(rows, 8.0)})


def test_evidence_by_hand() -> None:
    """Allowance 0.5: 0, 1 - .5 = .5, .5 + 2 - .5 = 2, unknown stays 2, 2 - 3 - .5 < 0 -> 0."""
    found = evidence_of(np.array([9.0, 1.0, 2.0, np.nan, -3.0]), 0.5, 1)
    np.testing.assert_allclose(found, [np.nan, 0.5, 2.0, 2.0, 0.0])


def test_the_limit_gives_back_its_run_length_and_published_lengths_hold() -> None:
    """Allowance 0.5, limit 5: tables give 930 observations between false alarms (Hawkins and Olwell 1998, 931)."""
    assert run_length(0.5, 5.0) == pytest.approx(931, rel=0.02)
    for allowance in (0.25, 0.8, 1.0):
        assert run_length(allowance, alarm_limit(allowance, 1e6)) == pytest.approx(1e6, rel=0.01)


def test_noise_that_follows_itself_is_wider() -> None:
    """Correlation 0.6: sqrt(1.6 / 0.4) = 2."""
    assert correlated_noise(1.0, 0.6) == pytest.approx(2.0)


def test_a_regression_of_5_percent_under_3_percent_noise_is_found_within_20_scrapes() -> None:
    """300 servers, each slower by 5 % from some scrape on: found within 20 in at least 95 of 100, none before."""
    at, found = BASELINE_SCRAPES + 30, []
    for seed in range(300):
        table = series(at + 20, seed, shift=0.05, at=at)
        found += alarms(watched(table))
    assert sum(each.found >= at for each in found) >= 0.95 * 300
    assert sum(each.found < at for each in found) <= 3
    assert np.median([each.shift for each in found]) == pytest.approx(0.05, abs=0.015)
    assert np.median([each.began for each in found]) == pytest.approx(at, abs=3)


def test_less_than_one_false_alarm_in_50_000_scrapes() -> None:
    """40 healthy series of 50,000 scrapes after their own baselines; an alarm starts its sum anew. Four series are
    watched at once, so each may raise a quarter."""
    runs, rows = 40, 50_000
    noise = np.random.default_rng(5).normal(0, 0.03, (BASELINE_SCRAPES + rows, runs))
    watches = []
    for run in range(runs):
        start = series(BASELINE_SCRAPES + 1, 0)
        start["itl_s"] = 0.010 * np.exp(noise[: BASELINE_SCRAPES + 1, run])
        watches += [each for each in watched(start) if each.signal is ITL]
    level, width, allowance, limit = (
        np.array([getattr(each, name) for each in watches]) for name in ("level", "noise", "allowance", "limit")
    )
    distances = (noise[BASELINE_SCRAPES:] + math.log(0.010) - np.log(level)) / width
    over = evidence_of(distances, allowance, 0) > limit
    assert (over[1:] & ~over[:-1]).sum() / runs < 0.25


def test_a_server_that_gets_faster_raises_no_alarm() -> None:
    table = series(400, 3, shift=-0.2, at=250)
    assert alarms(watched(table)) == []


def test_throughput_falls_where_latency_rises() -> None:
    """Output rate down by 10 %: worse for a rate, and named by its sign."""
    table = series(320, 4, shift=-0.1, at=260)
    table = table.assign(output_tokens_per_s=table["itl_s"], itl_s=np.nan)
    found = alarms(watched(table))
    assert [each.signal.key for each in found] == ["output_tokens_per_s"]
    assert found[0].shift == pytest.approx(-0.1, abs=0.03)


def test_a_load_that_grows_is_no_regression() -> None:
    """Tokens come 2 % slower for each tenth more users, as in the baseline: the same law goes on, so no alarm."""
    rng = np.random.default_rng(8)
    running = np.exp(rng.uniform(1.0, 3.0, 400))
    running[250:] *= 1.6
    table = series(400, 9)
    table["running"] = running
    table["itl_s"] *= (1 + running) ** 0.2
    assert alarms(watched(table)) == []
    slower = table.assign(itl_s=np.where(np.arange(400) >= 300, 1.1, 1.0) * table["itl_s"])
    assert len(alarms(watched(slower))) == 1


def test_a_load_that_is_not_told_is_not_taken_as_none() -> None:
    """As above, but the gauge of running requests is missing from half of the later scrapes: still no regression."""
    rng = np.random.default_rng(8)
    running = np.exp(rng.uniform(1.0, 3.0, 400))
    table = series(400, 9)
    table["itl_s"] *= (1 + running) ** 0.2
    table["running"] = np.where((np.arange(400) > 210) & (np.arange(400) % 2 == 0), np.nan, running)
    assert alarms(watched(table)) == []
    (watch,) = watched(table)
    assert np.isnan(watch.settled[212])


def test_too_short_a_baseline_watches_nothing() -> None:
    assert watched(series(20, 1)) == []
    table = series(300, 1)
    table["itl_s"] = np.where(np.arange(300) < 190, np.nan, table["itl_s"])
    assert watched(table) == []
