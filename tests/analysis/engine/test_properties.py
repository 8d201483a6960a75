"""Limits, directions, scaling and ceilings that physics demands, over random machines, models and loads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.engine import Case, evaluate
from analysis.models.mesh import best_side, layer_time
from analysis.models.transformer import distinct_experts
from analysis.parameters import Parameters, ideal, starting_parameters
from data.records import Architecture, Block, Mlp
from tests.analysis.engine.nets import architecture, chip, gqa, scaled, step_seconds

BELIEVED = starting_parameters()
# A share above one stands for routing that hits fewer experts than assumed; the levels are ordered with shares to one.
ORDERED = replace(BELIEVED, serving=replace(BELIEVED.serving, expert_bandwidth_fraction=1.0))
QUICK = settings(max_examples=40, deadline=None)


@st.composite
def models(draw: st.DrawFn, experts: bool | None = None) -> Architecture:
    """Random decoders of one or two kinds of block, dense or mixtures."""
    hidden = draw(st.sampled_from([1024, 2048, 4096, 8192]))
    cached = draw(st.sampled_from([1, 2, 4, 8]))
    attention = gqa(hidden, cached * draw(st.sampled_from([1, 4, 8])), cached, 128, draw(st.sampled_from([0, 128])))
    mixture = draw(st.booleans()) if experts is None else experts
    count = draw(st.sampled_from([8, 64, 256]))
    routed = Mlp(
        kind="moe", inner_width=draw(st.sampled_from([0, 512])), experts=count,
        experts_per_token=draw(st.integers(1, min(8, count))), expert_width=draw(st.sampled_from([256, 1536])),
    )  # fmt: skip
    dense = Mlp(kind="dense", inner_width=draw(st.sampled_from([2048, 14336])))
    blocks = [Block(layers=draw(st.integers(1, 60)), attention=attention, mlp=routed if mixture else dense)]
    if draw(st.booleans()):
        blocks.append(Block(layers=draw(st.integers(1, 20)), attention=replace(attention, window_tokens=0), mlp=dense))
    return architecture(hidden, draw(st.sampled_from([32_000, 150_000])), tuple(blocks))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Random kernels cases that fit: one to eight devices with room to spare."""
    rates = {
        "bandwidth_byte_per_s": draw(st.sampled_from([0.3e12, 3.35e12, 8e12])),
        "peak_bf16_flop_per_s": draw(st.sampled_from([20e12, 989e12, 2.5e15])),
        "peak_fp8_flop_per_s": draw(st.sampled_from([None, 2e15])),
        "peak_fp4_flop_per_s": draw(st.sampled_from([None, 1e16])),
    }
    return Case(
        architecture=draw(models()),
        chip=chip(**rates),
        engine=draw(st.sampled_from(["", "vLLM", "TensorRT-LLM", "llama.cpp"])),
        weight_format=draw(st.sampled_from(["bf16", "fp8", "nvfp4", "int4", "q4_k_m"])),
        kv_format=draw(st.sampled_from(["bf16", "fp8"])),
        fp8_scaling=draw(st.sampled_from(["block", "tensor"])),
        device_count=draw(st.sampled_from([1, 2, 4, 8])),
        concurrency=draw(st.sampled_from([1.0, 3.5, 64.0, 1024.0, "offline"])),
        input_tokens=draw(st.sampled_from([0.0, 1.0, 1000.0, 100_000.0])),
        output_tokens=draw(st.sampled_from([0.0, 1.0, 500.0, 8000.0])),
    )


def bounded(answer: pd.DataFrame) -> None:
    """No speed of any row above its ceiling, user by user, in total, and for prompts."""
    ok = answer[answer["feasible"]]
    room = 1 + 1e-9
    assert (ok["tokens_per_s_per_user"] <= ok["ceiling_tokens_per_s_per_user"] * room).all()
    assert (ok["output_tokens_per_s"].fillna(0) <= ok["running"] * ok["ceiling_tokens_per_s_per_user"] * room).all()
    assert (ok["ceiling_tokens_per_s_per_user"] <= ok["naive_tokens_per_s_per_user"] * room).all()


