"""Measured frontiers: points from times by hand, what lies on a frontier, and the model's line through them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from analysis.figures import frontiers as picture
from analysis.figures.style import ink
from analysis.studies import frontier_points as read
from analysis.studies import frontiers
from analysis.studies.benchmark_cases import Measured
from data.catalogue.catalogue import load_catalogue
from data.catalogue.measurement_files import load_measurements
from data.records import Run

KNOWN = load_catalogue()
SERVING = {
    "id": "serving-x1", "model": "llama-3.1-70b", "hardware": "h200-sxm", "device_count": "4", "engine": "vLLM",
    "engine_image": "vllm-openai:nightly-5b8c30d62b754b575e043ce2fc0dcbf8a64f6306", "measured_on": "2026-01-02",
    "weight_format": "fp8", "kv_format": "fp8", "tp": "4", "ep": "1", "concurrency": "10", "input_tokens": "1000",
    "output_tokens": "200", "length_factor": "0.5", "tpot_ms": "20", "ttft_ms": "520", "clean": "True",
}  # fmt: skip
MEASURED = {
    "id": "aic-x1", "model": "Llama-3.1-70B", "hardware": "h200-sxm", "device_count": "4", "weight_format": "fp8",
    "kv_format": "", "engine": "vLLM 0.9", "parallelism": "tp4", "concurrency_or_batch": "8", "input_tokens": "100",
    "output_tokens": "101", "metric": "tpot_ms", "value": "10", "speculative": "no", "evidence": "vendor",
    "source_date": "2026-03", "quality": "as stated", "source": "aic-1",
}  # fmt: skip


def test_a_serving_row_by_hand() -> None:
    """100 tokens are made; a request takes 0.520 + 99 x 0.020 = 2.5 s; 10 x 100 / 2.5 = 400 tok/s, 100 a device."""
    point = read.serving_points([SERVING], KNOWN)[0]
    assert point.per_user == pytest.approx(50.0)
    assert point.per_device == pytest.approx(100.0)
    assert (point.machine, point.release, point.date) == ("4 × H200", "vLLM nightly-5b8c30d", "2026-01-02")


@pytest.mark.parametrize(
    ("prompt", "made", "lengths"),
    [("100", "101", "100 + 101"), ("0", "128", "0 + 128"), ("", "512", "? + 512"), ("", "", read.NOT_SAID)],
)
def test_lengths_that_a_source_does_not_say_are_not_taken_as_none(prompt: str, made: str, lengths: str) -> None:
    points = read.measured_points([MEASURED | {"input_tokens": prompt, "output_tokens": made}], KNOWN)
    assert points[0].lengths == lengths


@pytest.mark.parametrize(
    ("values", "per_user", "per_device", "how"),
    [
        ({"tpot_ms": "10"}, 100.0, 200.0, read.DECODE),  # 8 / 0.010 / 4
        ({"tpot_ms": "10", "ttft_ms": "600"}, 100.0, 8 * 101 / 1.6 / 4, read.WHOLE),
        ({"tpot_ms": "10", "output_tps_total": "640"}, 100.0, 160.0, read.STATED),
        ({"output_tps_total": "640"}, 80.0, 160.0, "mean over whole requests"),
        ({"decode_tps_per_user": "90"}, 90.0, 180.0, read.DECODE),
    ],
)
def test_figures_of_one_run_are_joined(values: dict[str, str], per_user: float, per_device: float, how: str) -> None:
    """Worked by hand from what each source states."""
    rows = [MEASURED | {"id": f"aic-x{at}", "metric": name, "value": value} for at, (name, value) in
            enumerate(values.items())]  # fmt: skip
    points = read.measured_points(rows, KNOWN)
    assert len(points) == 1
    assert (points[0].per_user, points[0].per_device) == (pytest.approx(per_user), pytest.approx(per_device))
    assert (points[0].how, points[0].evidence) == (how, "vendor")


def test_rows_without_a_load_or_set_aside_are_left_out() -> None:
    rows = [
        SERVING, SERVING | {"clean": "False"}, SERVING | {"model": "no such model"},
        MEASURED, MEASURED | {"concurrency_or_batch": ""}, MEASURED | {"quality": "exclude: contradicts itself"},
        MEASURED | {"metric": "energy_j_per_token"},
    ]  # fmt: skip
    assert read.rows_by_model(rows, KNOWN) == {"llama-3.1-70b": [SERVING, MEASURED]}


def measured_at(**changes: Any) -> Measured:
    """A run of the person's own."""
    values = {"output_tps": 300.0, "engine": "vLLM", "engine_version": "0.9.1", "started_at": "2026-02-03T04:05"}
    run = Run(run_id="r1", source_file="mine.json", source_format="x", outcome="ok", values=values | changes, fields={})
    return Measured(
        run=run, architecture=KNOWN.architecture("llama-3.1-70b"), chip=KNOWN.chip("h200-sxm"), device_count=4,
        users=10.0, input_tokens=1000.0, output_tokens=200.0, step_s=0.025,
    )  # fmt: skip


