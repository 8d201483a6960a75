"""Fewest devices that hold a copy: the same whatever degrees are stated, and never fewer than the weights alone ask."""

from __future__ import annotations

import math
from typing import Any

import pytest

from analysis.engine import Case, evaluate
from data.catalogue.catalogue import load_catalogue

KNOWN = load_catalogue()
STATED: tuple[dict[str, int], ...] = (
    {"tp": 8}, {"tp": 8, "pp": 2}, {"tp": 1, "pp": 8}, {"tp": 4, "pp": 2}, {"tp": 2, "pp": 3}, {"pp": 3},
    {"tp": 8, "ep": 8}, {"tp": 4, "pp": 4, "ep": 4}, {"tp": 16, "ep": 16}, {"device_count": 8, "ep": 8},
)  # fmt: skip
PAIRS = (
    ("llama-3.1-405b", "h100-sxm"), ("llama-3.1-405b", "rtx-pro-6000-server"), ("llama-3.1-70b", "h100-sxm"),
    ("deepseek-r1", "h100-sxm"), ("qwen3-235b-a22b", "h200-sxm"), ("gpt-oss-120b", "mi300x"),
)  # fmt: skip


def case(model: str, chip: str, **stated: Any) -> Case:
    return Case(architecture=KNOWN.architecture(model), chip=KNOWN.chip(chip), **stated)


@pytest.mark.parametrize(("model", "chip"), PAIRS)
def test_stated_degrees_do_not_change_the_fewest_devices(model: str, chip: str) -> None:
    """By the second route, the case without degrees; below it lies what the weights' bytes fill."""
    answers = evaluate([case(model, chip), *(case(model, chip, **stated) for stated in STATED)])
    alone = answers.iloc[0]
    assert set(answers["devices_needed"]) == {alone["devices_needed"]}
    memory = KNOWN.chip(chip).memory_byte
    assert memory is not None
    assert alone["devices_needed"] >= math.ceil(alone["weight_byte"] / memory)


def test_405b_in_16_bits_needs_two_nodes_of_h100() -> None:
    """812 GB of weights on devices of 80 GB are 10.1 at least; of the counts tried, 16 hold them."""
    answer = evaluate([case("llama-3.1-405b", "h100-sxm", weight_format="bf16", tp=8, pp=2)]).iloc[0]
    assert answer["feasible"]
    assert answer["devices_needed"] == 16


def test_experts_spread_wider_than_the_trial_are_not_counted_away() -> None:
    """DeepSeek R1 with ep 8 alone once needed 2 devices: each held an eighth of the experts of a copy it had whole."""
    answer = evaluate([case("deepseek-r1", "h100-sxm", ep=8)]).iloc[0]
    assert answer["feasible"]
    assert (answer["device_count"], answer["tp"], answer["devices_needed"]) == (16, 8, 16)


def test_an_ep_that_no_group_has_is_refused_by_name() -> None:
    answer = evaluate([case("deepseek-r1", "h100-sxm", ep=16)]).iloc[0]
    assert answer["devices_needed"] == 16
    assert answer["reason"].startswith("ep 16 needs as many devices to a layer")
