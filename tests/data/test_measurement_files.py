"""The measured runs that ship: every row of a described block with a listed document, and faults named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from data.catalogue.achievable_files import product_shares
from data.catalogue.measurement_files import (
    MEASURED,
    MEASUREMENT_FOLDER,
    SERVING,
    block_of,
    column_meanings,
    load_blocks,
    load_measurements,
)
from data.errors import CatalogueError

METRICS = {
    "output_tps_total", "tpot_ms", "decode_tps_per_user", "ttft_ms", "prefill_tps", "energy_j_per_token",
    "wall_clock_tps_per_user",
}  # fmt: skip


def test_every_block_says_what_it_is_and_where_it_stands() -> None:
    rows = [*load_measurements(SERVING), *load_measurements(MEASURED)]
    blocks = load_blocks()
    assert {block_of(row["id"]) for row in rows} == set(blocks)
    for block in blocks.values():
        assert block.title
        assert block.licence
        assert all(each.title and each.where and each.retrieved for each in block.references.values())


def test_values_are_above_zero_and_metrics_known() -> None:
    for row in load_measurements(MEASURED):
        assert row["metric"] in METRICS
        assert float(row["value"]) > 0
    for row in load_measurements(SERVING):
        assert float(row["tpot_ms"]) > 0
        assert (row["clean"] == "True") == (row["set_aside_because"] == "")
    assert {"id", "value", "metric"} <= set(column_meanings())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\naic-002,", "\naic-001,", "there twice"),
        ("\naic-002,", "\nmagic-002,", "block is not described"),
        (",aic-1\naic-003", ",aic-9\naic-003", "document is not listed"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    shutil.copytree(MEASUREMENT_FOLDER, tmp_path / "m")
    table = tmp_path / "m" / "measured.csv"
    text = table.read_text()
    assert old in text
    table.write_text(text.replace(old, new, 1))
    with pytest.raises(CatalogueError, match=said):
        load_measurements(MEASURED, tmp_path / "m")


def test_shares_of_peak() -> None:
    """H100: 811.0 of 989 TFLOP/s in 16 bits, 1,312.3 of 1,979 in FP8 (medians over large products)."""
    shares = product_shares()
    assert shares["h100-sxm", "bf16"] == pytest.approx(811.0 / 989, abs=0.001)
    assert shares["h100-sxm", "fp8"] == pytest.approx(1312.3 / 1979, abs=0.001)


def test_a_share_above_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "achievable.csv"
    file.write_text("chip,quantity,format,share_of_peak,statistic,source\nx,matrix product,bf16,1.2,median,y\n")
    with pytest.raises(CatalogueError, match="between 0 and 1"):
        product_shares(file)
