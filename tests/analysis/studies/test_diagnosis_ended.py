"""From uploaded runs that did not end well to a diagnosis: a handmade file, every outcome, names, words, the figure."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from analysis.diagnosis import ENDED_BADLY
from analysis.figures.diagnosis import figure, shows_something
from analysis.figures.style import ink
from analysis.studies import diagnosis
from analysis.studies.run_names import lengths_name, machine_name, model_name
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.readers import read_bytes
from data.records import Run
from data.store import resolve_names
from tests.analysis.studies.test_benchmarks import run
from tests.analysis.studies.test_diagnosis import seen, sweep
from tests.shared_files import shared_path

HEALTHY = "Nothing is found wrong"


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return load_catalogue()


def ending(one: Run, outcome: str, **values: float | str | None) -> Run:
    """The run with another end; what it measured is gone unless the tool left it."""
    gone = {name: None for name in one.values if name.endswith(("_ms", "_tps", "_rps"))}
    kept = {**one.values, **(gone if outcome in ("oom", "failed") else {}), **values}
    return replace(one, outcome=outcome, values=kept)  # type: ignore[arg-type]


def test_the_handmade_file_with_timeouts_and_a_model_that_does_not_fit(known: Catalogue) -> None:
    """As written: 16, 64 and 256 at once, 1,000 requests each, 100, 99.2 and 87.5 % of them answered; BF16 is OOM."""
    path = shared_path("handmade", "h03_us_thousands_percent_oom.csv")
    said = {"column:TPS": "output_tps", "column:p99 latency (s)": "e2e_p99_ms", "weight_format": "as read",
            "isl_mean": "1024", "osl_mean": "256", "hardware": "h100-sxm"}  # fmt: skip
    sweep, alone = seen(known, resolve_names(read_bytes(path.name, path.read_bytes(), said), known).runs)
    assert sweep.name == "Llama 3.3 70B, 4 × H100 80GB, vllm 0.11, 1,024 in, 256 out"
    told = diagnosis.study(sweep, sweep.findings[0])
    assert told.answer == "Requests fail: 12.5 % (125 of 1,000) at a load of 256, the first at a load of 64."
    assert told.table["ended"].tolist() == ["", "8 of 1,000 failed", "125 of 1,000 failed"]
    advice = diagnosis.advice_on(sweep, sweep.findings[0], None)
    assert advice[0].expected.startswith(
        "no failures above a load of 16, the largest so far at which all went well, 1,410"
    )
    told = diagnosis.study(alone, alone.findings[0])
    assert told.answer == "Out of memory: 1 run, at a load of 16."
    expected = diagnosis.advice_on(alone, alone.findings[0], None)[0].expected
    assert expected.startswith("By the model too, 16 at once on 2 × H100 80GB in BF16 does not fit: weights")
    assert not shows_something(told)


@pytest.mark.parametrize(("devices", "fits"), [(4.0, True), (1.0, False)])
def test_weights_that_fit_are_not_the_likeliest_cause(known: Catalogue, devices: float, fits: bool) -> None:
    """70.6e9 weights in BF16 are 141.2 GB: more than one H100 of 80 GB has, half of what four have."""
    (alone,) = seen(known, [ending(run(model_id="llama-3.3-70b", device_count=devices, tp=devices), "oom")])
    titles = [each.cause.title for each in diagnosis.advice_on(alone, alone.findings[0], None)]
    assert len(titles) == len(set(titles)) == 3
    assert titles[-1 if fits else 0] == "Weights and cache do not fit these devices in this format"


@pytest.mark.parametrize(
    ("outcome", "kind"), [("oom", "out_of_memory"), ("failed", "runs_fail"), ("invalid", "invalid")]
)
def test_a_run_without_figures_is_a_finding_and_no_level(known: Catalogue, outcome: str, kind: str) -> None:
    """The last of seven loads ends so, with a rate left in the file that is ten times too high: nobody reads it."""
    runs = sweep(known, [1.0] * 7)
    runs[-1] = ending(runs[-1], outcome, **({"output_tps": 1e6} if outcome == "invalid" else {}))
    one = seen(known, runs)[0]
    assert [each.kind for each in one.findings] == [kind]
    assert len(one.runs) == 7
    study = diagnosis.study(one, one.findings[0])
    assert "1 of 7 runs" in study.answer
    assert "at a load of 64" in study.answer
    assert study.table["output_tokens_per_s"].isna().tolist() == [False] * 6 + [True]
    assert study.arithmetic()
    drawn = figure(study, ink("light"))
    go.Figure(**drawn)
    crosses = [part for part in drawn["data"] if part.get("marker", {}).get("symbol") == "x" and part.get("hovertext")]
    assert [part["x"] for part in crosses] == [[64.0]]


def test_other_findings_say_which_runs_count_in_no_speed(known: Catalogue) -> None:
    """A machine twice as slow as modelled that also runs out of memory at 64, and whose requests fail at 32."""
    runs = sweep(known, [2.0] * 7, engine="TensorRT-LLM")
    runs[-1] = ending(runs[-1], "oom")
    runs[-2] = ending(runs[-2], "partial", failed=3.0, num_requests=100.0)
    one = seen(known, runs)[0]
    assert [each.kind for each in one.findings] == ["out_of_memory", "requests_fail", "below_peak"]
    said = diagnosis.study(one, one.findings[2]).conditions
    assert "1 run counts in no speed (out of memory, at a load of 64)." in said
    assert "Figures of 1 run are those of the requests that succeeded." in said


@pytest.mark.parametrize("outcome", ["partial", "failed", "oom", "invalid"])
@pytest.mark.parametrize("load", [16.0, None])
def test_no_outcome_but_ok_is_healthy(known: Catalogue, outcome: str, load: float | None) -> None:
    """One run, whether its load is known or not."""
    one = ending(run(concurrency=load, load_mode="concurrency" if load else "offline"), outcome)
    found = seen(known, [one])
    assert [each.findings[0].kind in ENDED_BADLY for each in found] == [True]
    study = diagnosis.study(found[0], found[0].findings[0])
    assert HEALTHY not in study.answer
    assert all("nan" not in each.expected for each in diagnosis.advice_on(found[0], found[0].findings[0], None))
    assert diagnosis.study(found[0], found[0].findings[0]).table["ended"].tolist() != [""]


def test_a_run_that_ended_without_lengths_joins_the_sweep_it_belongs_to(known: Catalogue) -> None:
    runs = sweep(known, [1.0] * 7)
    runs[-1] = ending(runs[-1], "failed", isl_mean=None, osl_mean=None)
    assert [len(each.runs) for each in seen(known, runs)] == [7]


def test_failures_of_one_load_over_time_are_told_once(known: Catalogue) -> None:
    """Eight runs of one load an hour, the last three with one request of ten failing."""
    runs = [
        run(str(at), concurrency=8.0, load_mode="concurrency", started_at=f"2026-11-30T10:{at:02d}:00",
            output_tps=1000.0, num_requests=10.0, failed=float(at >= 5))
        for at in range(8)
    ]  # fmt: skip
    runs = [replace(each, outcome="partial") if each.values["failed"] else each for each in runs]
    found = seen(known, runs)
    assert [each.is_series for each in found] == [True]
    assert found[0].findings[0].brief == "10 % (1 of 10) after 300 s"


def test_names_are_those_of_the_catalogue(known: Catalogue) -> None:
    assert model_name("llama-3.3-70b", known.architectures) == "Llama 3.3 70B"
    assert model_name("my-own-model", known.architectures) == "my-own-model"
    assert machine_name("4 × h100-sxm", known.chips) == "4 × H100 80GB"
    assert machine_name("4 × H100", known.chips) == "4 × H100"
    assert machine_name("h200-sxm", known.chips) == "H200"
    assert lengths_name("1,024 in, ? out") == "1,024 in"
    assert lengths_name("? in, ? out") == "lengths not stated"
