"""What devices say to each other in a step: within a node, between nodes, and among attention groups with experts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.engine import Case, evaluate
from analysis.models.collectives import exchange_time, nodes_latency
from analysis.parameters import starting_parameters
from data.catalogue.catalogue import load_catalogue
from data.records import Block, Mlp
from tests.analysis.engine.nets import architecture, chip, gqa

SERVING = starting_parameters().serving
ROUTED = Mlp(kind="moe", inner_width=0, experts=64, experts_per_token=4, expert_width=1024)
DENSE = Mlp(kind="dense", inner_width=8192)


def model(mlp: Mlp, layers: int = 10) -> Any:
    """A decoder of equal layers, 32 query and 32 cached heads."""
    return architecture(4096, 32_000, (Block(layers=layers, attention=gqa(4096, 32, 32, 128), mlp=mlp),))


def said_s(mlp: Mlp, users: float = 64.0, **degrees: Any) -> float:
    """Seconds of communication in a decode step."""
    case = Case(
        architecture=model(mlp), chip=chip(), engine="vLLM", concurrency=users, input_tokens=1000, output_tokens=0,
        device_count=degrees["tp"], **degrees,
    )  # fmt: skip
    return float(evaluate([case]).iloc[0]["communication_s"])


def test_sums_between_nodes_by_hand() -> None:
    """Two nodes of 8, 64 rows of 4096 in 16 bits: 20 sums a step.

    Latency 2 x 4.5 us x (1 + 0.15 x 2) + 2 x 10 us = 31.7 us; transfer 2 x 15/16 x 524,288 B over 50 GB/s x 0.3892 =
    50.5 us.
    """
    assert said_s(DENSE, tp=16) == pytest.approx(20 * (31.7e-6 + 50.5e-6), rel=1e-3)


def test_two_nodes_of_a100_as_published() -> None:
    """WaferLLM's table 4, one stream at 4,096 tokens: 8 and 2 x 8 A100 make 51.2 and 48.7 tok/s of Qwen2-72B.

    Twice the devices halve 4.8 ms of weights and yet are no faster: 160 sums between the nodes cost it again.
    """
    book = load_catalogue()
    case = Case(
        architecture=book.architecture("qwen2-72b"), chip=book.chip("a100-sxm-80gb"), engine="SGLang",
        weight_format="bf16", input_tokens=4096, output_tokens=0,
    )  # fmt: skip
    found = evaluate([replace(case, tp=n, device_count=n) for n in (8, 16)])["tokens_per_s_per_user"]
    assert found[1] / found[0] == pytest.approx(48.7 / 51.2, abs=0.2)


def test_a_groups_own_attention_says_nothing_to_the_others() -> None:
    """Eight attention groups of one device, experts on eight: 64 tokens to 4 of 64 experts and back, 10 layers.

    An exchange is 5.85 us and 64 x 8192 B x 4/8 x 7/8 over 450 GB/s x 0.3892 = 1.31 us, twice a layer: 143.2 us.
    """
    assert said_s(ROUTED, tp=8, dp=8, ep=8) == pytest.approx(20 * (5.85e-6 + 1.310e-6), rel=1e-3)


def test_without_experts_apart_all_tokens_are_gathered() -> None:
    """Half of the two sums a layer are left: those after attention fall away, the others gather and sum."""
    assert said_s(DENSE, tp=8, dp=8) == pytest.approx(said_s(DENSE, tp=8) / 2)
    assert said_s(ROUTED, tp=8, dp=8) == pytest.approx(said_s(ROUTED, tp=8) / 2)
    assert said_s(ROUTED, tp=8, ep=8) == pytest.approx(said_s(ROUTED, tp=8))  # every device holds every token already


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 512), st.integers(1, 16), st.floats(1e3, 1e9))
def test_an_exchange_moves_no_more_than_a_gathering(devices: int, chosen: int, message: float) -> None:
    seconds = exchange_time(0.0, devices, message, chosen, devices, 1e11, 1.0)
    assert 0 < seconds <= message * (devices - 1) / devices / 1e11 * (1 + 1e-12)
    assert exchange_time(1e-5, 1.0, message, chosen, 1.0, 1e11, 1.0) == 0


def test_more_nodes_never_answer_sooner() -> None:
    latencies = nodes_latency(5e-6, np.array([1.0, 2, 3, 4, 8, 64]), SERVING.hop_s)
    assert latencies[0] == 5e-6
    assert (np.diff(latencies) > 0).all()
