"""The catalogue as a whole: published figures, wrong figures in circulation, prices, conflicts, second routes."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
import yaml

from data.catalogue.catalogue import Catalogue, load_catalogue, read_catalogue
from data.catalogue.check import check_files
from data.errors import CatalogueError
from tests.shared_files import shared_path

ORACLE = yaml.safe_load((Path(__file__).resolve().parents[1] / "oracles" / "chips.yaml").read_text())
FOLDER = Path(__file__).resolve().parents[2] / "data" / "catalogue"


def label(entry: dict) -> str:
    """Short name of an oracle entry in test reports."""
    return f"{entry['chip']}-{entry['field']}"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The shipped catalogue."""
    return load_catalogue()


@pytest.mark.parametrize("entry", ORACLE["entries"], ids=label)
def test_published_figure(entry: dict, catalogue: Catalogue) -> None:
    found = getattr(catalogue.chip(entry["chip"]), entry["field"])
    assert math.isclose(found, float(entry["expected"]), rel_tol=max(entry["tolerance"], 1e-9)), entry["document"]


@pytest.mark.parametrize("entry", ORACLE["wrong"], ids=lambda each: f"{label(each)}-{each['value']}")
def test_wrong_figure_in_circulation_is_not_ours(entry: dict, catalogue: Catalogue) -> None:
    found = getattr(catalogue.chip(entry["chip"]), entry["field"])
    assert found is None or not math.isclose(found, float(entry["value"]), rel_tol=0.004), entry["why"]


def test_conflicts_between_sources_are_kept_beside_the_figure(catalogue: Catalogue) -> None:
    """Each of these is printed in two ways by two sources, by the figures of the sources themselves."""
    kept = {
        ("dgx-spark-gb10", "peak_bf16_flop_per_s"): {62.5e12, 125e12},
        ("b300-sxm", "peak_fp4_flop_per_s"): {14e15},
        ("sambanova-sn40l", "bandwidth_byte_per_s"): {1.8e12, 2.0e12},
        ("h20", "memory_byte"): {141e9},
        ("h200-nvl", "bandwidth_byte_per_s"): {4.2e12},
        ("b200-sxm", "memory_byte"): {192e9},
        ("b200-sxm", "bandwidth_byte_per_s"): {8e12},
        ("gb200", "peak_bf16_flop_per_s"): {2250e12},
        ("wse-3", "power_w"): {25e3},
    }
    for (key, field), values in kept.items():
        chip = catalogue.chip(key)
        others = {conflict.value for conflict in chip.conflicts if conflict.field == field}
        assert values <= others, key
        assert getattr(chip, field) not in values, key


def test_what_is_unknown_is_none(catalogue: Catalogue) -> None:
    assert catalogue.chip("dgx-spark-gb10").peak_bf16_flop_per_s is None
    assert catalogue.chip("wse-3").peak_fp8_flop_per_s is None
    assert catalogue.chip("taalas-hc1").bandwidth_byte_per_s is None
    assert catalogue.chip("v100-sxm2-32gb").peak_bf16_flop_per_s is None


def test_wafers_have_cores_and_nothing_else_does(catalogue: Catalogue) -> None:
    for chip in catalogue.chips.values():
        assert (chip.core_count is not None) == (chip.kind == "wafer"), chip.key
        assert (chip.execution == "mesh") == (chip.kind == "wafer"), chip.key


def test_bridged_cards_link_pairs_only(catalogue: Catalogue) -> None:
    pairs = {key for key, chip in catalogue.chips.items() if chip.link_pair_only}
    assert {"h100-pcie", "h100-nvl", "a100-pcie-40gb", "a100-pcie-80gb", "rtx-3090", "rtx-a6000"} <= pairs
    assert not {"h100-sxm", "h200-nvl", "l40s", "rtx-4090"} & pairs


def test_prices_have_date_provider_source_and_a_positive_amount(catalogue: Catalogue) -> None:
    for price in catalogue.prices:
        assert price.amount > 0, price
        assert price.date[:2] == "20" or price.date.startswith("before 20"), price
        assert price.provider, price
        assert price.source.title, price
        assert price.currency == "USD", price
    assert all(price.chip_key == "h100-sxm" for price in catalogue.prices_of("h100-sxm"))
    assert len(catalogue.prices_of("h100-sxm")) > 10


def test_check_counts_what_is_there_and_finds_no_fault() -> None:
    result = check_files()
    assert result.faults == ()
    assert result.counts["chips"] == len(list((FOLDER / "chips").glob("*.yaml")))
    assert result.counts["prices"] > 200


