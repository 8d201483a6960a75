"""Architectures and chips made of the numbers a second route is fed with, so that both compute the same machine."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from analysis.engine.case import Case
from analysis.engine.degrees import Plan
from analysis.engine.inputs import side_by_side
from analysis.engine.kernels import Machine, step_terms
from analysis.engine.operators import Load
from analysis.engine.resolve import resolve
from analysis.engine.shapes_of_cases import shapes_of
from analysis.parameters import Parameters, starting_parameters
from data.records import Architecture, Attention, Block, Chip, Matrix, Mlp
from tests.shared_files import shared_path


def second_route(name: str) -> ModuleType:
    """A reference implementation as a module; skips the test where it is not there."""
    path = shared_path("reference", f"{name}.py")
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = written
    return module


def second_form() -> Parameters:
    """The shipped parameters with the values that the second routes have written into them."""
    shipped = starting_parameters()
    serving = replace(
        shipped.serving,
        operator_s=8.9e-6, engine_factor=1.14, amd_operator_factor=1.0, lone_share=0.0, expert_operators=2.9,
        weight_only_expert_operators=5.2, block_fp8_operators=0.79, nvfp4_operators=0.38, sequence_s=1.28e-5,
        bandwidth_fraction=0.92, cache_bandwidth_fraction=0.61, expert_bandwidth_fraction=1.01,
        weight_only_expert_bandwidth_fraction=0.705, peak_fraction_16_bit=0.80, peak_fraction_fp8=0.457,
        peak_fraction_fp4=0.404, link_fraction=0.417, delaying_fraction=0.778, front_tensorrt_s=0.0, front_vllm_s=0.0,
        front_sglang_s=0.0, first_steps=0.5, waiting=1 - 0.778, waiting_sglang=1 - 0.778, offline_saturation=256.0,
        offline_sequence_s=1.28e-5, offline_cache_bandwidth_fraction=0.61, offline_expert_bandwidth_fraction=1.01,
        offline_link_fraction=0.417, offline_peak_fraction_attention=0.30, offline_peak_fraction_16_bit=0.80,
        offline_peak_fraction_fp8=0.60, offline_peak_fraction_block_fp8=0.45, offline_peak_fraction_fp4=0.404,
    )  # fmt: skip
    streamed = replace(
        shipped.streamed,
        cuda_weight_fraction=0.90, cuda_quantised_factor=0.98, cuda_layer_s=9.0e-5, metal_weight_fraction=0.88,
        metal_quantised_factor=0.90, metal_layer_s=1.62e-4, metal_k_quant_flop=0.0, datacentre_weight_fraction=0.59,
        datacentre_quantised_factor=1.0, datacentre_layer_s=1.18e-4, gb10_weight_fraction=0.95,
        gb10_quantised_factor=0.95, gb10_layer_s=4.4e-5,
    )  # fmt: skip
    return replace(shipped, serving=serving, streamed=streamed, achieved={})


def architecture(hidden: int, vocabulary: int, blocks: tuple[Block, ...], **more: Any) -> Architecture:
    """An architecture without norms, biases or sources: bare matrices, as the second routes have them."""
    stated = {"native_weight_format": "bf16", "native_attention_format": "", "native_expert_format": ""} | more
    return Architecture(
        key="bare",
        name="Bare",
        publisher_name="",
        release="",
        hidden=hidden,
        vocabulary=vocabulary,
        tied_embeddings=False,
        blocks=blocks,
        outer_parameters=0,
        mtp_parameters=0,
        max_context_tokens=10**9,
        fp8_block_scaled=False,
        published_total_parameters=None,
        published_total_note="",
        published_active_parameters=None,
        configuration_kind="",
        audited="",
        note="",
        facts={},
        **stated,
    )


def gqa(hidden: int, query: int, cached: int, width: int, window: int = 0) -> Attention:
    """Grouped-query attention of four matrices."""
    return Attention(
        kind="gqa",
        query_heads=query,
        kv_heads=cached,
        head_width=width,
        window_tokens=window,
        matrices=(
            Matrix(name="query", rows=hidden, columns=query * width),
            Matrix(name="key", rows=hidden, columns=cached * width, split="kv_heads"),
            Matrix(name="value", rows=hidden, columns=cached * width, split="kv_heads"),
            Matrix(name="output", rows=query * width, columns=hidden),
        ),
    )


def from_layers(hidden: int, layers: Any) -> Block:
    """The block that a second route's `Layers` or `Block` describes."""
    count = getattr(layers, "n", 0)
    experts = Mlp(
        kind="moe" if layers.E else "dense",
        inner_width=layers.ff,
        experts=layers.E,
        experts_per_token=layers.k,
        expert_width=layers.ffe,
    )
    return Block(layers=count, attention=_attention(hidden, layers), mlp=experts)


