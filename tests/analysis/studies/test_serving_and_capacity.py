"""Serving and capacity: an answer for every machine and choice, and what the answers must hold."""

from __future__ import annotations

import json
import math

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.figures import capacity as capacity_figure
from analysis.figures import serving as serving_figure
from analysis.figures.style import ink
from analysis.metrics import METRICS
from analysis.sentences import ANSWER_LENGTH
from analysis.studies import capacity, serving
from analysis.study import Slot, Study
from analysis.traffic.capacity import Load
from analysis.traffic.requests import PRESETS, Goals, request_mix
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import slots, workload

CATALOGUE = load_catalogue()
MIX = request_mix("lognormal", 2048, 512, 0.5)
LOAD = Load(rate_per_s=4.0, goals=Goals(ttft_s=2.0, tpot_s=0.05, e2e_s=60.0), link_byte_per_s=50e9)
WORDS = {"slot", "place", "vendor", "verdict", "one_down", "keeps", "prefill_slot"}


def mixed_slots(start: int) -> list[Slot]:
    """Six machines, every chip of the catalogue's once over all starts."""
    chips = sorted(CATALOGUE.chips.values(), key=lambda each: each.key)
    counts = (None, 1, 8, None, 3, 1000)
    return [Slot(place=at, chip=chips[(start + at) % len(chips)], device_count=counts[at]) for at in range(6)]


def check(found: Study, drawings: list[dict[str, object]]) -> None:
    assert len(found.answer) <= ANSWER_LENGTH, found.answer
    assert "nan" not in found.answer
    assert "inf" not in found.answer.replace("infer", "")
    assert found.answer.endswith(".")
    assert set(found.table.columns) - set(METRICS) <= WORDS
    for drawn in drawings:
        json.dumps(drawn, allow_nan=False)
        go.Figure(drawn)
    found.arithmetic()


def drawings_of(found: Study, *, sized: bool) -> list[dict[str, object]]:
    module = capacity_figure if sized else serving_figure
    names = ("percentiles", "stairs", "path") if sized else ("frontier", "first_token")
    return [getattr(module, name)(found, ink("light")) for name in names]


@pytest.mark.parametrize("start", range(0, len(CATALOGUE.chips), 6))
def test_every_chip_has_an_answer(start: int) -> None:
    models = sorted(CATALOGUE.architectures)
    asked = Workload(architecture=CATALOGUE.architectures[models[start % len(models)]], context_tokens=2048.0)
    if start % 24:
        found = serving.study(asked, mixed_slots(start), MIX, ttft_s=2.0, chunk_tokens=2048.0)
        check(found, drawings_of(found, sized=False))
    else:
        found = capacity.study(asked, mixed_slots(start), MIX, LOAD)
        check(found, drawings_of(found, sized=True))


@pytest.mark.parametrize(
    ("name", "model", "prompts_by"),
    [
        ("Chat", "glm-4.6", None),
        ("Batch", "gpt-oss-120b", 1),
        ("Edge", "llama-3.1-8b", None),
        ("Research", "glm-4.6", 1),
    ],
)
def test_every_use_has_an_answer(name: str, model: str, prompts_by: int | None) -> None:
    preset = PRESETS[name]
    mix = request_mix("lognormal", preset.input_tokens, preset.output_tokens, preset.cv, turns=3, cached_fraction=0.5)
    load = Load(rate_per_s=preset.rate_per_s, goals=preset.goals, link_byte_per_s=50e9)
    found = capacity.study(workload(model), slots(), mix, load, prompts_by=prompts_by, shown="whole answer")
    check(found, drawings_of(found, sized=True))
    other = serving.study(workload(model), slots(), mix, target_token_per_s=preset.tokens_per_s)
    check(other, drawings_of(other, sized=False))


def test_goals_are_just_kept() -> None:
    """At the point shown both goals hold; four times as many in flight would miss one, or there is no room for them."""
    found = serving.study(workload("glm-4.6"), slots(), MIX, target_token_per_s=30.0, ttft_s=2.0)
    curve = found.marks["curve"]
    for row in found.table.to_dict("records"):
        if not row["keeps"]:
            continue
        assert row["tokens_per_s_per_user"] >= 30.0
        assert row["ttft_s"] <= 2.0
        more = curve[(curve["place"] == row["place"]) & (curve["concurrency"] > row["concurrency"])]  # type: ignore[index, call-overload]
        assert ((more["tokens_per_s_per_user"] < 30.0) | (more["ttft_s"] > 2.0)).all()


