"""From uploaded runs to a diagnosis: grouping, the page's words, expectations of the model, real files, the figure."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.diagnosis import KINDS, Series, Sweep, diagnose_series, diagnose_sweep
from analysis.engine import evaluate
from analysis.figures.diagnosis import figure
from analysis.figures.style import ink
from analysis.studies import diagnosis
from analysis.studies.benchmark_cases import case_of, comparable
from analysis.studies.diagnosis_cases import Observation, observations
from analysis.studies.diagnosis_expected import EXPECTATIONS, NO_MODEL
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.catalogue.diagnosis_files import load_faults
from data.readers import read_bytes
from data.records import Run
from data.store import resolve_names
from tests.analysis.diagnosis.ended_badly import ALL_CASES as CASES
from tests.analysis.studies.test_benchmarks import run
from tests.shared_files import shared_path

LOADS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return load_catalogue()


def sweep(known: Catalogue, factors: Sequence[float], **more: float | str | None) -> list[Run]:
    """Runs under rising load that take `factors` times what the model says, rates by Little's law."""
    made = []
    for load, factor in zip(LOADS, factors, strict=True):
        one = comparable([run(concurrency=load, **more)], known.architectures, known.chips)[0][0]
        answer = evaluate([case_of(one)]).iloc[0]
        e2e = factor * float(answer["e2e_s"])
        made.append(run(
            f"{load:g}", concurrency=load, load_mode="concurrency", tpot_mean_ms=1e3 * factor * float(answer["tpot_s"]),
            ttft_mean_ms=1e3 * factor * float(answer["ttft_s"]), e2e_mean_ms=1e3 * e2e, request_rps=load / e2e,
            output_tps=load * 256 / e2e, **more,
        ))  # fmt: skip
    return made


def seen(known: Catalogue, runs: Sequence[Run]) -> list[Observation]:
    return observations(runs, known.architectures, known.chips)


def test_runs_that_differ_in_load_alone_are_one_sweep(known: Catalogue) -> None:
    found = seen(known, sweep(known, [1.0] * 7))
    assert len(found) == 1
    assert found[0].findings == ()
    assert isinstance(found[0].observed, Sweep)
    assert found[0].observed.load.tolist() == list(LOADS)
    assert found[0].observed.in_flight == pytest.approx(LOADS)


@pytest.mark.parametrize(
    "changed", [{"device_count": 2}, {"engine": "sglang"}, {"isl_mean": 4096.0}, {"kv_format": "fp8"}]
)
def test_runs_that_differ_otherwise_are_kept_apart(known: Catalogue, changed: dict[str, float | str]) -> None:
    runs = sweep(known, [1.0] * 7)
    other = [replace(each, run_id=f"b{each.run_id}", values={**each.values, **changed}) for each in runs]
    assert [len(each.runs) for each in seen(known, [*runs, *other])] == [7, 7]


def test_a_machine_twice_as_slow_is_below_what_the_model_says(known: Catalogue) -> None:
    """Twice the time at every load: "2.00 times", and the model's own figure is what is expected after the change."""
    one = seen(known, sweep(known, [2.0] * 7, engine="TensorRT-LLM"))[0]
    assert [each.kind for each in one.findings] == ["below_peak"]
    study = diagnosis.study(one, one.findings[0])
    assert study.answer == "Below what the model says: 2.00 times the model's time a token."
    advice = diagnosis.advice_on(one, one.findings[0], None)
    assert advice[0].expected.startswith("At 64 at once the model says")


def test_a_server_that_stops_growing_saturates(known: Catalogue) -> None:
    """Past 8 at once every doubling doubles the request time: throughput stands still though the model's grows."""
    one = seen(known, sweep(known, [1, 1, 1, 1, 1.75, 3.1, 5.0]))[0]
    assert one.findings[0].kind in ("saturates", "falls_with_load")


def test_seven_runs_of_one_load_are_no_series_and_eight_are(known: Catalogue) -> None:
    """Throughput down by a third from the fifth run on: eight runs with start times tell, seven do not."""
    runs = [
        run(str(at), concurrency=8.0, load_mode="concurrency", started_at=f"2026-11-30T10:{at:02d}:00",
            output_tps=1000.0 if at < 4 else 680.0, tpot_mean_ms=8.0 if at < 4 else 11.8)
        for at in range(8)
    ]  # fmt: skip
    assert not any(each.is_series for each in seen(known, runs[:7]))
    found = [each for each in seen(known, runs) if each.is_series]
    assert [finding.kind for finding in found[0].findings] == ["throttling"]
    assert isinstance(found[0].observed, Series)
    assert found[0].observed.time_s.tolist() == [60.0 * at for at in range(8)]