def test_check_names_every_broken_file(tmp_path: Path) -> None:
    """Two broken files give two faults, each with its file's name, and the rest is still counted."""
    for part in ("chips", "architectures", "prices"):
        (tmp_path / part).mkdir()
        for path in sorted((FOLDER / part).glob("*.yaml"))[:3]:
            (tmp_path / part / path.name).write_text(path.read_text())
    (tmp_path / "architectures" / "without_configuration.yaml").write_text("models: {}\n")
    (tmp_path / "aliases.csv").write_text("kind,name,key,status,choices,note\n")
    (tmp_path / "chips" / "bad.yaml").write_text("key: bad\n")
    (tmp_path / "prices" / "worse.yaml").write_text("about: [\n")
    result = check_files(tmp_path)
    assert result.counts["chips"] == 3
    assert {"bad.yaml", "worse.yaml"} <= {fault.split(",")[0].split(":")[0] for fault in result.faults}


def test_a_price_of_an_unknown_chip_is_refused(tmp_path: Path) -> None:
    for part in ("chips", "architectures"):
        (tmp_path / part).mkdir()
        path = sorted(path for path in (FOLDER / part).glob("*.yaml") if "without" not in path.name)[0]
        (tmp_path / part / path.name).write_text(path.read_text())
    (tmp_path / "architectures" / "without_configuration.yaml").write_text("models: {}\n")
    (tmp_path / "aliases.csv").write_text("kind,name,key,status,choices,note\n")
    (tmp_path / "prices").mkdir()
    price = {"item": "x", "chip": "no-such-chip", "unit": "chip-hour", "amount": "1", "date": "2026", "provider": "p"}
    content = {"about": "a", "sources": {"s": {"title": "t", "kind": "page"}}, "prices": [price | {"source": "s"}]}
    (tmp_path / "prices" / "x.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(CatalogueError, match="no-such-chip"):
        read_catalogue(tmp_path)


# column of the reference table, field, factor to SI; links and GiB memories are checked by their own rules below
COLUMNS = [
    ("memory_bw_tbps", "bandwidth_byte_per_s", 1e12),
    ("second_tier_gb", "second_tier_byte", 1e9),
    ("second_tier_bw_tbps", "second_tier_bandwidth_byte_per_s", 1e12),
    ("onchip_sram_mb", "onchip_memory_byte", 1e6),
    ("onchip_bw_tbps", "onchip_bandwidth_byte_per_s", 1e12),
    ("memory_visible_mib", "memory_visible_byte", 2**20),
    ("scale_up_domain", "scale_up_device_count", 1),
    ("tdp_w", "power_w", 1),
    ("price_usd", "price_usd", 1),
    ("cloud_usd_per_hour", "rental_usd_per_hour", 1),
    *[
        (f"{name}_tflops", f"peak_{name}_flop_per_s", 1e12)
        for name in ("fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4")
    ],
    *[(f"{name}_tops", f"peak_{name}_op_per_s", 1e12) for name in ("int8", "int4")],
]


def test_every_figure_of_the_reference_table_is_carried_over(catalogue: Catalogue) -> None:
    """Second route: the collected table, cell by cell; an empty cell is None, a two-way link is halved."""
    with shared_path("reference", "hardware.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert {row["id"] for row in rows} == set(catalogue.chips)
    for row in rows:
        chip = catalogue.chips[row["id"]]
        for column, field, factor in COLUMNS:
            expected = float(row[column]) * factor if row[column] else None
            assert getattr(chip, field) == (expected and pytest.approx(expected)), (chip.key, field)
        memory = float(row["memory_gb"]) * 1e9 if row["memory_gb"] else None
        assert chip.memory_byte == (memory and pytest.approx(memory, rel=2e-3)), chip.key
        ways = 2 if row["link_bw_direction"] == "bidirectional" else 1
        link = float(row["link_bw_gbps_per_device"]) * 1e9 / ways if row["link_bw_gbps_per_device"] else None
        assert chip.link_bandwidth_byte_per_s == (link and pytest.approx(link)), chip.key
        assert (chip.status, chip.confidence, chip.audited) == (row["status"], row["confidence"], row["audited"])


def test_every_price_of_the_reference_table_is_carried_over(catalogue: Catalogue) -> None:
    with shared_path("reference", "prices.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    expected = sorted((row["item"], row["unit"], float(row["price"]), row["provider"]) for row in rows)
    assert sorted((p.item, p.unit, p.amount, p.provider) for p in catalogue.prices) == expected


def test_facts_survive_strict_json(catalogue: Catalogue) -> None:
    """No NaN and no infinity anywhere: what --json prints can be read by any parser."""
    values = {key: {name: fact.value for name, fact in chip.facts.items()} for key, chip in catalogue.chips.items()}
    assert json.loads(json.dumps(values, allow_nan=False)) == values
