"""Runs and requests that did not end well: where they begin, how many there are, and that they are never healthy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.diagnosis import ENDED_BADLY, Sweep, diagnose_series, diagnose_sweep
from tests.analysis.diagnosis.constructed import full, healthy_series
from tests.analysis.diagnosis.ended_badly import ENDINGS, onset, sound

WITHOUT_FIGURES = ("out_of_memory", "runs_fail", "invalid")


def test_every_ending_has_a_case_and_a_sound_sweep_has_none() -> None:
    assert set(ENDINGS) == set(ENDED_BADLY)
    assert all(diagnose_sweep(sound(seed)) == () for seed in range(20))


@pytest.mark.parametrize("kind", WITHOUT_FIGURES)
@pytest.mark.parametrize("seed", range(5))
def test_runs_without_figures_begin_where_they_begin(kind: str, seed: int) -> None:
    """Loads 1, 2, 4 to 64; the onset is one of the last five, and the load before it still ran."""
    made = ENDINGS[kind](seed)
    assert isinstance(made, Sweep)
    found = diagnose_sweep(made)[0]
    assert found.at == tuple(range(onset(seed), 7))
    assert f"at a load of {2 ** onset(seed)}" in found.words
    assert f"A load of {2 ** (onset(seed) - 1)} still ran" in found.words
    assert f"{7 - onset(seed)} of 7 runs" in found.brief
    assert found.confidence == "clear"


def test_failed_requests_are_counted_by_hand() -> None:
    """8 of 1,000 at 64 and 125 of 1,000 at 256: 0.8 % and 12.5 %; the first load had none."""
    made = Sweep(kind="concurrency", load=np.array([16.0, 64.0, 256.0]), sent=np.full(3, 1000.0),
                 output_rate=np.array([1412.0, 3965.0, 6240.0]), outcomes=("ok", "partial", "partial"),
                 failed_fraction=np.array([0.0, 0.008, 0.125]))  # fmt: skip
    found = diagnose_sweep(made)
    assert [each.kind for each in found] == ["requests_fail"]
    assert found[0].at == (1, 2)
    assert found[0].brief == "12.5 % (125 of 1,000) at a load of 256, the first at a load of 64"
    assert "begin at a load of 64, with 0.8 % (8 of 1,000)" in found[0].words


@pytest.mark.parametrize("outcome", ["partial", "failed", "oom", "invalid"])
def test_one_run_that_did_not_end_well_is_never_healthy(outcome: str) -> None:
    """A single run, its load known or not, counts known or not."""
    for load in (16.0, np.nan):
        made = Sweep(kind="concurrency", load=np.array([load]), outcomes=(outcome,))  # type: ignore[arg-type]
        found = diagnose_sweep(made)
        assert len(found) == 1
        assert "nan" not in found[0].words + found[0].brief
        assert ("a load of 16" in found[0].words) is (load == 16.0)


def test_a_few_failed_requests_do_not_hide_what_the_figures_show() -> None:
    """5 of 1,000 at the last load of a server that is full: saturation first, the failures after it."""
    made = full(0)
    assert isinstance(made, Sweep)
    few = np.zeros(len(made.load))
    few[-1] = 0.005
    kinds = [each.kind for each in diagnose_sweep(replace(made, failed_fraction=few, sent=np.full(len(few), 1000.0)))]
    assert kinds == ["saturates", "requests_fail"]


def test_an_arrival_rate_is_still_seen_to_fall_behind_below_a_run_that_died() -> None:
    """16 of 20 requests a second answered, and nothing at 40: both are told, and the dead run is no level."""
    made = Sweep(kind="rate", load=np.array([5.0, 10.0, 20.0, 40.0]),
                 delivered_fraction=np.array([1, 1, 0.8, np.nan]),
                 output_rate=np.array([500.0, 1e3, 1600.0, np.nan]), outcomes=("ok", "ok", "ok", "failed"))  # fmt: skip
    assert [each.kind for each in diagnose_sweep(made)] == ["runs_fail", "saturates"]


def test_failures_over_time_say_when() -> None:
    calm = healthy_series(4)
    count = len(calm.time_s)
    share = np.zeros(count)
    share[5:] = 0.1
    found = diagnose_series(replace(calm, failed_fraction=share, sent=np.full(count, 20.0)))
    assert [each.kind for each in found] == ["requests_fail"]
    assert found[0].brief == "10 % (2 of 20) after 50 s"