def test_smaller_chunks_shorten_the_longest_gap() -> None:
    gaps = [
        float(serving.study(workload("glm-4.6"), slots(), MIX, chunk_tokens=chunk).table["longest_gap_s"][0])
        for chunk in (512.0, 2048.0, math.inf)
    ]
    assert gaps[0] < gaps[1] < gaps[2]


def test_an_impossible_promise_is_answered_in_words() -> None:
    """One microsecond a token: no number of replicas, and the reason carries the time of one request alone."""
    goals = Goals(ttft_s=10.0, tpot_s=1e-6, e2e_s=1000.0)
    found = capacity.study(workload("glm-4.6"), slots(("h200-sxm", 8)), MIX, Load(rate_per_s=1.0, goals=goals))
    assert found.answer.startswith("No number of replicas")
    assert "time per token" in str(found.table["verdict"][0])
    assert "even with nobody else" in str(found.table["verdict"][0])
    assert found.table["replicas"].isna().all()


def test_a_jump_by_hand() -> None:
    """Quiet at a tenth of the load: what arrives and is not carried until a new replica answers piles up."""
    around = capacity.Around(quiet_fraction=0.1, read_byte_per_s=2e9, start_s=30.0)
    found = capacity.study(workload("glm-4.6"), slots(("h200-sxm", 8)), MIX, LOAD, around=around)
    row = found.table.iloc[0]
    late = 353.7e9 / (8 * 2e9) + 30.0  # GLM-4.6 in FP8 weighs 353.7 GB
    assert row["cold_start_s"] == pytest.approx(late, rel=0.01)
    piled = max(LOAD.rate_per_s - row["quiet_replicas"] * row["most_per_s"], 0.0) * row["cold_start_s"]
    assert row["backlog_requests"] == pytest.approx(piled)


def test_recorded_bursts_need_more_than_even_arrivals() -> None:
    """1,200 requests in bursts of 60 need more replicas than 1,200 at equal gaps, at the same mean rate."""
    mix, goals = request_mix("fixed", 2048, 128, 0.0), Goals(ttft_s=1.0, tpot_s=0.05, e2e_s=60.0)
    even = np.linspace(0.0, 120.0, 1200)
    bursts = np.repeat(np.linspace(0.0, 120.0, 20), 60)
    asked, machine = workload("glm-4.6"), slots(("h200-sxm", 8))
    counts = [
        capacity.study(asked, machine, mix, Load(rate_per_s=1.0, goals=goals), arrivals_s=times).table["replicas"][0]
        for times in (even, bursts)
    ]
    assert counts[0] < counts[1]


def test_the_way_adds_up() -> None:
    """Parts between the first and the last are the mean whole answer; what stands round it is as said."""
    found = capacity.study(workload("glm-4.6"), slots(("b200-sxm", 8)), MIX, LOAD)
    path = found.marks["path"]
    parts = dict(zip(path["part"], path["path_s"], strict=True))  # type: ignore[index, call-overload]
    assert parts["network"] == 0.04
    inside = sum(parts[name] for name in ("queue", "schedule", "prompt", "answer"))
    assert 0.2 < inside < LOAD.goals.e2e_s
    assert parts["answer"] > parts["prompt"]


def test_a_machine_that_cannot_compute_prompts_leaves_nobody_to_do_so_quietly() -> None:
    """70 B weights at one byte are 70 GB and do not fit an RTX 4090's 24 GB, so it can compute no prompts for others.

    H200 alone would do: the same load without the choice is served.
    """
    chips = [Slot(place=0, chip=CATALOGUE.chips["h200-sxm"], device_count=4),
             Slot(place=1, chip=CATALOGUE.chips["rtx-4090"], device_count=1)]  # fmt: skip
    asked = workload("llama-3.1-70b")
    apart = capacity.study(asked, chips, MIX, LOAD, prompts_by=1)
    row = apart.table.iloc[0]
    assert math.isnan(row["replicas"])
    assert row["verdict"].startswith("1 × RTX 4090 cannot compute its prompts: does not fit")
    assert apart.answer.startswith("1 × RTX 4090 cannot compute the prompts for Llama 3.1 70B, so nothing is served")
    assert capacity.study(asked, chips, MIX, LOAD).table.iloc[0]["replicas"] >= 1
