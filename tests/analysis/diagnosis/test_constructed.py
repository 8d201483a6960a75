"""All kinds on constructed cases with noise, healthy ones without alarm, and published serving sweeps."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest

from analysis.calibration.runs import serving_runs
from analysis.diagnosis import KINDS, Finding, Series, Sweep, diagnose_series, diagnose_sweep
from analysis.engine import evaluate
from analysis.parameters import starting_parameters
from tests.analysis.diagnosis.constructed import healthy_series, healthy_sweep
from tests.analysis.diagnosis.ended_badly import ALL_CASES as CASES

FOUR = range(4)
MANY = range(40)
HEALTHY = 400


def diagnosed(observed: Sweep | Series) -> tuple[Finding, ...]:
    return diagnose_sweep(observed) if isinstance(observed, Sweep) else diagnose_series(observed)


def test_every_kind_has_constructed_cases() -> None:
    assert set(CASES) == set(KINDS)


@pytest.mark.parametrize("seed", FOUR)
@pytest.mark.parametrize("kind", KINDS)
def test_the_constructed_fault_is_named_first(kind: str, seed: int) -> None:
    """Every kind by four shapes and noises, 1 to 5 %: the first finding is the fault that was built in."""
    observed = CASES[kind](seed)
    found = diagnosed(observed)
    assert found
    assert found[0].kind == kind
    length = len(observed.load if isinstance(observed, Sweep) else observed.time_s)
    assert found[0].at, "no evidence is named"
    assert all(0 <= at < length for at in found[0].at)
    assert found[0].effect >= found[0].least > 0
    assert found[0].words.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_other_seeds_are_told_too(kind: str) -> None:
    """Forty further seeds: at least 95 % named first, so that the four above are not picked."""
    named = [bool(found) and found[0].kind == kind for found in (diagnosed(CASES[kind](100 + seed)) for seed in MANY)]
    assert np.mean(named) >= 0.95


def test_healthy_sweeps_and_series_raise_next_to_no_alarm() -> None:
    """Four hundred of each, noise to 5 %, knees, dips and slow first samples among them: at most 1 % alarms."""
    sweeps = Counter(each.kind for seed in range(HEALTHY) for each in diagnosed(healthy_sweep(seed)))
    series = Counter(each.kind for seed in range(HEALTHY) for each in diagnosed(healthy_series(seed)))
    assert sum(sweeps.values()) <= 0.01 * HEALTHY, sweeps
    assert sum(series.values()) <= 0.01 * HEALTHY, series


def published_sweeps() -> list[Sweep]:
    """The shipped serving table as sweeps of at least four loads; rates by Little's law from its times."""
    runs = serving_runs(starting_parameters())
    answers = evaluate(list(runs.cases))
    by: dict[object, list[int]] = defaultdict(list)
    for at, (group, case) in enumerate(zip(runs.group, runs.cases, strict=True)):
        if runs.clean[at]:
            by[group, case.device_count, case.tp, case.ep, case.input_tokens, case.output_tokens].append(at)
    sweeps = []
    for rows in by.values():
        load = np.array([float(runs.cases[at].concurrency) for at in rows])
        order = np.argsort(load)
        at = np.array(rows)[order]
        made = np.array([runs.cases[each].output_tokens * runs.cases[each].length_factor for each in at])
        if len(np.unique(load)) >= 4:
            columns = {name: answers[name].to_numpy()[at] for name in ("output_tokens_per_s", "tpot_s", "high_tpot_s")}
            sweeps.append(Sweep(
                kind="concurrency", load=load[order], output_rate=load[order] * made / runs.e2e_s[at],
                tpot_s=runs.tpot_s[at], ttft_s=runs.ttft_s[at], e2e_s=runs.e2e_s[at],
                modelled_rate=columns["output_tokens_per_s"], modelled_tpot_s=columns["tpot_s"],
                high_tpot_s=columns["high_tpot_s"],
            ))  # fmt: skip
    return sweeps


def test_published_sweeps_are_mostly_healthy_and_alarms_are_seen_in_their_figures() -> None:
    """Public serving sweeps, most of them sound: few alarms, and each symptom stands in the raw figures."""
    sweeps = published_sweeps()
    assert len(sweeps) > 200
    found = [(sweep, each) for sweep in sweeps for each in diagnose_sweep(sweep)]
    assert len({id(sweep) for sweep, _ in found}) <= 0.10 * len(sweeps)
    for sweep, each in found:
        steps = [after / before for before, after in pairwise(sweep.output_rate)]
        if each.kind == "saturates":
            assert steps[-1] < 1.2, "throughput still grew with the last doubling of load"
        if each.kind == "fluctuates":
            assert max(np.diff(np.log(steps))) > 0.2, "no step was much steeper than the one before it"
        if each.kind == "below_peak":
            assert np.median(sweep.tpot_s / sweep.modelled_tpot_s) > 1.2


def test_figures_that_are_not_known_are_no_evidence() -> None:
    """Loads alone, or a single run, or nothing at all: nothing is claimed."""
    assert diagnose_sweep(Sweep(kind="concurrency", load=np.array([1.0, 2.0, 4.0, 8.0]))) == ()
    assert diagnose_sweep(Sweep(kind="batch", load=np.array([1.0]), output_rate=np.array([50.0]))) == ()
    assert diagnose_sweep(Sweep(kind="rate", load=np.empty(0))) == ()
    assert diagnose_series(Series(time_s=np.arange(50.0))) == ()
    assert diagnose_series(Series(time_s=np.empty(0))) == ()


def test_two_tokenizers_by_hand() -> None:
    """419 tokens by the server, 838 by the client: a factor of 2.00, in words; 6,108 and 6,095 are the same text."""
    wrong = diagnose_sweep(Sweep(kind="concurrency", load=np.array([2.0]), client_over_server=np.array([838 / 419])))
    assert [each.kind for each in wrong] == ["tokenizer_mismatch"]
    assert "2.00 times" in wrong[0].words
    same = Sweep(kind="concurrency", load=np.array([100.0]), client_over_server=np.array([6095 / 6108]))
    assert diagnose_sweep(same) == ()


def test_a_load_that_is_taken_away_is_no_fault() -> None:
    """Half the requests, half the throughput, same time per token: nobody's clocks fell."""
    half = np.where(np.arange(60) > 30, 0.5, 1.0)
    calm = Series(time_s=np.arange(60.0), output_rate=1000 * half, load=64 * half, tpot_s=np.full(60, 0.02))
    assert diagnose_series(calm) == ()
