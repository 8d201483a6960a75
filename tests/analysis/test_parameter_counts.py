"""Parameters and cache counted from dimensions equal what others print, to the last parameter where they print it."""

from __future__ import annotations

import csv
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.catalogue_check import active_counts, check_architectures
from analysis.shapes import (
    cache_byte_of_sequence,
    cache_byte_per_token,
    components,
    state_byte_per_sequence,
    weights_read_per_token,
)
from data.catalogue.architecture_files import architecture_paths, read_architecture, without_configuration
from data.records import Architecture, Block
from tests.shared_files import shared_path

ORACLES: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "oracles" / "parameters.yaml").read_text())
GIB = 2**30
KEYS = [path.stem for path in architecture_paths()]


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Architecture]:
    """Every architecture shipped, by key."""
    return {path.stem: read_architecture(path) for path in architecture_paths()}


def scale_entries(a: Architecture) -> int:
    """One scale per 128 x 128 block of every matrix in layers and of the MTP layer, which repeats the last block."""

    def grid(rows: int, columns: int) -> int:
        return ceil(rows / 128) * ceil(columns / 128)

    def layer(block: Block) -> int:
        mlp = block.mlp
        mixing = sum(grid(each.rows, each.columns) for each in block.attention.matrices)
        shared = 3 * grid(a.hidden, mlp.inner_width) if mlp.inner_width else 0
        return mixing + shared + 3 * mlp.experts * (grid(a.hidden, mlp.expert_width) if mlp.experts else 0)

    return sum(block.layers * layer(block) for block in a.blocks) + layer(a.blocks[-1])


def held(a: Architecture, part: str) -> int:
    """Elements of one part that a hub's files may hold."""
    table = a.vocabulary * a.hidden
    return {
        "main": components(a).total,
        "mtp": a.mtp_parameters,
        "copies": 2 * table,
        "stored_head": table,
        "buffers": 64 * a.layers,
        "siglip": 416_866_032 + 1152 * a.hidden + 1152,
        "scales": scale_entries(a),
    }[part]


@pytest.mark.parametrize("key", ORACLES["exact_totals"])
def test_exact_totals(key: str) -> None:
    oracle, a = ORACLES["exact_totals"][key], catalogue()[key]
    assert sum(held(a, part) for part in oracle["holds"]) + oracle.get("beyond", 0) == oracle["expected"]


@pytest.mark.parametrize("key", ORACLES["exact_totals"])
def test_the_catalogue_carries_the_exact_total(key: str) -> None:
    assert catalogue()[key].published_total_parameters == ORACLES["exact_totals"][key]["expected"]


@pytest.mark.parametrize("key", ORACLES["main_totals"])
def test_main_totals(key: str) -> None:
    assert components(catalogue()[key]).total == ORACLES["main_totals"][key]["expected"]


@pytest.mark.parametrize("key", ORACLES["rounded"])
def test_rounded_totals(key: str) -> None:
    oracle, a = ORACLES["rounded"][key], catalogue()[key]
    total = components(a).total
    nearest = min((total, total + a.mtp_parameters), key=lambda count: abs(count - oracle["total"]))
    assert nearest == pytest.approx(oracle["total"], rel=oracle.get("tolerance", 0.02))


@pytest.mark.parametrize("key", [key for key, entry in ORACLES["rounded"].items() if "active" in entry])
def test_active_parameters(key: str) -> None:
    oracle = ORACLES["rounded"][key]
    nearest = min(active_counts(catalogue()[key]), key=lambda count: abs(count - oracle["active"]))
    assert nearest == pytest.approx(oracle["active"], rel=oracle.get("tolerance", 0.03))


@pytest.mark.parametrize("key", ORACLES["cache_byte_per_token"])
def test_cache_per_token(key: str) -> None:
    assert cache_byte_per_token(catalogue()[key]) == ORACLES["cache_byte_per_token"][key]["expected"]


