"""The memory study against published placements, the engine, and sums done by hand."""

from __future__ import annotations

import pytest

from analysis.engine import evaluate
from analysis.memory_use import layers_by_wafer
from analysis.plans import case_of
from analysis.studies.memory_fit import study
from tests.analysis.studies.slots import slots, workload


def test_seventy_billion_on_four_wafers() -> None:
    """Published: 79,600 tokens pooled, 66,800 with whole layers and the head on the last wafer; 80 % weights."""
    found = study(workload("llama-3.1-70b", 4096, 16, "bf16"), slots(("wse-3", 4), ("wse-3", None), ("wse-3", 1)))
    row = found.table.iloc[0]
    assert row["pooled_room_tokens"] == pytest.approx(79_600, rel=0.001)
    assert row["placed_room_tokens"] == pytest.approx(66_800, rel=0.001)
    assert (row["pooled_room_tokens"] // 4096, row["largest_batch"]) == (19, 16)
    assert row["weight_fraction"] == pytest.approx(0.80, abs=0.005)
    assert row["layers_on_wafer"] == 20
    assert row["one_down"] == "3 × WSE-3 no longer holds it"
    assert found.table["device_count"].iloc[1] == 4
    assert found.table["verdict"].iloc[2].endswith("4 wafers")


def test_seventeen_streams_fit_the_pool_but_not_the_layers() -> None:
    row = study(workload("llama-3.1-70b", 4096, 17, "bf16"), slots(("wse-3", 4))).table.iloc[0]
    assert not row["fits"]
    assert row["verdict"] == "holds 16 users with whole layers in place"


def test_components_of_a_card_by_hand() -> None:
    """Llama 3 8B in 16 bit on one H100: 8,030,261,248 weights x 2 B; 131,072 B x 8,192; 24 x 4096 x 2 x 8192 B."""
    row = study(workload("llama-3-8b", 8192, 1, "bf16"), slots(("h100-sxm", 1))).table.iloc[0]
    assert row["weight_byte"] == 2 * 8_030_261_248
    assert row["cache_byte"] == 131_072 * 8192
    assert row["activation_byte"] == 24 * 4096 * 2 * 8192
    assert row["fits"]


def test_heads_are_copied_beyond_their_number() -> None:
    """GLM-4.6 has 8 cached heads: 16 devices keep two copies, and the cache of one device is that of eight."""
    table = study(workload("glm-4.6"), slots(("gb200", 8), ("gb200", 16))).table
    assert list(table["cache_copies"]) == [1, 2]
    assert table["cache_byte"].iloc[0] == table["cache_byte"].iloc[1]


def test_what_does_not_fit_says_what_would() -> None:
    """Kimi K2 is 1,026B weights: in 16 bit 2.05 TB, more than 8 x H200 hold; GLM-4.6 in FP8 wants 11 wafers."""
    found = study(workload("kimi-k2", formats="bf16"), slots(("h200-sxm", 8)))
    assert found.answer.startswith("None of these holds")
    assert "16 × H200 would" in found.answer
    one = study(workload("glm-4.6"), slots(("wse-3", 1)))
    assert one.table["devices_needed"].iloc[0] == 11


@pytest.mark.parametrize("model", ["glm-4.6", "llama-3.1-70b", "deepseek-v3", "gpt-oss-120b"])
@pytest.mark.parametrize("users", [1, 16])
def test_agrees_with_the_engine(model: str, users: int) -> None:
    """Devices needed and bytes of weights are the engine's, and a machine that holds all users here has room there."""
    asked, machines = workload(model, 8192, users), slots(("h200-sxm", 8), ("h100-sxm", 2), ("wse-3", None))
    answers = evaluate([case_of(asked, slot) for slot in machines])
    table = study(asked, machines).table
    assert table["devices_needed"].equals(answers["devices_needed"])
    needed = table["memory_needed_byte"] / answers["memory_needed_byte"]
    assert needed.iloc[:2].to_numpy() == pytest.approx(1.0, rel=0.002)
    room = answers["kv_room_tokens"] / (asked.context_tokens * users)
    assert all(room[table["fits"]] >= 0.999)


@pytest.mark.parametrize(("layers", "count"), [(80, 4), (92, 11), (61, 60), (32, 1), (5, 2), (36, 36)])
def test_every_layer_is_placed_once(layers: int, count: int) -> None:
    placed = layers_by_wafer(layers, count)
    assert (len(placed), sum(placed)) == (count, layers)
    assert max(placed) - min(placed) <= 1