def wild(parameters: Parameters) -> Parameters:
    """Parameters gone wrong in a fit: machines faster than their datasheets."""
    fast = {"bandwidth_fraction": 4.0, "cache_bandwidth_fraction": 5.0, "expert_bandwidth_fraction": 9.0}
    peaks = {name: 7.0 for name in vars(parameters.serving) if name.startswith("peak_fraction")}
    serving = replace(parameters.serving, operator_s=0.0, sequence_s=0.0, **fast, **peaks)
    return replace(parameters, serving=serving, streamed=replace(ideal(parameters).streamed, cuda_weight_fraction=6.0))


@QUICK
@given(st.lists(cases(), min_size=1, max_size=8))
def test_no_prediction_above_its_ceiling(some: list[Case]) -> None:
    bounded(evaluate(some))
    bounded(evaluate(some, wild(BELIEVED)))


@QUICK
@given(st.lists(cases(), min_size=1, max_size=8))
def test_shares_are_whole_and_end_to_end_adds_up(some: list[Case]) -> None:
    answer = evaluate(some)
    ok = answer[answer["feasible"]]
    shares = ok[[f"share_{name}" for name in ("memory", "compute", "latency", "communication", "host")]]
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all().all()
    made = np.array([max(each.output_tokens, 1.0) for each in some])[answer["feasible"].to_numpy()]
    loop = ok["ttft_s"].notna()
    assert np.allclose(ok["e2e_s"][loop], (ok["ttft_s"] + (made - 1) * ok["tpot_s"])[loop])


@QUICK
@given(cases())
def test_levels_are_ordered(case: Case) -> None:
    """Naive bound above operator roofline above full model, for one stream that decodes."""
    plain = replace(case, concurrency=1.0, output_tokens=0.0, input_tokens=max(case.input_tokens, 1.0))
    full, roofline = evaluate([plain], ORDERED).iloc[0], evaluate([plain], ideal(ORDERED)).iloc[0]
    if not full["feasible"]:
        return
    assert roofline["tpot_s"] <= full["tpot_s"] * (1 + 1e-9)
    assert roofline["tokens_per_s_per_user"] <= full["naive_tokens_per_s_per_user"] * (1 + 1e-9)


MORE: dict[str, Any] = {"tp": 1, "device_count": 1}


@QUICK
@given(models())
def test_steps_grow_with_load_and_context(model: Architecture) -> None:
    case = Case(architecture=model, chip=chip(), engine="vLLM", **MORE)
    loads = np.array([1.0, 2, 3, 10, 100, 1000])
    steps = step_seconds(case, loads, 2048)
    assert (np.diff(steps) > 0).all()
    assert (np.diff(loads / steps) > 0).all()
    contexts = np.array([0.0, 1, 128, 1000, 50_000])
    assert (np.diff(step_seconds(case, 16.0, contexts)) >= -1e-18).all()
    rows = np.array([1.0, 10, 100, 1000])
    assert (np.diff(step_seconds(case, 0.0, 1000, rows, 1000, host=False)) > 0).all()


@QUICK
@given(models(), st.sampled_from(["bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s"]))
def test_better_hardware_is_never_slower(model: Architecture, rate: str) -> None:
    cached = int(model.blocks[0].attention.kv_heads)
    device = chip()
    case = Case(architecture=model, chip=device, engine="vLLM", tp=cached, device_count=cached)
    better = replace(case, chip=replace(device, **{rate: 2 * getattr(device, rate)}))
    loads = np.array([1.0, 64, 4096])
    assert (step_seconds(better, loads, 4096) <= step_seconds(case, loads, 4096)).all()
    deeper = replace(model, blocks=(replace(model.blocks[0], layers=model.blocks[0].layers + 5), *model.blocks[1:]))
    assert (step_seconds(replace(case, architecture=deeper), loads, 4096) > step_seconds(case, loads, 4096)).all()


