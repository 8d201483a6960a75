"""After calibration: no faster format and no added device makes a model slower without the answer saying why."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from analysis.engine import Case, evaluate
from data.catalogue.catalogue import load_catalogue

KNOWN = load_catalogue()
MODELS = ("llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "gpt-oss-120b", "qwen3-235b-a22b", "deepseek-v3")


def case(model: str, chip: str, **more: object) -> Case:
    plain = Case(architecture=KNOWN.architecture(model), chip=KNOWN.chip(chip), engine="vLLM", device_count=8, tp=8)
    return replace(plain, input_tokens=2048, output_tokens=512, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("chip", ["h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "mi300x"])
@pytest.mark.parametrize("model", ["llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "deepseek-v3"])
@pytest.mark.parametrize("load", [1.0, 16.0, 256.0])
def test_fp8_is_not_slower_unless_latency_says_so(model: str, chip: str, load: float) -> None:
    """Per-tensor FP8 adds no operator. Block scales add quantising, which then is in the larger latency share."""
    pair = [case(model, chip, concurrency=load, weight_format=name, fp8_scaling="tensor") for name in ("bf16", "fp8")]
    wide, narrow = (row for _, row in evaluate(pair).iterrows())
    if wide["feasible"] and wide["binding"] != "queue":  # with less room fewer sequences run at once, each faster
        assert narrow["tpot_s"] <= wide["tpot_s"] * (1 + 1e-9)
    block = evaluate([replace(pair[1], fp8_scaling="block")]).iloc[0]
    if wide["feasible"] and wide["binding"] != "queue" and block["tpot_s"] > wide["tpot_s"]:
        assert block["latency_s"] > wide["latency_s"]


@pytest.mark.parametrize("chip", ["h200-sxm", "b200-sxm", "mi355x"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("load", [1.0, 64.0])
def test_more_devices_are_not_slower_unless_communication_says_so(model: str, chip: str, load: float) -> None:
    plans = [case(model, chip, concurrency=load, tp=n) for n in (1, 2, 4, 8)]
    answer = evaluate([replace(each, device_count=each.tp) for each in plans])
    rows = [row for _, row in answer[answer["feasible"]].iterrows()]
    for fewer, more in pairwise(rows):
        slower = more["tpot_s"] > fewer["tpot_s"] * (1 + 1e-9)
        waited = fewer["binding"] == "queue"  # fewer devices run fewer sequences at once
        assert not slower or waited or more["communication_s"] > fewer["communication_s"]


def test_intervals_stay_below_the_ceiling_and_widen_far_away() -> None:
    near, far = case("llama-3.1-70b", "h200-sxm", concurrency=16.0), case("llama-3.1-70b", "gaudi3", concurrency=16.0)
    answer = evaluate([near, far, case("llama-3.1-8b", "h200-sxm", concurrency=1.0)])
    held = answer["high_tokens_per_s_per_user"] <= answer["ceiling_tokens_per_s_per_user"] * (1 + 1e-9)
    assert held.all()
    ratio = answer["high_tpot_s"] / answer["low_tpot_s"]
    assert ratio[1] > ratio[0]
    assert "far from anything measured" in answer["assumed"][1]
    assert "far from anything measured" not in answer["assumed"][0]
    inside = (answer["low_tpot_s"] <= answer["tpot_s"]) & (answer["tpot_s"] <= answer["high_tpot_s"])
    assert inside.all()
