"""Profiles from own runs: known factors found, errors on runs left out, ceilings that hold, refusals in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.calibration.own_factors import FORMS, applied, values_at, with_values
from analysis.calibration.own_profile import OwnFit, conformal, fitted_forms
from analysis.calibration.own_runs import IMPOSSIBLE, OwnRun, usable
from analysis.engine import Case, evaluate
from analysis.parameters import starting_parameters
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.catalogue.profile_files import Profile, ProfileForm, ProfileRun
from data.errors import WaferlineError

LOADS = (1, 4, 8, 16, 32, 64, 128)


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return load_catalogue()


def cases_of(known: Catalogue, loads: Sequence[float] = LOADS, **changes: object) -> list[Case]:
    """Llama 3.1 70B on four H200 under rising load."""
    first = Case(
        architecture=known.architectures["llama-3.1-70b"], chip=known.chips["h200-sxm"], device_count=4,
        engine="vllm", weight_format="fp8", input_tokens=1024.0, output_tokens=256.0,
    )  # fmt: skip
    return [replace(first, concurrency=float(load), **changes) for load in loads]  # type: ignore[arg-type]


def runs_of(cases: Sequence[Case], slower: float, noise: float = 0.0, seed: int = 0) -> list[OwnRun]:
    """Runs that take `slower` times what the shipped model says, with noise."""
    times = evaluate(list(cases))["tpot_s"].to_numpy()
    shaken = times * slower * np.exp(np.random.default_rng(seed).normal(0.0, noise, len(times)))
    return [OwnRun(run_id=str(at), file="own.csv", case=case, tpot_s=float(taken))
            for at, (case, taken) in enumerate(zip(cases, shaken, strict=True))]  # fmt: skip


def only(fits: Sequence[OwnFit]) -> OwnFit:
    assert len(fits) == 1
    return fits[0]


def profile(fit: OwnFit, name: str = "own") -> Profile:
    assert fit.fit is not None
    return Profile(name=name, dated="2026-12-01", shipped="2026-11-30", forms={fit.key: fit.fit},
                   runs=(ProfileRun(run_id="0", file="own.csv"),))  # fmt: skip


@pytest.mark.parametrize("slower", [0.8, 1.3, 1.6])
def test_a_machine_that_is_uniformly_slower_is_found(known: Catalogue, slower: float) -> None:
    """Everything taking 1.3 times as long: an error of 1 - 1/1.3 = 23 % before, and next to none after."""
    fit = only(fitted_forms(runs_of(cases_of(known), slower, 0.02), starting_parameters())).fit
    assert fit is not None
    assert fit.before_mape_percent == pytest.approx(100 * abs(1 - 1 / slower), abs=3)
    assert fit.after_mape_percent < 4
    believed = applied(profile(only(fitted_forms(runs_of(cases_of(known), slower, 0.02), starting_parameters()))),
                       starting_parameters())  # fmt: skip
    unseen = cases_of(known, [2.0, 48.0])
    ratio = evaluate(unseen, believed)["tpot_s"] / evaluate(unseen)["tpot_s"]
    assert ratio.to_numpy() == pytest.approx(slower, rel=0.06)


def test_the_error_is_that_of_runs_left_out(known: Catalogue) -> None:
    """Pure noise of 20 % cannot be learnt: an in-sample error would fall with every factor, a left-out one does not."""
    rises = [only(fitted_forms(runs_of(cases_of(known), 1.0, 0.2, seed), starting_parameters())) for seed in range(6)]
    assert sum(bool(each.refusal) for each in rises) >= 3
    assert all("so the shipped ones stay" in each.refusal for each in rises if each.refusal)


def test_too_few_loads_are_refused_in_words(known: Catalogue) -> None:
    few = only(fitted_forms(runs_of(cases_of(known, [1, 4, 8, 8, 8, 8]), 1.3, 0.02), starting_parameters()))
    assert few.fit is None
    assert few.refusal == "GPU servers: 6 runs with 3 different loads; a profile takes at least 5."


def test_runs_memory_forbids_are_set_aside_with_the_reason(known: Catalogue) -> None:
    """A tenth of the predicted time beats the datasheet's bandwidth at FP8."""
    runs = [*runs_of(cases_of(known), 1.3), *runs_of(cases_of(known, [1.0]), 0.1)]
    found = only(fitted_forms(runs, starting_parameters()))
    assert [reason for _, reason in found.set_aside] == [IMPOSSIBLE]
    assert len(found.used) == len(LOADS)


@pytest.mark.parametrize(("times", "possible"), [(1.02, True), (1.0, True), (0.99, False)])
def test_the_ceiling_is_the_line_between_possible_and_not(known: Catalogue, times: float, possible: bool) -> None:
    """Four H200 read 4 x 4.8 TB/s at most: a step that takes 1 % less than weights and cache over it cannot be."""
    case = cases_of(known, [1.0])[0]
    least = 1.0 / float(evaluate([case])["ceiling_tokens_per_s_per_user"].iloc[0])
    assert least == pytest.approx(70.6e9 / (4 * 4.8e12), rel=0.02)
    good, aside = usable([OwnRun(run_id="a", file="own.csv", case=case, tpot_s=times * least)], starting_parameters())
    assert (len(good), len(aside)) == ((1, 0) if possible else (0, 1))


