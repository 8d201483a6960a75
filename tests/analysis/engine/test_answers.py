"""Answers on the shipped catalogue: published and hand-worked figures, and every refusal with what would be needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.engine import Case, evaluate
from data.catalogue.catalogue import load_catalogue

GLM, LLAMA8, LLAMA70 = "glm-4.6", "llama-3.1-8b", "llama-3.1-70b"


def ask(model: str, hardware: str, **more: Any) -> pd.Series[Any]:
    """The answer to one case of the shipped catalogue; a decode step at the context unless outputs are given."""
    catalogue = load_catalogue()
    stated: dict[str, Any] = {"output_tokens": 0} | more
    case = Case(architecture=catalogue.architecture(model), chip=catalogue.chip(hardware), **stated)
    return evaluate([case]).iloc[0]


@pytest.mark.parametrize(
    ("model", "context", "wafers", "speed"),
    [
        (GLM, 0, 11, 858), (GLM, 4096, 11, 799), (GLM, 8192, 11, 748), (GLM, 200_000, 11, 186),
        (LLAMA8, 0, 1, 2095), (LLAMA8, 4096, 1, 1939), (LLAMA8, 8192, 1, 1805),
        (LLAMA70, 0, 4, 468), (LLAMA70, 4096, 4, 443), (LLAMA70, 8192, 4, 420),
    ],
)  # fmt: skip
def test_wafers_needed_and_speed_of_one_stream(model: str, context: int, wafers: int, speed: float) -> None:
    """The mesh law by hand, 8B at empty context: P^2 = 900,000 / 32 = 28,125, P = 167.7;
    4.20 us + 13.98 ns x 167.7 + 1.004 ns x 234.5e6 / 28,125 = 14.92 us; x 32 layers = 477.3 us = 2,095 a second.
    """
    answer = ask(model, "wse-3", input_tokens=context, weight_format="fp8" if model == GLM else "bf16")
    assert answer["device_count"] == wafers
    assert answer["tokens_per_s_per_user"] == pytest.approx(speed, abs=0.55)
    assert (answer["confidence"] == "extrapolated") == (context > 4096)


def test_glm_in_16_bits_needs_21_wafers() -> None:
    """352.8e9 x 2 B = 705.6 GB over 0.8017 x 44 GB = 20.002 wafers."""
    assert ask(GLM, "wse-3", input_tokens=0, weight_format="bf16")["devices_needed"] == 21


def test_one_wafer_does_not_hold_70b() -> None:
    answer = ask(LLAMA70, "wse-3", device_count=1, input_tokens=4096)
    assert not answer["feasible"]
    assert answer["binding"] == "capacity"
    assert "4 wafers needed" in answer["reason"]
    assert pd.isna(answer["tokens_per_s_per_user"])


def test_room_on_four_wafers() -> None:
    """4 x 44 GB x 0.95 - 141.1 GB = 26.1 GB over 327,680 B a token = 79,600 tokens."""
    assert ask(LLAMA70, "wse-3", input_tokens=4096)["kv_room_tokens"] == pytest.approx(79_600, rel=1e-3)


def test_lpus_that_hold_glm() -> None:
    """353 GB of 8-bit weights (tables and routers wider) over 230 MB = 1,535; a cache of 8K adds a percent."""
    answer = ask(GLM, "groq-lpu-v1", input_tokens=8192, weight_format="fp8")
    assert answer["device_count"] == pytest.approx(1535, rel=0.015)
    assert answer["tokens_per_s_per_user"] == pytest.approx(1 / (92 * 45e-6))


def test_gpus_at_200k_are_slower_but_not_by_much() -> None:
    short = ask(GLM, "b200-sxm", device_count=8, input_tokens=8192, weight_format="fp8")
    long = ask(GLM, "b200-sxm", device_count=8, input_tokens=200_000, weight_format="fp8")
    assert short["binding"] == "latency"
    assert 0.7 < long["tokens_per_s_per_user"] / short["tokens_per_s_per_user"] < 0.95


@pytest.mark.parametrize(
    ("model", "hardware", "more", "said"),
    [
        ("qwen3-32b", "h200-sxm", {"tp": 6, "device_count": 6}, "does not divide the attention heads"),
        ("deepseek-v3", "h200-sxm", {"tp": 8, "ep": 7, "device_count": 8}, "does not divide the 256 experts"),
        (LLAMA70, "h200-sxm", {"tp": 8, "ep": 8, "device_count": 8}, "does not divide the 0 experts"),
        (LLAMA8, "h200-sxm", {"input_tokens": 200_000}, "above the limit of"),
        (LLAMA70, "h100-pcie", {"tp": 8, "device_count": 8}, "bridged in pairs"),
        (LLAMA8, "qc-ai100-ultra", {"tp": 2, "device_count": 2}, "needs a link between devices"),
        (LLAMA70, "h200-sxm", {"tp": 4, "pp": 1, "device_count": 8}, "cannot be tp 4 x pp 1"),
        (LLAMA8, "h200-sxm", {"tp": 8, "device_count": 1}, "cannot be tp 8"),
        ("deepseek-v3", "h200-sxm", {"tp": 1, "ep": 8, "device_count": 8}, "ep 8 needs as many devices"),
        (LLAMA8, "m1", {"device_count": 1, "concurrency": "offline"}, "the largest batch is not"),
        (LLAMA8, "m1", {}, "say how many"),
        (LLAMA8, "h200-sxm", {"tp": 0}, "tp is below one"),
        (LLAMA70, "rtx-4090", {"device_count": 1, "engine": "llama.cpp"}, "8 devices needed"),
        (LLAMA8, "ibm-northpole", {}, "no law for the speed"),
        (LLAMA8, "h200-sxm", {"weight_format": "fp9"}, "no number format is called 'fp9'"),
        (LLAMA8, "h200-sxm", {"concurrency": "sometimes"}, "this kind of load"),
        (LLAMA8, "h200-sxm", {"concurrency": 0.0}, "concurrency is not above zero"),
        (LLAMA8, "h200-sxm", {"output_tokens": -1}, "negative"),
    ],
)
def test_refusals_say_why(model: str, hardware: str, more: dict[str, Any], said: str) -> None:
    answer = ask(model, hardware, **({"input_tokens": 1000} | more))
    assert not answer["feasible"]
    assert said in answer["reason"]
    assert pd.isna(answer["tpot_s"])
    assert pd.isna(answer["output_tokens_per_s"])


def test_bridged_cards_work_in_pairs() -> None:
    pair = ask(LLAMA70, "h100-pcie", tp=2, device_count=2, weight_format="fp8", input_tokens=1000)
    four = ask(LLAMA70, "h100-pcie", device_count=4, input_tokens=1000)
    assert pair["feasible"]
    assert (four["tp"], four["pp"]) == (2, 2)


def test_fewest_devices_are_chosen_and_said() -> None:
    """141 GB of weights and 16 x 31,000 tokens x 327,680 B = 163 GB of cache: 304 GB. A card with 150.8 GB visible
    leaves 0.9 x 150.8 - 2 - 3 = 131 GB, so two are short and four hold it.
    """
    answer = ask(LLAMA70, "h200-sxm", input_tokens=30_000, output_tokens=1000, concurrency=16)
    assert answer["device_count"] == 4
    assert "4 devices, the fewest that hold" in answer["assumed"]
    assert "tp 4" in answer["assumed"]


def test_more_devices_than_a_copy_needs_serve_copies() -> None:
    answer = ask(LLAMA8, "gb200", device_count=72, input_tokens=1000, output_tokens=100, concurrency=720)
    assert (answer["tp"], answer["pp"], answer["replicas"]) == (8, 1, 9)
    alone = ask(LLAMA8, "gb200", device_count=8, input_tokens=1000, output_tokens=100, concurrency=80)
    assert answer["tpot_s"] == pytest.approx(alone["tpot_s"])
    assert answer["output_tokens_per_s"] == pytest.approx(9 * alone["output_tokens_per_s"])


def test_requests_without_room_wait() -> None:
    """Twice the sequences on a full machine: nobody decodes faster, everybody waits one request longer."""
    more: dict[str, Any] = {"device_count": 1, "input_tokens": 8000, "output_tokens": 1000, "weight_format": "fp8"}
    full = ask(LLAMA70, "h200-sxm", concurrency=1.0, **more)
    crowd = ask(LLAMA70, "h200-sxm", concurrency=64.0, **more)
    assert crowd["binding"] == "queue"
    assert crowd["running"] < 64
    assert crowd["ttft_s"] > 10 * full["ttft_s"]
    assert "the others wait" in crowd["assumed"]


def test_expert_devices_hold_whole_experts() -> None:
    """Spreading experts over the devices of the group divides their bytes as cutting each of them does."""
    more: dict[str, Any] = {"device_count": 8, "tp": 8, "input_tokens": 1000}
    spread, cut = ask("deepseek-v3", "h200-sxm", ep=8, **more), ask("deepseek-v3", "h200-sxm", **more)
    assert spread["tpot_s"] == pytest.approx(cut["tpot_s"])
    assert spread["kv_room_tokens"] == pytest.approx(cut["kv_room_tokens"])


def test_attention_groups_keep_one_cache_each() -> None:
    """MLA's latent cache is copied to all eight devices of a group, and not at all with eight groups of one."""
    more: dict[str, Any] = {"device_count": 8, "tp": 8, "ep": 8, "input_tokens": 1000, "concurrency": 64}
    cut, groups = ask("deepseek-v3", "b200-sxm", **more), ask("deepseek-v3", "b200-sxm", dp=8, **more)
    assert groups["cache_byte"] == pytest.approx(cut["cache_byte"] / 8)
    assert groups["weight_byte"] == cut["weight_byte"]
    assert groups["memory_needed_byte"] > 0


