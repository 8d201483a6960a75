"""Limits and scaling of plans, and what does NOT grow: speed in the devices of a group and in a region's side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from analysis.engine import Case, evaluate
from analysis.models.cost import cost_per_token
from analysis.models.mesh import best_side, layer_time
from analysis.parameters import Parameters, ideal, starting_parameters
from data.records import Block, Mlp
from tests.analysis.engine.nets import architecture, chip, gqa, step_seconds

BELIEVED = starting_parameters()
QUICK = settings(max_examples=30, deadline=None)
DENSE = Mlp(kind="dense", inner_width=14336)


def dense(layers: int = 32, hidden: int = 4096, heads: int = 32, cached: int = 8) -> Any:
    """A dense decoder of equal layers."""
    blocks = (Block(layers=layers, attention=gqa(hidden, heads, cached, 128), mlp=DENSE),)
    return architecture(hidden, 128_256, blocks)


def speeds(cases: list[Case], parameters: Parameters | None = None) -> np.ndarray[Any, Any]:
    """Tokens/s per user of every case."""
    return evaluate(cases, parameters)["tokens_per_s_per_user"].to_numpy()


def wafer() -> Any:
    """A wafer with room for anything."""
    rates = {"bandwidth_byte_per_s": 21e15, "peak_bf16_flop_per_s": 15.6e15}
    return chip(execution="mesh", kind="wafer", memory_byte=1e13, core_count=900_000, **rates)


def test_one_device_says_nothing_to_others() -> None:
    alone = evaluate([Case(architecture=dense(), chip=chip(), tp=1, pp=1, device_count=1, engine="vLLM")]).iloc[0]
    assert alone["share_communication"] == 0


def test_one_layer_a_wafer_by_hand() -> None:
    """N = L = 32: every layer has the wafer's 900,000 cores; 32 layers and 31 hops of 5 us."""
    model, mesh = dense(), BELIEVED.mesh
    macs = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 128_256 * 4096 / 32
    layer_s = mesh.fixed_s + mesh.crossing_s * 900_000**0.5 + mesh.mac_s * macs / 900_000
    case = Case(architecture=model, chip=wafer(), device_count=32, input_tokens=0, output_tokens=0)
    assert speeds([case])[0] == pytest.approx(1 / (32 * layer_s + 31 * mesh.hop_s), rel=1e-6)


@QUICK
@given(st.sampled_from(["bandwidth_fraction", "cache_bandwidth_fraction", "peak_fraction_16_bit", "link_fraction"]))
def test_reaching_more_of_the_hardware_is_never_slower(share: str) -> None:
    case = Case(architecture=dense(), chip=chip(), engine="vLLM", tp=2, device_count=2, weight_format="bf16")
    better = replace(BELIEVED, serving=replace(BELIEVED.serving, **{share: 1.1 * getattr(BELIEVED.serving, share)}))
    loads = np.array([1.0, 64, 4096])
    usual = step_seconds(case, loads, 4096, parameters=BELIEVED)
    assert (step_seconds(case, loads, 4096, parameters=better) <= usual * (1 + 1e-12)).all()


def test_twice_the_bytes_take_twice_the_time() -> None:
    """No arithmetic and no latency: weights and cache in 16 bits against 32, activations doubled as well."""
    fast = chip(peak_bf16_flop_per_s=1e40)
    free = ideal(BELIEVED)
    case = Case(architecture=dense(), chip=fast, engine="vLLM", tp=1, device_count=1)
    sixteen = replace(case, weight_format="bf16", kv_format="bf16")
    wide = replace(case, weight_format="fp32", kv_format="fp32")
    doubled = replace(free, serving=replace(free.serving, activation_byte=2 * free.serving.activation_byte))
    loads = np.array([1.0, 8, 64])
    once = step_seconds(sixteen, loads, 2048, parameters=free)
    twice = step_seconds(wide, loads, 2048, parameters=doubled)
    assert twice == pytest.approx(2 * once, rel=1e-9)


@QUICK
@given(st.integers(1, 40), st.sampled_from([1, 2, 8]))
def test_every_layer_adds_the_same(layers: int, tp: int) -> None:
    """Steps of L, 2 L and 3 L layers lie on a line: only the head and the host are outside the layers."""
    case = Case(architecture=dense(), chip=chip(), engine="vLLM", tp=tp, device_count=tp)
    deeper = [replace(case, architecture=dense(n * layers)) for n in (1, 2, 3)]
    times = [float(step_seconds(each, 8.0, 2048)[0]) for each in deeper]
    assert times[2] - times[1] == pytest.approx(times[1] - times[0], rel=1e-9)


@QUICK
@given(st.floats(1e6, 1e9), st.floats(50, 2000), st.floats(50, 2000))
def test_a_layers_time_is_convex_in_the_side(macs: float, one: float, other: float) -> None:
    mesh = BELIEVED.mesh

    def time(side: float) -> float:
        return float(layer_time(mesh.fixed_s, mesh.crossing_s, mesh.mac_s, macs, side**2))

    assert time((one + other) / 2) <= (time(one) + time(other)) / 2 * (1 + 1e-12)


@QUICK
@given(st.floats(1e-5, 1e-2), st.integers(1, 64), st.floats(1, 1e6))
def test_cost_times_rate_is_the_price(price: float, devices: int, rate: float) -> None:
    assert cost_per_token(price, devices, rate) * rate == pytest.approx(price * devices)


def test_a_wider_group_can_be_slower() -> None:
    """Searched, not assumed: links and batches at which twice the devices in a group make every token later."""

    def slower(asked: tuple[float, float, int]) -> bool:
        link, users, tp = asked
        device = chip(link_bandwidth_byte_per_s=link)
        case = Case(
            architecture=dense(), chip=device, engine="vLLM", concurrency=users, input_tokens=1000, output_tokens=0
        )
        narrow, wide = speeds([replace(case, tp=n, device_count=n) for n in (tp, 2 * tp)])
        return bool(wide < narrow)

    links, users = st.sampled_from([450e9, 64e9, 25e9, 5e9]), st.sampled_from([1.0, 16.0, 256.0])
    link, _, tp = find(
        st.tuples(links, users, st.sampled_from([2, 4])), slower, settings=settings(max_examples=200, deadline=None)
    )
    assert link < 450e9
    assert tp in (2, 4)
    assert not slower((450e9, 1.0, 2))  # over a fast fabric the same group is quicker


def test_a_wider_region_can_be_slower() -> None:
    """More wafers than give each layer its best side, searched; with hops the best count is smaller still."""
    model, mesh = dense(80, 8192, 64), BELIEVED.mesh
    case = Case(architecture=model, chip=wafer(), input_tokens=4096, output_tokens=0)
    counts = list(range(1, 41))
    cases = [replace(case, device_count=n) for n in counts]
    found = speeds(cases, replace(BELIEVED, mesh=replace(mesh, hop_s=0.0)))
    more = find(st.sampled_from(counts[:-1]), lambda n: bool(found[n] < found[n - 1]))
    macs = 2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 14336 + 128_256 * 8192 / 80 + 2 * 4096 * 64 * 128
    side = float(best_side(mesh.mac_s, macs, mesh.crossing_s))
    best = side**2 * 80 / 900_000
    assert int(np.argmax(found)) + 1 == pytest.approx(best, abs=1)
    assert more >= best - 1
    with_hops = speeds(cases)
    assert np.argmax(with_hops) < np.argmax(found)
    assert with_hops[-1] < with_hops.max()
