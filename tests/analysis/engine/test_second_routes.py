"""The engine against two small implementations written by other hands: same numbers in, same seconds out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.engine import Case, evaluate
from analysis.models.mesh import best_side
from analysis.parameters import starting_parameters
from data.records import Chip
from tests.analysis.engine.nets import chip, from_net, gpu, second_form, second_route, step_seconds

SAME = {"rtol": 1e-9, "atol": 0.0}
SEQUENCES = np.array([1.0, 2, 4, 16, 64, 256, 1024])
ENGINES = {"trtllm": "TensorRT-LLM", "vllm": "vLLM 0.9", "sglang": "SGLang"}


def nets() -> dict[str, Any]:
    """Nets of every kind of layer the second route knows."""
    route = second_route("reference_serving_model")
    layers = route.Layers
    glm5 = {
        "attn": "mla",
        "nq": 64,
        "nkv": 64,
        "q_lora": 2048,
        "kv_lora": 512,
        "nope": 192,
        "vd": 256,
        "topk_ctx": 2048,
    }
    delta = {"attn": "linear", "lin_k": (16, 128), "lin_v": (64, 128)}
    moe = {"ff": 1024, "E": 512, "k": 10, "ffe": 1024}
    return dict(route.NETS) | {
        "sparse": route.Net(
            6144, 154880, (layers(3, ff=12288, **glm5), layers(75, ff=2048, E=256, k=8, ffe=2048, **glm5))
        ),
        "hybrid": route.Net(4096, 248320, (layers(45, **delta, **moe), layers(15, nq=32, nkv=2, hd=256, **moe))),
    }


def case_of(net: Any, hw: Any, run: Any) -> Case:
    """The case that a second route's net, GPU and run describe."""
    widths = {2.0: "bf16", 1.0: "fp8"}
    return Case(
        architecture=from_net(net),
        chip=gpu(hw),
        engine=ENGINES[run.engine],
        weight_format=run.ffn_w,
        attention_format=run.attn_w,
        expert_format=run.exp_w,
        kv_format=widths[run.kvb],
        fp8_scaling="block" if run.block_fp8 else "tensor",
        tp=run.tp,
        ep=run.ep,
        device_count=run.tp,
    )


RUNS: list[dict[str, Any]] = [
    {},
    {"tp": 8, "attn_w": "fp8", "ffn_w": "fp8", "exp_w": "fp8", "kvb": 1.0, "engine": "trtllm"},
    {
        "tp": 8,
        "ep": 8,
        "attn_w": "fp8",
        "ffn_w": "fp8",
        "exp_w": "fp8",
        "kvb": 1.0,
        "block_fp8": True,
        "engine": "sglang",
    },
    {"tp": 4, "ffn_w": "nvfp4", "exp_w": "nvfp4", "kvb": 1.0, "engine": "trtllm"},
    {"tp": 2, "exp_w": "int4"},
    {"tp": 16, "exp_w": "fp8"},
]


@pytest.mark.parametrize("net", ["llama70b", "deepseek", "gptoss", "sparse", "hybrid"])
@pytest.mark.parametrize("run", RUNS, ids=lambda each: "-".join(str(value) for value in each.values()) or "plain")
def test_decode_prefill_and_mixed_steps(net: str, run: dict[str, Any]) -> None:
    route, table = second_route("reference_serving_model"), nets()
    for name in ("H100", "B200"):
        hw, described = route.GPUS[name], route.Run(**run)
        if not hw.blackwell and described.ffn_w == "nvfp4":
            continue  # the second route gives Hopper an FP4 peak; the product widens the weights instead
        case = case_of(table[net], hw, described)
        context = np.array([0.0, 1, 100, 2048, 50_000, 131_072, 7])
        expected = route.step(table[net], hw, described, SEQUENCES, context)
        assert np.allclose(step_seconds(case, SEQUENCES, context), expected, **SAME)
        expected = route.step(table[net], hw, described, 0.0, 3000, P=9000.0, I=3000.0, host=False)
        assert np.allclose(step_seconds(case, 0.0, 3000, 9000, 3000, host=False), expected, **SAME)
        expected = route.step(table[net], hw, described, SEQUENCES, context, P=2048.0, I=4096.0)
        assert np.allclose(step_seconds(case, SEQUENCES, context, 2048, 4096), expected, **SAME)


def test_mxfp4_experts_on_hopper_are_widened() -> None:
    route = second_route("reference_serving_model")
    run = route.Run(tp=4, exp_w="mxfp4")
    case = case_of(route.NETS["gptoss"], route.GPUS["H100"], run)
    expected = route.step(route.NETS["gptoss"], route.GPUS["H100"], run, SEQUENCES, 2048)
    assert np.allclose(step_seconds(case, SEQUENCES, 2048), expected, **SAME)


@pytest.mark.parametrize("net", ["llama70b", "deepseek", "hybrid"])
def test_closed_loop_counts_only_decoding_requests(net: str) -> None:
    route, table = second_route("reference_serving_model"), nets()
    run = route.Run(tp=8, attn_w="fp8", ffn_w="fp8", exp_w="fp8", kvb=1.0, engine="trtllm")
    loads = np.array([1.0, 4, 16, 64, 300])
    case = case_of(table[net], route.GPUS["H200"], run)
    expected = route.serve(table[net], route.GPUS["H200"], run, loads, 1000, 900, share=True)
    loaded = [replace(case, concurrency=c, input_tokens=1000, output_tokens=900) for c in loads]
    found = evaluate(loaded, second_form())
    assert np.allclose(found["tpot_s"], expected["tpot"], **SAME)
    assert np.allclose(found["e2e_s"], expected["e2e"], **SAME)
    assert np.allclose(found["output_tokens_per_s"], expected["out_tps"], **SAME)
    alone = route.serve(table[net], route.GPUS["H200"], run, loads, 1000, 900)
    assert np.allclose(found["decode_step_s"], alone["t_dec"], **SAME)
    assert np.allclose(found["prefill_s"], alone["t_pre"], **SAME)