def test_stages_leave_one_stream_alone() -> None:
    """llama.cpp with layers over two cards: one works at a time, so a stream is as fast as on one."""
    more: dict[str, Any] = {"engine": "llama.cpp", "weight_format": "q4_k_m", "input_tokens": 500}
    one, two = (ask(LLAMA8, "rtx-4090", device_count=count, **more) for count in (1, 2))
    assert one["tpot_s"] == pytest.approx(two["tpot_s"])
    assert two["ceiling_tokens_per_s_per_user"] > one["ceiling_tokens_per_s_per_user"]


def test_kept_full_machine_has_a_rate_and_no_first_token() -> None:
    answer = ask(LLAMA70, "h100-sxm", concurrency="offline", device_count=8, input_tokens=1000, output_tokens=1000)
    assert answer["output_tokens_per_s"] > 1000
    assert pd.isna(answer["ttft_s"])
    assert "kept full" in answer["assumed"]


def test_prompts_elsewhere_do_not_delay_decoding() -> None:
    catalogue = load_catalogue()
    case = Case(
        architecture=catalogue.architecture(LLAMA70), chip=catalogue.chip("h200-sxm"), device_count=8,
        concurrency=64, input_tokens=8000, output_tokens=500,
    )  # fmt: skip
    mixed, apart = evaluate([case, replace(case, prefill_elsewhere=True)])["tpot_s"]
    assert apart < mixed


