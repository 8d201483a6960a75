"""Runs beside the model: what is compared and why not, requests in flight, bandwidth used, and the words."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from analysis.figures.benchmarks import figure
from analysis.figures.drawing import Drawing
from analysis.figures.style import ink
from analysis.studies.benchmark_cases import comparable, places, roofline_marks
from analysis.studies.benchmark_words import percent_words
from analysis.studies.benchmarks import study
from analysis.study import Slot
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.readers import read_bytes
from data.records import Run
from data.store import resolve_names
from tests.shared_files import shared_path


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return load_catalogue()


def run(run_id: str = "a", outcome: str = "ok", **values: float | str | None) -> Run:
    """A run of Llama 3.1 8B on one H100 at one request, 1,024 tokens in and 256 out, 6.4 ms a token."""
    said: dict[str, float | int | str | bool | None] = {
        "model_id": "llama-3.1-8b", "hardware_key": "h100-sxm", "device_count": 1, "concurrency": 1.0,
        "isl_mean": 1024.0, "osl_mean": 256.0, "tpot_mean_ms": 6.4, "weight_format": "bf16", "engine": "vllm",
    } | values  # fmt: skip
    kept = {name: value for name, value in said.items() if value is not None}
    return Run(run_id=run_id, source_file="x.json", source_format="vllm_serve", outcome=outcome, values=kept, fields={})  # type: ignore[arg-type]


def test_bandwidth_used_by_hand(known: Catalogue) -> None:
    """Weights met: 8,030,261,248 parameters less the 525,336,576 of the input embedding, two bytes each: 15.01 GB.

    Cache at 1,024 + 128 tokens: 1,152 x 131,072 B = 0.151 GB. Together 15.16 GB in 6.4 ms are 2.369 TB/s, of 3.35
    TB/s: 0.707.
    """
    done, left_out = study([run()], known.architectures, known.chips)
    assert done is not None
    assert not left_out
    assert done.table["bandwidth_used_fraction"].iloc[0] == pytest.approx(0.707, abs=0.001)
    assert done.table["measured_tokens_per_s_per_user"].iloc[0] == pytest.approx(1 / 0.0064)


def test_requests_in_flight_at_an_arrival_rate(known: Catalogue) -> None:
    """Little's law: 10 answered a second, each 0.1 s to the first token and 100 more of 10 ms: 10 x 1.1 s = 11."""
    times = {"request_rps": 10.0, "ttft_mean_ms": 100.0, "osl_mean": 101.0, "tpot_mean_ms": 10.0}
    at_rate = run(load_mode="rate", concurrency=None, **times)
    measured, _ = comparable([at_rate], known.architectures, known.chips)
    assert measured[0].users == pytest.approx(11.0)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"model_id": None}, "model"),
        ({"hardware_key": None}, "device is not known"),
        ({"device_count": None}, "number of devices"),
        ({"tpot_mean_ms": None}, "time per output token"),
        ({"concurrency": None}, "in flight"),
        ({"osl_mean": None}, "length of the outputs"),
        ({"outcome": "oom"}, "ran out of memory"),
    ],
)
def test_what_cannot_be_compared_says_why(known: Catalogue, changed: dict[str, str | None], reason: str) -> None:
    done, left_out = study([run(**changed)], known.architectures, known.chips)  # type: ignore[arg-type]
    assert done is None
    assert reason in left_out[0].reason


def test_the_number_of_devices_follows_from_the_degrees(known: Catalogue) -> None:
    """tp 4 x pp 2 = 8 devices."""
    measured, _ = comparable([run(device_count=None, tp=4, pp=2)], known.architectures, known.chips)
    assert measured[0].device_count == 8


def test_a_format_nobody_knows_leaves_out_that_run_alone(known: Catalogue) -> None:
    runs = [run("good"), run("odd", weight_format="fp3.7-experimental")]
    done, left_out = study(runs, known.architectures, known.chips)
    assert done is not None
    assert list(done.table["run_id"]) == ["good"]
    assert [each.run.run_id for each in left_out] == ["odd"]


def test_a_speed_beyond_memory_doubts_the_format_and_praises_nobody(known: Catalogue) -> None:
    """15 GB at 3.35 TB/s take 4.5 ms at least: a token every 2 ms is no agreement and no merit at 16 bits a weight."""
    done, _ = study([run(tpot_mean_ms=2.0)], known.architectures, known.chips)
    assert done is not None
    assert done.table["residual"].iloc[0] == "faster than memory allows at BF16: is it narrower?"
    assert done.answer == "Your run is faster than memory allows with BF16 weights: is the format narrower?"
    both, _ = study([run("a", tpot_mean_ms=2.0), run("b", tpot_mean_ms=3.0)], known.architectures, known.chips)
    assert both is not None
    assert both.answer.startswith("Your 2 runs are faster than memory allows with BF16 weights")