def test_every_kind_has_causes_with_sources_and_known_expectations() -> None:
    faults = load_faults()
    assert set(faults) == set(KINDS)
    for fault in faults.values():
        assert len(fault.causes) >= 2
        assert all(cause.expect in EXPECTATIONS for cause in fault.causes)
        assert all(cause.check and cause.change and cause.source.title for cause in fault.causes)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_every_constructed_fault_becomes_a_page(known: Catalogue, kind: str, seed: int) -> None:
    """Title within its length, causes with an expectation in words, and a figure plotly accepts, in both themes."""
    observed = CASES[kind](seed)
    findings = diagnose_sweep(observed) if isinstance(observed, Sweep) else diagnose_series(observed)
    count = len(observed.load if isinstance(observed, Sweep) else observed.time_s)
    runs = [run(str(at), tpot_mean_ms=20.0) for at in range(count)]
    compared = comparable(runs, known.architectures, known.chips)[0]
    for modelled in (tuple(compared), (None,) * count):
        one = Observation(name="made up", runs=tuple(runs), compared=modelled, observed=observed, findings=findings)
        study = diagnosis.study(one, findings[0])
        assert len(study.answer) <= 130
        assert any(letter.isdigit() for letter in study.answer)
        advice = diagnosis.advice_on(one, findings[0], None)
        assert advice
        assert all(each.expected.endswith(".") and "nan" not in each.expected for each in advice)
        for theme in ("light", "dark"):
            go.Figure(**figure(study, ink(theme)))


def test_without_a_model_nothing_is_expected_of_it(known: Catalogue) -> None:
    one = seen(known, [replace(each, values={**each.values, "hardware_key": None}) for each in sweep(known, [1.0] * 7)])
    assert one == [] or all(each is None for each in one[0].compared)
    observed = CASES["client_bound"](0)
    assert isinstance(observed, Sweep)
    runs = tuple(run(str(at)) for at in range(len(observed.load)))
    blind = Observation(name="x", runs=runs, compared=(None,) * len(runs), observed=observed,
                        findings=diagnose_sweep(observed))  # fmt: skip
    assert {each.expected for each in diagnosis.advice_on(blind, blind.findings[0], None)} == {NO_MODEL}


def test_two_counts_in_a_tools_own_record_are_compared(known: Catalogue) -> None:
    native = json.dumps({"total_output_tokens": 419, "total_output_tokens_retokenized": 838})
    odd = [replace(run(load_mode="concurrency"), native=native), replace(run("b"), native="not json")]
    found = [each for each in seen(known, odd) if each.findings]
    assert [each.findings[0].kind for each in found] == ["tokenizer_mismatch"]


REAL = {
    "llmperf_variant_tgi_concurrency_map.json": "saturates",
    "llmperf_variant_results_records.json": "saturates",
    "sglang_serving_old_online.jsonl": "saturates",
    "sglang_serving_0.5.23_sweep.jsonl": "tokenizer_mismatch",
    "aiperf_0.13_c4.json": "tokenizer_mismatch",
    "llama_batched_bench_pr3545.md": None,
    "vllm_serve_wrapped_sweep_gb10.json": None,
}


@pytest.mark.parametrize("sample", REAL)
def test_real_sweeps(known: Catalogue, sample: str) -> None:
    """Read off the files by eye: TGI brings 9 % more from 64 to 128 at once while the first token takes twice as long;

    an SGLang server answers half of 16 requests a second; two tools count twice the server's tokens; llama.cpp on
    batches to 32 and vLLM on a GB10 still grow.
    """
    path = shared_path("samples", sample)
    result = resolve_names(read_bytes(path.name, path.read_bytes(), {}), known)
    found = seen(known, result.runs)
    assert found
    kinds = [finding.kind for each in found for finding in each.findings]
    assert kinds == ([REAL[sample]] if REAL[sample] else [])


def test_two_engines_of_one_file_are_two_sweeps(known: Catalogue) -> None:
    """vLLM and SGLang at rising arrival rates: each falls behind 35 requests a second, 2,845 / 3,500 = 81 % of it.

    With all 2,000 requests at once 1,015 are answered: 49.2 % fail, for both engines.
    """
    path = shared_path("samples", "vllm_serve_2025-04_results.json")
    found = seen(known, resolve_names(read_bytes(path.name, path.read_bytes(), {}), known).runs)
    sweeps, at_once = ([each for each in found if (len(each.runs) > 1) is several] for several in (True, False))
    assert [[finding.kind for finding in each.findings] for each in sweeps] == [["saturates"], ["saturates"]]
    assert any("81 %" in each.findings[0].words for each in sweeps)
    brief = "49.2 % (985 of 2,000) with all requests at once"
    assert [[finding.brief for finding in each.findings] for each in at_once] == [[brief], [brief]]
    assert len({each.name for each in found}) == 4


def test_a_title_names_a_number(known: Catalogue) -> None:
    study = diagnosis.study(seen(known, sweep(known, [1.0] * 7))[0], None)
    assert any(letter.isdigit() for letter in study.answer)
    assert not math.isnan(float(study.table["output_tokens_per_s"].iloc[0]))
    assert np.isfinite(study.table["modelled_tpot_s"]).all()


def test_the_arithmetic_tells_what_the_load_should_give(known: Catalogue) -> None:
    """Little's law: 64 requests of 256 tokens over their request time is the rate that the run states."""
    one = seen(known, sweep(known, [1.0] * 7))[0]
    error, law = diagnosis.study(one, None).arithmetic()
    assert error.result.startswith("0")
    assert law.substituted.startswith("64")
    assert isinstance(one.observed, Sweep)
    assert one.observed.output_rate[-1] == pytest.approx(64 * 256 / one.observed.e2e_s[-1])