def test_no_cases_no_rows() -> None:
    assert evaluate([]).empty


def test_every_chip_with_every_model_has_an_answer_or_a_reason() -> None:
    """A walk through the whole catalogue with defaults: nothing raises, is silent, or beats its ceiling."""
    catalogue = load_catalogue()
    asked = [
        Case(architecture=model, chip=device, concurrency=4, input_tokens=1000, output_tokens=100)
        for device in catalogue.chips.values()
        for model in list(catalogue.architectures.values())[::7]
    ]
    answer = evaluate(asked)
    assert (answer["feasible"] == (answer["reason"] == "")).all()
    ok = answer[answer["feasible"]]
    assert ok["tpot_s"].gt(0).all()
    assert (ok["tokens_per_s_per_user"] <= ok["ceiling_tokens_per_s_per_user"] * (1 + 1e-9)).all()
    assert (ok["assumed"] != "").all()
    assert not np.isinf(ok.select_dtypes("number")).any().any()


def test_unknown_memory_is_said_not_guessed() -> None:
    answer = ask(LLAMA8, "m1", device_count=1, weight_format="q4_0", engine="llama.cpp", input_tokens=500)
    assert answer["feasible"]
    assert "whether it fits is not checked" in answer["assumed"]
    assert pd.isna(answer["kv_room_tokens"])


def test_the_fewest_devices_hold_recurrent_state_too() -> None:
    """A hybrid model's state is memory like its cache: the count that is offered must itself fit."""
    known = load_catalogue()
    hybrid = known.architecture("qwen3.5-397b-a17b")
    case = Case(
        architecture=hybrid, chip=known.chip("groq-lpu-v1"), weight_format="fp8", kv_format="fp8", input_tokens=8192,
        output_tokens=0,
    )  # fmt: skip
    assert evaluate([case]).iloc[0]["feasible"]