def test_full_machine() -> None:
    """The batch that fits is read from the answer; the second route then gives its rate."""
    route = second_route("reference_serving_model")
    run = route.Run(tp=8, attn_w="fp8", ffn_w="fp8", kvb=1.0, engine="trtllm")
    case = case_of(route.NETS["llama70b"], route.GPUS["H200"], run)
    case = replace(case, concurrency="offline", input_tokens=1000, output_tokens=500)
    case = replace(case, chip=replace(case.chip, memory_byte=30e9))
    found = evaluate([case], second_form()).iloc[0]
    assert found["running"] > 1
    expected = route.offline(route.NETS["llama70b"], route.GPUS["H200"], run, found["running"], 1000, 500)
    assert found["output_tokens_per_s"] == pytest.approx(float(expected), rel=1e-9)


def wafer(cores: int = 900_000) -> Chip:
    """WSE-3 as the second route has it."""
    return chip(
        generation="wse",
        execution="mesh",
        kind="wafer",
        memory_byte=44e9,
        bandwidth_byte_per_s=21e15,
        core_count=cores,
        peak_bf16_flop_per_s=None,
        peak_fp8_flop_per_s=None,
        peak_fp16_flop_per_s=15840e12,
    )


@pytest.mark.parametrize(
    ("model", "count"), [("llama3-8b", 1), ("llama3-70b", 4), ("qwen3-32b", 3), ("glm-4.6", 20), ("deepseek-v3", 40)]
)
def test_wafer_steps_and_prompts(model: str, count: int) -> None:
    route = second_route("reference_model")
    net = route.MODELS[model]
    contexts = np.array([0.0, 1000, 4096, 60_000])
    case = Case(architecture=from_net(net), chip=wafer(), device_count=count, output_tokens=0, weight_format="bf16")
    found = evaluate([replace(case, input_tokens=each) for each in contexts], second_form())
    expected = route.wafer_step(net, ndev=count, S=contexts)
    assert np.allclose(found["tpot_s"], expected["t"], **SAME)
    assert np.allclose(found["read_bound_tokens_per_s_per_user"], expected["read_bound_tps"], **SAME)
    assert np.allclose(
        found["naive_tokens_per_s_per_user"], expected["naive_tps"], rtol=2e-4
    )  # routers in 16 bits both
    drafted = evaluate([replace(case, input_tokens=each, new_tokens=5.0) for each in contexts], second_form())
    assert np.allclose(drafted["tpot_s"], route.wafer_step(net, ndev=count, S=contexts, T=5)["t"], **SAME)
    if net.blocks[0].attn == "gqa":
        prompts = route.wafer_prefill(net, contexts[1:], ndev=count)
        assert np.allclose(found["prefill_s"][1:], prompts, **SAME)


def test_wafer_memory_room() -> None:
    route = second_route("reference_model")
    net = route.MODELS["llama3-70b"]
    case = Case(architecture=from_net(net), chip=wafer(), device_count=4, input_tokens=100, output_tokens=0)
    room_byte = route.wafer_step(net, ndev=4)["kv_room"]
    assert evaluate([case])["kv_room_tokens"].iat[0] == pytest.approx(room_byte / 327_680, rel=1e-4)


def test_best_side_of_a_region() -> None:
    route, mesh = second_route("reference_model"), starting_parameters().mesh
    for macs in (1e7, 2.3e8, 1e9):
        assert float(best_side(mesh.mac_s, macs, mesh.crossing_s)) == pytest.approx(float(route.mesh_side_opt(macs)))


@pytest.mark.parametrize(
    ("kind", "more"), [("cuda", {}), ("datacentre", {"memory_type": "HBM3"}), ("metal", {"generation": "apple-m2"})]
)
@pytest.mark.parametrize("number_format", ["f16", "q4_k_m"])
def test_llama_cpp_stream(kind: str, more: dict[str, Any], number_format: str) -> None:
    route = second_route("reference_model")
    net = route.MODELS["llama3-8b"]
    device = chip(**({"generation": "ada", "bandwidth_byte_per_s": 1008e9, "peak_bf16_flop_per_s": 1e18} | more))
    case = Case(
        architecture=from_net(net), chip=device, engine="llama.cpp", weight_format=number_format, device_count=1,
        input_tokens=4096, output_tokens=0,
    )  # fmt: skip
    fmt = {"f16": "fp16"}.get(number_format, number_format)
    expected = route.llamacpp_tps(net, 1008e9, fmt, 4096, kind)
    assert evaluate([case], second_form())["tokens_per_s_per_user"].iat[0] == pytest.approx(float(expected), rel=1e-9)


def test_fixed_layers() -> None:
    route = second_route("reference_model")
    net = route.MODELS["llama3-70b"]
    lpu = chip(execution="deterministic", generation="groq", memory_byte=230e6, bandwidth_byte_per_s=80e12)
    case = Case(architecture=from_net(net), chip=lpu, input_tokens=100, output_tokens=0)
    expected = route.lpu_step(net, t_layer=45e-6)
    assert evaluate([case])["tpot_s"].iat[0] == pytest.approx(expected, rel=1e-9)