def test_windows_halve_the_cache_of_gpt_oss() -> None:
    """Half of 24 layers keep 128 tokens: 0.2 GB a sequence of 8,192 tokens instead of 0.4."""
    oracle, a = ORACLES["cache_of_sequences_gib"]["gpt-oss-20b"], catalogue()["gpt-oss-20b"]
    windowed = oracle["sequences"] * float(cache_byte_of_sequence(a, oracle["context_tokens"])) / GIB
    paged = oracle["sequences"] * oracle["context_tokens"] * cache_byte_per_token(a) / GIB
    assert windowed == pytest.approx(oracle["with_windows"], abs=0.005)
    assert paged == pytest.approx(oracle["full_pages"], abs=0.005)


def test_mistral_windows_bound_the_cache() -> None:
    """v0.1 keeps 4,096 tokens: 32 x 2 x 8 x 128 x 2 B x 4,096 = 536,870,912 B however long the context."""
    a = catalogue()["mistral-7b-v0.1"]
    assert cache_byte_of_sequence(a, [4096, 32768]).tolist() == [536_870_912.0, 536_870_912.0]
    assert float(cache_byte_of_sequence(catalogue()["mistral-7b-v0.2"], 32768)) == 8 * 536_870_912.0


def test_compressed_history_of_deepseek_v4() -> None:
    """Flash: 44,032 B for each of the last 128 tokens and 5,536 B per token of history."""
    a = catalogue()["deepseek-v4-flash"]
    assert float(cache_byte_of_sequence(a, 1_048_576)) == 128 * 44_032 + 1_048_576 * 5_536


def test_state_of_qwen3_next() -> None:
    """36 layers x 32 value heads x 128 x 128, four bytes each: 75,497,472 B whatever the context."""
    assert state_byte_per_sequence(catalogue()["qwen3-next-80b-a3b"]) == 75_497_472


# Where card and count are known to differ, and why, stands in the oracle file; anything else would be a new finding.
KNOWN = {key for key, entry in ORACLES["rounded"].items() if "tolerance" in entry}
KNOWN |= {key for key, entry in ORACLES["exact_totals"].items() if "beyond" in entry}


def test_the_check_finds_only_what_is_known() -> None:
    findings = check_architectures(catalogue().values())
    assert {each.key for each in findings} == KNOWN
    assert [each for each in findings if each.severity == "error"] == []


# ---- the reference collection's own count of all rows, a second route ----

CONTEXT_ON_PURPOSE = {"minimax-m1"}  # its 10,240,000 positions are a ceiling; the advertised context is shown


@lru_cache(maxsize=1)
def reference_rows() -> dict[str, dict[str, str]]:
    """models.csv by key; skips where the collection is missing."""
    with shared_path("reference", "models.csv").open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_every_reference_row_is_a_model_or_a_named_refusal() -> None:
    assert set(reference_rows()) == set(KEYS) | set(without_configuration())


@pytest.mark.parametrize("key", KEYS)
def test_reference_count(key: str) -> None:
    """Totals, weights read and MTP layers to the four decimals of a billion that are printed; the rest exactly."""
    row, a = reference_rows()[key], catalogue()[key]
    assert f"{components(a).total / 1e9:.4f}" == f"{float(row['total_params_b']):.4f}"
    assert f"{weights_read_per_token(a) / 1e9:.4f}" == f"{float(row['weights_read_per_token_b']):.4f}"
    assert f"{a.mtp_parameters / 1e9:.4f}" == f"{float(row['mtp_params_b'] or 0):.4f}"
    assert cache_byte_per_token(a) == float(row["kv_bytes_per_token_bf16"])
    assert (a.layers, a.hidden, a.vocabulary) == (int(row["layers"]), int(row["hidden"]), int(row["vocab"]))
    assert str(a.tied_embeddings) == row["tie_embeddings"]
    if key not in CONTEXT_ON_PURPOSE:
        assert a.max_context_tokens == int(row["max_context"])