def _attention(hidden: int, b: Any) -> Attention:
    if b.attn == "gqa":
        return gqa(hidden, b.nq, b.nkv, b.hd, b.window)
    if b.attn == "linear":
        (hk, dk), (hv, dv) = b.lin_k, b.lin_v
        return Attention(
            kind="linear",
            state_elements=hv * dk * dv,
            matrices=(
                Matrix(name="into", rows=hidden, columns=2 * hk * dk + 2 * hv * dv),
                Matrix(name="output", rows=hv * dv, columns=hidden),
            ),
        )
    return Attention(
        kind="mla",
        query_heads=b.nq,
        kv_heads=b.nq,
        head_width=b.nope + b.rope,
        q_rank=b.q_lora,
        kv_rank=b.kv_lora,
        rope_width=b.rope,
        nope_width=b.nope,
        value_width=b.vd,
        selected_tokens=b.topk_ctx,
        indexer_heads=32 if b.topk_ctx else 0,
        indexer_width=128 if b.topk_ctx else 0,
        matrices=(
            Matrix(name="down", rows=hidden, columns=b.q_lora + b.kv_lora + b.rope, split="whole"),
            Matrix(name="query_up", rows=b.q_lora, columns=b.nq * (b.nope + b.rope)),
            Matrix(name="latent_up", rows=b.kv_lora, columns=b.nq * (b.nope + b.vd)),
            Matrix(name="output", rows=b.nq * b.vd, columns=hidden),
        ),
    )


def from_net(net: Any, **more: Any) -> Architecture:
    """The architecture of a second route's `Net` or `Model`."""
    return architecture(net.d, net.vocab, tuple(from_layers(net.d, each) for each in net.blocks), **more)


def chip(**more: Any) -> Chip:
    """A GPU of given numbers, Hopper unless said otherwise."""
    stated: dict[str, Any] = {
        "key": "a-chip",
        "name": "A chip",
        "vendor": "",
        "kind": "gpu",
        "generation": "hopper",
        "execution": "kernels",
        "status": "",
        "available": True,
        "confidence": "high",
        "audited": "",
        "note": "",
        "facts": {},
        "memory_byte": 1e15,
        "bandwidth_byte_per_s": 3.35e12,
        "peak_bf16_flop_per_s": 989e12,
        "peak_fp8_flop_per_s": 1979e12,
        "link_bandwidth_byte_per_s": 450e9,
        "scale_up_device_count": 8,
    }
    return Chip(**(stated | more))


def gpu(hw: Any) -> Chip:
    """The chip of a second route's `Gpu`: FP4 arithmetic on Blackwell only."""
    four = {"peak_fp4_flop_per_s": hw.peak["fp4"], "generation": "blackwell"} if hw.blackwell else {}
    return chip(
        bandwidth_byte_per_s=hw.bw,
        peak_bf16_flop_per_s=hw.peak["bf16"],
        peak_fp8_flop_per_s=hw.peak["fp8"],
        link_bandwidth_byte_per_s=hw.link,
        scale_up_device_count=32,  # the second route never leaves the node
        **four,
    )


def step_seconds(
    case: Case,
    sequences: Any,
    context: Any,
    prefill: Any = 0.0,
    prompt: Any = 1.0,
    *,
    host: bool = True,
    parameters: Parameters | None = None,
) -> np.ndarray[Any, Any]:
    """Seconds of one engine step of a case under loads that broadcast."""
    believed = parameters or second_form()
    loads = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(each, float)) for each in (sequences, context, prefill, prompt))
    )
    count = len(loads[0])
    resolved = resolve(case, believed)
    assert not resolved.refusal, resolved.refusal
    inputs = side_by_side([resolved.numbers] * count)
    one = np.ones(count)
    plan = Plan(
        device_count=one * (case.device_count or 1),
        tp=one * (case.tp or 1),
        pp=one * (case.pp or 1),
        ep=one * (case.ep or 1),
        dp=one * (case.dp or 1),
        replicas=one,
        needed=one,
        chosen=one > 2,
    )
    load = Load(decoding=loads[0], context=loads[1], prefill=loads[2], prompt=loads[3])
    shapes = shapes_of([case.architecture] * count)
    machine = Machine(inputs=inputs, shapes=shapes, serving=believed.serving, plan=plan)
    return np.asarray(step_terms(machine, load, host=host).total_s)


def scaled(a_chip: Chip, factor: float) -> Chip:
    """The same chip with every rate multiplied."""
    rates = [name for name in vars(a_chip) if name.endswith("_per_s")]
    values = {name: getattr(a_chip, name) for name in rates}
    return replace(a_chip, **{name: value * factor for name, value in values.items() if value is not None})