def test_every_kind_of_machine_has_its_own_part(known: Catalogue) -> None:
    card = replace(cases_of(known, [1.0])[0], architecture=known.architectures["llama-3.1-8b"],
                   chip=known.chips["rtx-4090"], device_count=1, engine="llama.cpp", weight_format="q4_k_m",
                   output_tokens=0.0)  # fmt: skip
    depths = [replace(card, input_tokens=tokens) for tokens in (128.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0)]
    fits = fitted_forms([*runs_of(cases_of(known), 1.3), *runs_of(depths, 1.2, 0.01)], starting_parameters())
    assert {each.key for each in fits} == {"serving", "streamed-cuda"}
    assert all(each.fit is not None and each.fit.after_mape_percent < each.fit.before_mape_percent for each in fits)


def test_a_profile_speaks_for_its_own_machines_alone(known: Catalogue) -> None:
    """The wafer is served by another law; a B200 shares the law and not the interval; a machine kept full neither."""
    fit = only(fitted_forms(runs_of(cases_of(known), 1.3, 0.02), starting_parameters()))
    believed = applied(profile(fit), starting_parameters())
    own = cases_of(known, [8.0])[0]
    asked = [own, replace(own, chip=known.chips["b200-sxm"]), replace(own, concurrency="offline"),
             replace(own, chip=known.chips["wse-3"], weight_format="fp16", engine="")]  # fmt: skip
    answers, shipped = evaluate(asked, believed), evaluate(asked)
    assert ["profile own" in text for text in answers["assumed"]] == [True, True, False, False]
    assert [name.startswith("own_") for name in answers["interval_regime"]] == [True, False, False, False]
    assert answers["tpot_s"].iloc[3] == shipped["tpot_s"].iloc[3]
    assert answers["output_tokens_per_s"].iloc[2] == pytest.approx(shipped["output_tokens_per_s"].iloc[2], rel=0.15)
    assert fit.fit is not None
    ends = answers[["low_tpot_s", "high_tpot_s"]].iloc[0] / answers["tpot_s"].iloc[0]
    assert ends.tolist() == pytest.approx([fit.fit.low, fit.fit.high])


@settings(max_examples=25, deadline=None)
@given(
    factors=st.tuples(*[st.floats(0.05, 20.0)] * 3), load=st.sampled_from(LOADS),
    context=st.sampled_from((128.0, 4096.0, 65536.0)),
)  # fmt: skip
def test_no_profile_passes_the_ceiling(factors: tuple[float, float, float], load: int, context: float) -> None:
    """The ceiling is datasheet bandwidth and dense peak: whatever is fitted, neither speed nor interval exceeds it.

    Of one decode step, where nobody is still at their prompt, it is the same ceiling to the last digit.
    """
    catalogue, form = load_catalogue(), FORMS["serving"]
    names = [each.name for each in form.factors]
    values = values_at(form, starting_parameters(), dict(zip(names, factors, strict=True)))
    believed = with_values(form, starting_parameters(), values)
    served = cases_of(catalogue, [load], input_tokens=context)
    step = cases_of(catalogue, [load], input_tokens=context, output_tokens=0.0)
    for answer in (evaluate(served, believed), evaluate(step, believed)):
        for name in ("tokens_per_s_per_user", "high_tokens_per_s_per_user"):
            assert answer[name].iloc[0] <= answer["ceiling_tokens_per_s_per_user"].iloc[0] * (1 + 1e-9)
    ceilings = [evaluate(step, each)["ceiling_tokens_per_s_per_user"].iloc[0] for each in (believed, None)]
    assert ceilings[0] == pytest.approx(ceilings[1], rel=1e-12)


def test_an_interval_by_ranks() -> None:
    """Nine distances: the ceil(0.8 x 10) = 8th is the half-width. Five: ceil(4.8) = 5th, the largest."""
    low, high = conformal(np.array([0.01, -0.02, 0.03, -0.04, 0.05, -0.06, 0.07, -0.08, 0.5]))
    assert np.log([low, high]) == pytest.approx([-0.08, 0.08])
    assert np.log(conformal(np.array([0.1, -0.2, 0.3, 0.1, 0.1]))[1]) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"forms": {"abacus": None}}, "abacus"),
        ({"values": {"operator_z": 1e-5}}, "operator_z"),
        ({"values": {"operator_s": 1.0}}, "too far from the shipped"),
    ],
)
def test_a_profile_of_another_release_says_what_is_wrong(changed: dict[str, dict[str, float]], said: str) -> None:
    fit = ProfileForm(runs=5, left_out_by="run", before_mape_percent=10.0, after_mape_percent=5.0, low=0.9, high=1.1,
                      chips=("h200-sxm",), models=("llama-3.1-70b",), factors={"fixed times": 1.1},
                      values=changed.get("values", {"operator_s": 9e-6}))  # fmt: skip
    forms = dict.fromkeys(changed.get("forms", {"serving": 0.0}), fit)
    broken = Profile(name="x", dated="2026-12-01", shipped="2026-11-30", forms=forms, runs=())
    with pytest.raises(WaferlineError, match=said):
        applied(broken, starting_parameters())