def test_runs_beyond_memory_do_not_enter_the_median(known: Catalogue) -> None:
    """The same run alone and beside an impossible one gives the same sentence, and the other is counted apart."""
    alone, _ = study([run("good")], known.architectures, known.chips)
    beside, _ = study([run("good"), run("odd", tpot_mean_ms=2.0)], known.architectures, known.chips)
    assert alone is not None
    assert beside is not None
    assert beside.answer == alone.answer.rstrip(".") + "; 1 more is faster than memory allows."


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ("llama_bench_gptoss20b_depths.jsonl", {}),
        ("llama_bench_rx7900xtx.json", {"hardware": "rx-7900-xtx", "device_count": "1"}),
        ("llama_bench_llama32-1b.jsonl", {}),
        ("llama_bench_readme.csv", {}),
    ],
)
def test_measured_llama_cpp_runs_are_possible_and_near_the_model(
    known: Catalogue, sample: str, said: dict[str, str]
) -> None:
    """Files people published: no run may use more than the memory has, and none lies a quarter off the model."""
    path = shared_path("samples", sample)
    result = resolve_names(read_bytes(path.name, path.read_bytes(), said), known)
    done, _ = study(result.runs, known.architectures, known.chips)
    assert done is not None
    assert done.table["bandwidth_used_fraction"].between(0.3, 1.0).all()
    assert done.table["residual_fraction"].abs().max() < 0.25


@pytest.mark.parametrize(
    ("residual", "words"),
    [(-0.31, "31 % slower"), (0.08, "8 % faster"), (0.049, "as modelled"), (-0.04, "as modelled")],
)
def test_residuals_in_words(residual: float, words: str) -> None:
    assert percent_words(residual) == words


def test_six_groups_have_a_colour_and_the_rest_is_grey(known: Catalogue) -> None:
    measured, _ = comparable([run(str(n), device_count=n) for n in range(1, 10)], known.architectures, known.chips)
    assert sorted(places(measured).values()) == [0, 1, 2, 3, 4, 5, 6, 6, 6]


def test_uploads_are_named_as_not_reviewed(known: Catalogue) -> None:
    done, _ = study([run()], known.architectures, known.chips)
    assert done is not None
    assert done.sources[0].kind == "upload"
    assert "not reviewed" in done.sources[0].title


def test_the_figure_is_one_that_plotly_accepts(known: Catalogue) -> None:
    runs = [run("a"), run("b", concurrency=16.0, tpot_mean_ms=9.2), run("c", device_count=2, tpot_mean_ms=4.0)]
    done, _ = study(runs, known.architectures, known.chips)
    assert done is not None
    for theme in ("light", "dark"):
        drawing = figure(done, ink(theme))
        go.Figure(**drawing)
        assert Drawing(drawing).to_dict()["data"] is drawing["data"]


def test_a_run_lies_below_its_roof(known: Catalogue) -> None:
    """On the roofline a run's rate is at most bandwidth times intensity: its step took longer than the bytes need."""
    measured, _ = comparable([run()], known.architectures, known.chips)
    chip = known.chips["h100-sxm"]
    marks = roofline_marks(measured, measured[0].architecture, [Slot(place=2, chip=chip, device_count=1)])
    assert list(marks["place"]) == [2]
    assert chip.bandwidth_byte_per_s is not None
    roof = chip.bandwidth_byte_per_s * marks["intensity_flop_per_byte"].iloc[0]
    assert 0 < marks["rate_flop_per_s"].iloc[0] < roof


def test_a_mixture_is_beyond_memory_only_above_the_ceiling_of_the_prediction(known: Catalogue) -> None:
    """gpt-oss-120b, 100 at once on one H100, published: 18.7 ms a token, experts in MXFP4 though no file says so.

    Met evenly, nearly all experts are read, 63.2 GB: 101 % of 3.35 TB/s. If sequences share experts it is far less,
    and the ceiling of the prediction, 394 tok/s, allows the 53.5 measured. So nothing is doubted as impossible.
    """
    path = shared_path("samples", "vllm_serve_h100_gptoss120b.json")
    said = {"model": "gpt-oss-120b", "hardware": "h100-sxm", "device_count": "1"}
    result = resolve_names(read_bytes(path.name, path.read_bytes(), said), known)
    done, _ = study(result.runs, known.architectures, known.chips)
    assert done is not None
    row = done.table.iloc[0]
    assert row["weights"] == "BF16 (experts MXFP4)"
    assert row["read_byte"] == pytest.approx(63.2e9, rel=0.01)
    assert row["measured_tokens_per_s_per_user"] < row["ceiling_tokens_per_s_per_user"]
    assert not row["beyond_memory"]
    assert "faster than memory allows" not in done.answer
    assert row["residual"].endswith("more than memory gives at BF16 (experts MXFP4) if experts are met evenly")


@pytest.mark.parametrize("model", ["llama-3.1-8b", "gpt-oss-120b", "qwen3-30b-a3b"])
@pytest.mark.parametrize("users", [1.0, 16.0])
def test_what_memory_forbids_is_what_the_ceiling_forbids(known: Catalogue, model: str, users: float) -> None:
    """Two ways to one bound: bytes read over bandwidth here, the engine's ceiling there."""
    done, _ = study([run(model_id=model, concurrency=users)], known.architectures, known.chips)
    assert done is not None
    ceiling = done.table["ceiling_tokens_per_s_per_user"].iloc[0]
    times = [
        run(str(at), model_id=model, concurrency=users, tpot_mean_ms=f / ceiling) for at, f in enumerate((980, 1020))
    ]
    pair, _ = study(times, known.architectures, known.chips)
    assert pair is not None
    assert sorted(pair.table["beyond_memory"]) == [False, True]
    assert pair.table.loc[pair.table["beyond_memory"], "run_id"].tolist() == ["0"]