def test_an_own_run_is_a_point_of_its_own_kind() -> None:
    """Stated 300 tok/s on four devices are 75 each; without it, 10 users at 25 ms are 400, 100 each."""
    stated, not_stated = (read.own_points([measured_at(output_tps=rate)])[0] for rate in (300.0, None))
    assert (stated.per_user, stated.per_device, stated.evidence) == (40.0, 75.0, "your own")
    assert not_stated.per_device == 100.0
    assert stated.source.title == "mine.json, not reviewed"


def several() -> list[read.Point]:
    """Four runs; the second is beaten by the third in both."""
    first = read.serving_points([SERVING], KNOWN)[0]
    figures = [(20.0, 900.0), (40.0, 400.0), (50.0, 500.0), (90.0, 100.0)]
    return [
        replace(first, row_id=f"run{at}", per_user=user, per_device=device, users=2.0 ** (5 - at))
        for at, (user, device) in enumerate(figures)
    ]


def test_the_frontier_holds_what_nothing_beats() -> None:
    points = several()
    assert frontiers.frontier(points) == {"run0", "run2", "run3"}
    beaten = [each for each in points if each.row_id not in frontiers.frontier(points)]
    assert all(any(o.per_user >= b.per_user and o.per_device > b.per_device for o in points) for b in beaten)


def test_the_answer_is_the_best_run_that_is_fast_enough() -> None:
    study = frontiers.study(several(), least_token_per_s=45.0)
    assert study is not None
    assert "500 tok/s a device at 50 per user" in study.answer.replace("\u00a0", " ")
    assert study.table["row_id"].to_list() == ["run2"]
    none = frontiers.study(several(), least_token_per_s=1000.0)
    assert none is not None
    assert "No measured run of Llama 3.1 70B" in none.answer
    assert frontiers.study([], lengths="1 + 1") is None
    assert frontiers.study(several(), lengths="1 + 1") is None


def test_groups_beyond_six_share_one_colour() -> None:
    points = [replace(each, release=f"v{at}") for at in range(9) for each in several()]
    groups = frontiers.grouped(points, "release")
    assert list(groups) == list(range(7))
    assert groups[6][0] == frontiers.OTHERS
    assert sum(len(members) for _, members in groups.values()) == len(points)


@pytest.fixture(scope="module")
def published() -> list[read.Point]:
    """Every shipped run of one model."""
    serving = read.rows_by_model(load_measurements("serving"), KNOWN)["gpt-oss-120b"]
    single = read.rows_by_model(load_measurements("measured"), KNOWN)["gpt-oss-120b"]
    return [*read.serving_points(serving, KNOWN), *read.measured_points(single, KNOWN)]


@pytest.mark.parametrize("by", frontiers.BY)
def test_every_shipped_run_is_drawn_with_its_source(published: list[read.Point], by: str) -> None:
    own = read.own_points([measured_at()])
    study = frontiers.study([*published, *own], by=by)
    assert study is not None
    drawing = picture.figure(study, ink("light"))
    go.Figure(drawing)
    hovers = [text for part in drawing["data"] for text in part.get("hovertext", [])]
    assert len(hovers) == len(published) + 1
    for point in (published[0], published[-1], *own):
        assert any(point.source.title in text and point.row_id in text for text in hovers)
    symbols = {symbol for part in drawing["data"] if "hovertext" in part for symbol in part["marker"]["symbol"]}
    assert symbols == {picture.SYMBOLS[each.evidence] for each in [*published, *own]}


def test_the_models_line_rises_with_users_and_no_user_gets_faster(published: list[read.Point]) -> None:
    """More users never slow a machine as a whole, nor speed up anybody: physics of a closed loop."""
    study = frontiers.study(published, lengths="1,024 + 1,024")
    assert study is not None
    lines = study.marks["lines"]
    assert isinstance(lines, pd.DataFrame)
    for _, line in lines.groupby("place"):
        line = line.sort_values("users")
        assert (line[frontiers.PER_DEVICE].diff().dropna() >= -1e-9 * line[frontiers.PER_DEVICE].max()).all()
        assert (line[frontiers.PER_USER].diff().dropna() <= 1e-9 * line[frontiers.PER_USER].max()).all()


def test_the_arithmetic_ends_at_the_rate_of_a_device() -> None:
    study = frontiers.study(read.serving_points([SERVING], KNOWN))
    assert study is not None
    assert [step.result.replace("\u202f", " ").replace("\u00a0", " ") for step in study.arithmetic()] == [
        "2.5 s", "400 tok/s", "100 tok/s",
    ]  # fmt: skip
