"""The bandwidth study against published claims, and its five solutions against one another."""

from __future__ import annotations

import math

import pytest

from analysis.studies.bandwidth_need import need_of, study
from analysis.workload import read_cache
from tests.analysis.studies.slots import slots, workload


def test_glm_reads_what_the_claims_say() -> None:
    """GLM-4.6 in 16 bit at 1,000 tok/s: 710 TB/s if every weight is read (card: 355B), 64 TB/s for 32B active.

    By its dimensions the main model has 352.8B weights, 0.8B of them looked up, and a token meets 33.6B (the card
    rounds and leaves out the head), so 704 and 67 TB/s: 1 % and 5 % from the printed figures.
    """
    found = study(workload("glm-4.6", context_tokens=1, formats="bf16"), slots(), target_token_per_s=1000)
    assert found.marks["dense_byte_per_s"] == pytest.approx(710e12, rel=0.01)
    assert found.marks["one_byte_per_s"] == pytest.approx(64e12, rel=0.06)


def test_cache_is_read_with_every_token() -> None:
    """GLM-4.6: 2 x 92 layers x 8 heads x 128 x 2 B = 376,832 B a token of context."""
    asked = workload("glm-4.6", context_tokens=1000, formats="bf16")
    assert read_cache(asked, slots()[0].chip) == 376_832 * 1000


def test_a_stream_on_wafers_sees_one_layers_share() -> None:
    """21 PB/s x 11 wafers / 92 layers = 2.51 PB/s; regions of 354 GB / 92 are read in 1.53 us each: 7,080 tok/s."""
    row = study(workload("glm-4.6"), slots()).table.iloc[2]
    assert row["device_count"] == 11
    assert row["seen_byte_per_s"] == pytest.approx(2.51e15, rel=0.001)
    assert row["read_bound_tokens_per_s_per_user"] == pytest.approx(7_080, rel=0.005)
    assert row["naive_tokens_per_s_per_user"] > 900 * row["read_bound_tokens_per_s_per_user"]


def test_more_users_meet_more_experts_and_never_more_than_all() -> None:
    slot = slots()[0]
    met = [need_of(workload("glm-4.6", sequences=users), slot).met_byte for users in (1, 2, 8, 64, 4096)]
    dense = need_of(workload("glm-4.6"), slot).dense_byte
    assert met == sorted(met)
    assert met[1] < 2 * met[0]
    assert met[-1] == pytest.approx(dense, rel=1e-6)


def test_solutions_return_to_the_target() -> None:
    """Each solved term, put back, reaches the target; a little beyond it, the target is missed."""
    asked, machine = workload("glm-4.6", sequences=2), slots(("b200-sxm", 8))
    rate = study(asked, machine, solve_for="rate").table["solution"].iloc[0]
    devices = study(asked, machine, target_token_per_s=rate * 0.999, solve_for="devices").table["solution"].iloc[0]
    assert devices == 8
    longest = study(asked, machine, target_token_per_s=500, solve_for="context").table["solution"].iloc[0]
    back = study(asked.at(context_tokens=longest), machine, solve_for="rate").table["solution"].iloc[0]
    assert back == pytest.approx(500, rel=1e-6)
    users = study(asked, machine, target_token_per_s=500, solve_for="batch").table["solution"].iloc[0]
    reached = [
        study(asked.at(sequences=n), machine, solve_for="rate").table["solution"].iloc[0] for n in (users, users + 1)
    ]
    assert reached[0] >= 500 > reached[1]


def test_width_for_a_dense_model() -> None:
    """Llama 3.1 70B on 8 x H200 at 500 tok/s: (38.4e12 / 500 - 1.34e9) / 69.5e9 = 1.086 B, 8.7 bits."""
    found = study(workload("llama-3.1-70b", 4096, formats="bf16"), slots(("h200-sxm", 8)),
                  target_token_per_s=500, solve_for="width")  # fmt: skip
    assert found.table["solution"].iloc[0] == pytest.approx(1.086, rel=0.002)
    assert "8.68 bits on 8 × H200" in found.answer or "8.69 bits on 8 × H200" in found.answer


def test_out_of_reach_is_an_answer() -> None:
    found = study(workload("glm-4.6"), slots(("l4", 1)), target_token_per_s=1000, solve_for="batch")
    assert math.isnan(found.table["solution"].iloc[0])
    assert "nobody on 1 × L4" in found.answer