@QUICK
@given(models(), st.floats(0.1, 10))
def test_time_scales_with_all_rates(model: Architecture, factor: float) -> None:
    """Rates times x and every fixed time over x: steps over x. A slip of dimension would show."""
    serving = BELIEVED.serving
    times = {n: getattr(serving, n) / factor for n in vars(serving) if n.endswith("_s") and "_per_" not in n}
    times["node_link_byte_per_s"] = serving.node_link_byte_per_s * factor
    case = Case(architecture=model, chip=chip(), engine="vLLM", tp=2, device_count=2, parts=True)
    fast = replace(case, chip=scaled(case.chip, factor))
    faster = replace(BELIEVED, serving=replace(serving, **times))
    loads = np.array([1.0, 64, 1024])
    usual = step_seconds(case, loads, 2048, parameters=BELIEVED)
    assert np.allclose(step_seconds(fast, loads, 2048, parameters=faster) * factor, usual)


@QUICK
@given(models(), st.integers(1, 30))
def test_splitting_a_block_changes_nothing(model: Architecture, layers: int) -> None:
    first = model.blocks[0]
    whole = replace(model, blocks=(replace(first, layers=2 * layers), *model.blocks[1:]))
    halves = replace(model, blocks=(replace(first, layers=layers), replace(first, layers=layers), *model.blocks[1:]))
    asked = [
        Case(architecture=each, chip=device, concurrency=8, input_tokens=900, output_tokens=300, engine=engine)
        for each in (whole, halves)
        for device, engine in ((chip(), "vLLM"), (chip(), "llama.cpp"), (_wafer(), ""))
    ]
    answer = evaluate(asked).select_dtypes("number")
    assert np.allclose(answer.iloc[:3].fillna(-1), answer.iloc[3:].fillna(-1), rtol=1e-12)


def _wafer() -> Any:
    return chip(
        execution="mesh", kind="wafer", memory_byte=1e13, bandwidth_byte_per_s=21e15, core_count=900_000,
        peak_bf16_flop_per_s=15.6e15,
    )  # fmt: skip


def test_one_stream_without_context_reads_its_weights() -> None:
    """Ideal machine, batch 1, empty context: weights in bf16 over bandwidth, to the activations' hundredth.

    10 layers: 4 x 1024^2 attention + 3 x 1024 x 4096 MLP = 16,777,216 each, head 1024 x 32,000 = 32,768,000;
    200,540,160 weights x 2 B / 1e12 B/s = 401 us.
    """
    blocks = (Block(layers=10, attention=gqa(1024, 8, 8, 128), mlp=Mlp(kind="dense", inner_width=4096)),)
    device = chip(bandwidth_byte_per_s=1e12)
    case = Case(architecture=architecture(1024, 32_000, blocks), chip=device, **MORE)
    assert step_seconds(case, 1.0, 0.0, parameters=ideal(BELIEVED)) == pytest.approx(401.08e-6, rel=0.01)


def test_huge_batches_are_bound_by_arithmetic() -> None:
    """n / T -> F / (2 P): 200,540,160 weights, 1e14 FLOP/s: 249,300 tokens/s for ever larger batches."""
    blocks = (Block(layers=10, attention=gqa(1024, 8, 8, 128), mlp=Mlp(kind="dense", inner_width=4096)),)
    device = chip(peak_bf16_flop_per_s=1e14, bandwidth_byte_per_s=1e14)
    case = Case(architecture=architecture(1024, 32_000, blocks), chip=device, weight_format="bf16", **MORE)
    rate = 1e7 / step_seconds(case, 1e7, 0.0, parameters=ideal(BELIEVED))
    assert rate == pytest.approx(1e14 / (2 * 200_540_160), rel=1e-3)


