"""The memory study against published placements, the engine, and sums done by hand."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
import pytest

from analysis.engine import evaluate
from analysis.memory_use import layers_by_wafer
from analysis.plans import case_of
from analysis.studies import compare
from analysis.studies.memory_fit import study
from analysis.study import Study, rows_of
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
    assert row["verdict"] == "fits with caches pooled; 16 users with whole layers in place"


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


def line_of(found: Study, name: str) -> dict[str, Any]:
    """The row of one slot among the machines whose layers lie in line."""
    return next(row for row in rows_of(found.marks["lines"]) if row["slot"] == name)  # type: ignore[arg-type]


def test_a_line_of_wafers_by_hand() -> None:
    """Llama 3.1 70B in 16 bit on four wafers, 4K.

    Speeds 468 and 443 tok/s: 80 (4.20 us + 1.398e-8 sqrt(45,000) + 1.004e-9 M / 45,000) + 15 us with
    M = 868.7e6 weights a layer (head included) + 2 x 64 x 128 x context. 141.107 GB over 4 x 150 GB/s: 0.235 s. A
    spare loads the fullest share, 20 x 1.711 + 2.101 = 36.33 GB, in 0.242 s. 141.1 / 26.4: six wafers by the rule.
    """
    found = study(workload("llama-3.1-70b", 4096, 1, "bf16"), slots(("wse-3", 4), ("h200-sxm", 8)))
    row = line_of(found, "4 × WSE-3")
    assert (row["pooled_streams"], row["placed_streams"]) == (19, 16)
    for macs, speed in ((868.7e6, "empty_tokens_per_s_per_user"), (935.8e6, "tokens_per_s_per_user")):
        layer_s = 4.20e-6 + 1.398e-8 * 45_000**0.5 + 1.004e-9 * macs / 45_000
        assert row[speed] == pytest.approx(1 / (80 * layer_s + 15e-6), rel=0.003)
    assert row["empty_tokens_per_s_per_user"] == pytest.approx(468, rel=0.002)
    assert row["tokens_per_s_per_user"] == pytest.approx(443, rel=0.002)
    assert row["load_s"] == pytest.approx(0.235, rel=0.005)
    assert row["planned_units"] == 6
    assert row["with_spare"].startswith("16 users again once its 36.3")
    assert "242" in row["with_spare"]
    assert row["split"] == "80 / 0.76 / 19 %"
    assert len(found.marks["lines"]) == 1  # type: ignore[arg-type]  # eight H200 share every layer


def test_wafers_with_one_more_than_needed_serve_without_it() -> None:
    """Five wafers hold 16 layers each; with one down four hold 20, and 16 streams of 4K as above."""
    found = study(workload("llama-3.1-70b", 4096, 1, "bf16"), slots(("wse-3", 5)))
    assert line_of(found, "5 × WSE-3")["one_down"] == "4 × WSE-3 holds 16 users"


def test_pipeline_stages_hold_whole_layers() -> None:
    """Kimi K2 in 16 bit on stages of eight H200: 61 layers as 31 and 30, or as 20, 21 and 20.

    A layer's experts are 384 x 3 x 7168 x 2048 x 2 B = 33.8 GB; 31 layers leave little of the 1.07 TB that a stage may
    use (8 x 0.9 x 150.8 GB less overhead), though both stages together have 80 GB to spare.
    """
    found = study(workload("kimi-k2", 8192, 1, "bf16"), slots(("h200-sxm", 16), ("h200-sxm", 24)))
    two, three = (line_of(found, name) for name in ("16 × H200", "24 × H200"))
    assert (two["in_line"], two["layers_on_wafer"]) == ("2 stages of 8", 31)
    assert 0 < two["placed_streams"] < two["pooled_streams"] / 5
    assert (three["in_line"], three["layers_on_wafer"]) == ("3 stages of 8", 21)
    assert three["placed_streams"] > 0
    assert three["one_down"] == "the copy stops with its stage"
    placed = found.marks["placement"]
    assert placed[placed["slot"] == "24 × H200"]["layers_on_wafer"].sum() == 61  # type: ignore[index]


def test_one_stream_in_a_line_is_as_fast_as_on_that_many_wafers_elsewhere() -> None:
    """64 users at 200K take far more wafers than one needs; a stream among them crosses all of them."""
    found = study(workload("glm-4.6", 200_000, 64), slots(("wse-3", None)))
    count = int(found.table["device_count"].iloc[0])
    (line,) = rows_of(cast(pd.DataFrame, found.marks["lines"]))
    asked = compare.study(workload("glm-4.6", 200_000), slots(("wse-3", count)), target_token_per_s=1000.0)
    assert line["tokens_per_s_per_user"] == pytest.approx(asked.table["tokens_per_s_per_user"].iloc[0])


def test_a_line_that_is_short_says_no_negative_share() -> None:
    found = study(workload("glm-4.6", 200_000, 1024, "bf16"), slots(("wse-3", 1)))
    (line,) = rows_of(cast(pd.DataFrame, found.marks["lines"]))
    assert line["split"] == "more than all of it"
    assert line["in_line"] == "1 wafer"
