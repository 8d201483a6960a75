"""The scaling study: every split buildable, shares by hand, what-ifs in the right direction, and counter-examples."""

from __future__ import annotations

import json

import pandas as pd
import plotly.graph_objects as go
import pytest

from analysis.figures import scaling as picture
from analysis.figures.style import ink
from analysis.models.sequence_parallel import ring_prefill_time
from analysis.sentences import ANSWER_LENGTH
from analysis.studies import scaling_words
from analysis.studies.plan_space import counts_for, spreads
from analysis.studies.scaling import WhatIf, study
from analysis.study import rows_of
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import slots, workload
from tests.analysis.studies.test_answers import mixed_slots

GPU_AND_WAFER = (("h200-sxm", 8), ("wse-3", None))


@pytest.mark.parametrize("model", ["glm-4.6", "llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "qwen3-30b-a3b"])
def test_every_split_can_be_built(model: str) -> None:
    """Second route: the engine refuses none of them for its degrees, only for memory."""
    found = study(workload(model), slots(("h200-sxm", 8), ("gb200", 64)))
    plans = found.marks["plans"]
    assert (plans["tp"] * plans["pp"] == plans["device_count"]).all()  # type: ignore[index]
    refused = plans[~plans["feasible"]]  # type: ignore[index]
    assert refused["reason"].str.startswith("does not fit").all()


def test_counts_are_powers_of_two_and_the_fewest() -> None:
    assert counts_for(11.0) == [1, 2, 4, 8, 11, 16, 32, 64]
    assert counts_for(float("nan"), 12.0) == [1, 2, 4, 8, 12, 16, 32, 64]
    table = study(workload("glm-4.6"), slots(("wse-3", None))).table
    assert table["device_count"].iloc[0] == 11  # GLM-4.6 in FP8: 11 wafers at 80 % fill


def test_bridged_and_unlinked_cards_share_no_layer() -> None:
    known = load_catalogue()
    model = known.architectures["llama-3.1-8b"]
    assert {each.tp for each in spreads(model, known.chips["h100-pcie"], 8)} == {1, 2}
    assert {each.tp for each in spreads(model, known.chips["mi350p"], 8)} == {1}


def test_block_scales_are_not_cut() -> None:
    """DeepSeek V3: experts of 2,048 in squares of 128 are sixteen squares, which 16 devices can share and 32 cannot."""
    known = load_catalogue()
    model, chip = known.architectures["deepseek-v3"], known.chips["gb200"]
    whole = {each.tp: each.ep for each in spreads(model, chip, 32, weights="fp8") if each.dp == 1}
    assert (whole[32], whole[16]) == (32, 1)
    assert {each.ep for each in spreads(model, chip, 32, weights="bf16") if each.dp == 1} == {1}


def test_hops_between_wafers_by_hand() -> None:
    """Llama 3.1 70B in 16 bit on four wafers, 4K: 3 x 5 us of 1 / 443 tok/s = 2.257 ms: 0.66 %."""
    table = study(workload("llama-3.1-70b", 4096, formats="bf16"), slots(("wse-3", 4))).table
    row = table[table["device_count"] == 4].iloc[0]
    assert row["tokens_per_s_per_user"] == pytest.approx(443, rel=0.002)
    assert row["share_hop"] == pytest.approx(15e-6 * 443, rel=0.005)


def test_stages_and_links_by_hand() -> None:
    """Two stages of H200: 10 us and 10,240 B at 450 GB/s = 10.02 us of the step."""
    plans = study(workload("glm-4.6"), slots(("h200-sxm", 8))).marks["plans"]
    row = next(r for r in rows_of(plans) if (r["tp"], r["pp"], r["dp"]) == (4, 2, 1))  # type: ignore[arg-type]
    assert row["share_hop"] * row["decode_step_s"] == pytest.approx(10e-6 + 10_240 / 450e9, rel=1e-6)


def test_what_ifs_move_the_answer_and_say_so() -> None:
    asked, machines = workload("glm-4.6"), slots(*GPU_AND_WAFER)
    usual = study(asked, machines)
    faster, slower = study(asked, machines, WhatIf(link_factor=4.0)), study(asked, machines, WhatIf(hop_s=1e-4))
    speed = "tokens_per_s_per_user"
    assert (faster.table[speed].to_numpy() >= usual.table[speed].to_numpy() - 1e-9).all()
    assert (slower.table[speed].to_numpy() <= usual.table[speed].to_numpy() + 1e-9).all()
    assert "Assumed" not in usual.conditions
    assert "Assumed: links 4 times" in faster.conditions
    assert "Assumed: hops of 100" in slower.conditions


def test_more_is_less_is_told_with_its_numbers() -> None:
    """H200 nodes hold eight: sixteen in one group sum over 50 GB/s instead of 450. A wafer's region has a best side."""
    found = study(workload("glm-4.6"), slots(*GPU_AND_WAFER))
    less = "\n".join(found.marks["less"])  # type: ignore[arg-type]
    assert "H200: tp 16 is slower than tp 8" in less
    assert "a wider wafer region stops paying near P*" in less
    wafers = found.table[found.table["slot"].str.contains("WSE")]
    speeds = wafers["tokens_per_s_per_user"].to_numpy()
    assert speeds.argmax() not in (0, len(speeds) - 1)


def test_a_ring_of_one_is_the_group_alone_and_shares_the_work() -> None:
    """Two groups, 1 GB of cache at 0.5 x 100 GB/s, 10 layers, hops of 1 ms: 1 s / 2 + 0.5 x 20 ms + 10 ms = 0.52 s."""
    assert ring_prefill_time(1.0, 1.0, 1e9, 1e11, 0.5, 10.0, 1e-3) == 1.0
    assert ring_prefill_time(1.0, 2.0, 1e9, 1e11, 0.5, 10.0, 1e-3) == pytest.approx(0.52)


def test_nothing_fits_is_an_answer() -> None:
    found = study(workload("llama-3-8b", 200_000), slots(("h200-sxm", 1)))
    assert found.answer.startswith("Llama 3 8B at 200K runs on none of these: a context of 200,000 tokens is above")
    assert found.table["verdict"].str.len().gt(0).all()
    assert found.arithmetic() == ()


@pytest.mark.parametrize("start", range(0, 114, 18))
def test_every_kind_of_chip_has_figures(start: int) -> None:
    """Six machines at a time, every third set of the catalogue: a short answer, and drawings that plotly accepts."""
    models = sorted(load_catalogue().architectures)
    asked = workload(models[start % len(models)], formats="")
    found = study(asked, mixed_slots(start))
    assert len(found.answer) <= ANSWER_LENGTH
    assert "nan" not in found.answer + "".join(found.marks["less"])  # type: ignore[operator]
    for draw in (picture.one_stream, picture.all_streams, picture.first_token):
        drawn = draw(found, ink("dark"))
        json.dumps(drawn, allow_nan=False)
        go.Figure(drawn)
    assert found.arithmetic() is not None


def test_the_fewest_is_said_of_the_fewest_alone() -> None:
    """85 wafers give a layer of GLM-4.6 its best region at 200K, but 11 already hold one stream."""
    table = pd.DataFrame(
        {
            "place": [0, 0, 1],
            "slot": ["11 × WSE-3", "85 × WSE-3", "1,705 × LPU"],
            "device_count": [11, 85, 1705],
            "tokens_per_s_per_user": [186.0, 390.0, 242.0],
        }
    )
    assert scaling_words.beyond(table, 64) == [
        "85 × WSE-3 lie beyond the figures: 390 tok/s for one stream.",
        "1,705 × LPU, the fewest that hold it, lie beyond the figures: 242 tok/s for one stream.",
    ]