@QUICK
@given(st.integers(1, 400), st.integers(1, 16), st.floats(1, 1e4))
def test_distinct_experts(experts: int, chosen: int, rows: float) -> None:
    chosen = min(chosen, experts)
    hit = distinct_experts(float(experts), float(chosen), rows)
    assert chosen * (1 - 1e-12) <= hit <= min(experts, rows * chosen) * (1 + 1e-9)
    assert distinct_experts(float(experts), float(chosen), rows + 1) >= hit * (1 - 1e-12)
    assert distinct_experts(float(experts), float(chosen), 1.0) == pytest.approx(chosen)


def test_all_experts_chosen_is_a_dense_layer_of_that_width() -> None:
    assert distinct_experts(8.0, 8.0, 5.0) == 8.0


@QUICK
@given(st.floats(1e6, 1e10))
def test_a_layer_is_fastest_on_one_side_of_region(macs: float) -> None:
    mesh = BELIEVED.mesh
    side = float(best_side(mesh.mac_s, macs, mesh.crossing_s))

    def time(of_side: float) -> float:
        return float(layer_time(mesh.fixed_s, mesh.crossing_s, mesh.mac_s, macs, of_side**2))

    assert time(side) <= min(time(side * 0.9), time(side * 1.1))
    assert time(side) == pytest.approx(mesh.fixed_s + 1.5 * mesh.crossing_s * side)
    assert layer_time(0.0, 0.0, 1.0, macs, 1.0, reuse=1.0, rows=3.0) == pytest.approx(3 * macs)


def test_closed_loop_saturates_and_long_outputs_hide_prefill() -> None:
    """Total rate grows with users, speed of one falls; with ever longer outputs the time per token is the step's."""
    blocks = (Block(layers=32, attention=gqa(4096, 32, 8, 128), mlp=Mlp(kind="dense", inner_width=14336)),)
    case = Case(
        architecture=architecture(4096, 128_256, blocks), chip=chip(), engine="vLLM", input_tokens=1000,
        output_tokens=500, **MORE,
    )  # fmt: skip
    answer = evaluate([replace(case, concurrency=c) for c in (1.0, 4, 16, 64, 256)])
    assert (np.diff(answer["output_tokens_per_s"]) > 0).all()
    assert (np.diff(answer["tokens_per_s_per_user"]) < 0).all()
    longest = evaluate([replace(case, concurrency=4.0, input_tokens=10, output_tokens=1e6)]).iloc[0]
    assert longest["tpot_s"] == pytest.approx(longest["decode_step_s"], rel=1e-4)


def test_room_shrinks_with_context_and_grows_with_tp() -> None:
    blocks = (Block(layers=32, attention=gqa(4096, 32, 8, 128), mlp=Mlp(kind="dense", inner_width=14336)),)
    case = Case(
        architecture=architecture(4096, 128_256, blocks), chip=chip(memory_byte=80e9), engine="vLLM",
        concurrency="offline", output_tokens=100.0,
    )  # fmt: skip
    by_context = evaluate([replace(case, input_tokens=each, device_count=1) for each in (100.0, 1e3, 1e4, 1e5)])
    assert (np.diff(by_context["running"]) < 0).all()
    by_tp = evaluate([replace(case, input_tokens=1e4, tp=each, device_count=each) for each in (1, 2, 4, 8)])
    assert (np.diff(by_tp["running"]) > 0).all()


def test_streams_on_a_wafer_cost_nothing_up_to_the_layers() -> None:
    blocks = (Block(layers=32, attention=gqa(4096, 32, 8, 128), mlp=Mlp(kind="dense", inner_width=14336)),)
    case = Case(architecture=architecture(4096, 128_256, blocks), chip=_wafer(), input_tokens=100, output_tokens=0)
    answer = evaluate([replace(case, concurrency=c, device_count=1) for c in (1.0, 32.0, 64.0)])
    alone, full, double = answer["tpot_s"]
    assert full == pytest.approx(alone)
    assert double == pytest.approx(2 * alone)
