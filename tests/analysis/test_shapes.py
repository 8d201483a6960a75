"""Shapes of small models worked by hand, and the padded table as a second way to the same sums."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from analysis.block_table import BlockTable, block_table
from analysis.shapes import (
    cache_byte_of_sequence,
    cache_byte_per_token,
    components,
    components_met,
    index_key_byte_per_token,
    weight_byte,
    weights_read_per_token,
)
from analysis.weight_formats import component_formats
from data.catalogue.architecture_files import architecture_paths, read_architecture
from data.errors import CatalogueError, UnknownNameError
from data.records import Architecture, Attention, Block, Matrix, Mlp

ATTENTION = Attention(
    kind="gqa",
    query_heads=4,
    kv_heads=2,
    head_width=2,
    matrices=(
        Matrix(name="query", rows=8, columns=8, split="heads"),
        Matrix(name="key", rows=8, columns=4, split="kv_heads"),
        Matrix(name="value", rows=8, columns=4, split="kv_heads"),
        Matrix(name="output", rows=8, columns=8, split="heads"),
    ),
)
DENSE = Block(layers=1, attention=ATTENTION, mlp=Mlp(kind="dense", inner_width=16), vectors={"norms": 16})
MIXTURE = Block(
    layers=2,
    attention=replace(ATTENTION, window_tokens=4),
    mlp=Mlp(kind="moe", inner_width=4, experts=5, experts_per_token=2, expert_width=3, expert_vectors=1),
    vectors={"norms": 16},
)


def small(*blocks: Block, tied: bool = False) -> Architecture:
    """A model eight wide with ten words."""
    texts = {"release": "", "published_total_note": "", "configuration_kind": "", "audited": "", "note": ""}
    formats = dict.fromkeys(("native_weight_format", "native_attention_format", "native_expert_format"), "bf16")
    return Architecture(
        key="small",
        name="Small",
        publisher_name="",
        hidden=8,
        vocabulary=10,
        tied_embeddings=tied,
        blocks=blocks,
        outer_parameters=8,
        mtp_parameters=0,
        max_context_tokens=64,
        fp8_block_scaled=False,
        published_total_parameters=None,
        published_active_parameters=None,
        facts={},
        **texts,
        **formats,
    )


@lru_cache(maxsize=1)
def catalogue() -> tuple[Architecture, ...]:
    """Every architecture shipped."""
    return tuple(read_architecture(path) for path in architecture_paths())


def test_components_by_hand() -> None:
    """One dense layer and two of mixture, eight wide.

    Attention 64 + 32 + 32 + 64 = 192 a layer; dense 3 x 8 x 16 = 384; shared 3 x 8 x 4 = 96, twice; an expert
    3 x 8 x 3 + 1 = 73, five of them twice; router 8 x 5, twice; tables 80 each; vectors 3 x 16 + 8.
    """
    counted = components(small(DENSE, MIXTURE))
    assert counted.by_name() == {
        "attention": 576,
        "dense_mlp": 384 + 192,
        "experts": 730,
        "router": 80,
        "embedding": 80,
        "head": 80,
        "vectors": 56,
    }
    assert counted.total == 576 + 576 + 730 + 80 + 80 + 80 + 56


def test_a_token_meets_two_experts_and_no_input_embedding() -> None:
    """Experts 2 x 2 x 73 = 292 instead of 730; 80 for the looked-up table less."""
    a = small(DENSE, MIXTURE)
    assert components_met(a).experts == 292
    assert weights_read_per_token(a) == components(a).total - (730 - 292) - 80


def test_a_tied_table_is_read_as_head() -> None:
    tied = small(DENSE, tied=True)
    assert components(tied).head == 0
    assert weights_read_per_token(tied) == components(tied).total == weights_read_per_token(small(DENSE))


def test_cache_by_hand() -> None:
    """2 x 2 heads x 2 wide x 2 B = 16 B a layer and token; two of three layers stop at four tokens."""
    a = small(DENSE, MIXTURE)
    assert cache_byte_per_token(a) == 48
    assert cache_byte_of_sequence(a, [1, 4, 10]).tolist() == [48, 192, 10 * 16 + 4 * 32]


def test_layers_that_read_another_cache_store_none() -> None:
    sharing = replace(DENSE, attention=replace(ATTENTION, stores_cache=False))
    assert cache_byte_per_token(small(DENSE, sharing)) == 16


def test_latent_experts_by_hand() -> None:
    """Latent 4 wide: two projections of 8 x 4 = 64, an expert 2 x 4 x 3 = 24."""
    mlp = Mlp(kind="moe", matrices=2, experts=5, experts_per_token=2, expert_width=3, latent_width=4)
    counted = components(small(replace(DENSE, mlp=mlp)))
    assert (counted.dense_mlp, counted.experts) == (64, 120)


def test_index_keys_of_sparse_attention() -> None:
    """DeepSeek-V3.2: 61 layers x 128 x 2 B; GLM-5.2 has 21 indexers; V4-Flash keeps a quarter of 21 layers' keys."""
    by_key = {each.key: each for each in catalogue()}
    assert index_key_byte_per_token(by_key["deepseek-v3.2"]) == 61 * 256
    assert index_key_byte_per_token(by_key["glm-5.2"]) == 21 * 256
    assert index_key_byte_per_token(by_key["deepseek-v4-flash"]) == 1344
    assert index_key_byte_per_token(by_key["deepseek-v4-pro"]) == 1920


def test_quantised_checkpoints_keep_tables_and_router_wide() -> None:
    """FP8: attention, MLP, experts one byte; tables, router and vectors two."""
    a = small(DENSE, MIXTURE)
    assert sum(weight_byte(a, component_formats("fp8")).values()) == 576 + 576 + 730 + 2 * (80 + 160 + 56)
    assert weight_byte(a, component_formats("bf16", expert="mxfp4"))["experts"] == 730 * 0.53125
    assert weight_byte(a, component_formats("q4_0"))["head"] == 80 * 0.5625
    with pytest.raises(UnknownNameError, match="nvfp4"):
        component_formats("nvfp5")


def table_total(table: BlockTable) -> np.ndarray:
    """Parameters of every model, from the table's columns alone."""
    hidden = table.hidden[:, None]
    per_layer = table.weights_by_heads + table.weights_by_kv_heads + table.weights_whole + table.vectors
    per_layer = per_layer + table.mlp_matrices * hidden * (table.inner_width + table.experts * table.expert_width)
    per_layer = per_layer + table.experts * hidden
    return (table.layers * per_layer).sum(axis=1) + table.embedding + table.head * (1 - table.tied) + table.outer


def test_table_adds_up_to_the_components() -> None:
    table = block_table(catalogue())
    np.testing.assert_allclose(table_total(table), [components(each).total for each in catalogue()], rtol=1e-12)


def test_table_gives_the_cache_per_token() -> None:
    table = block_table(catalogue())
    kept = 1 / table.history_ratio + ((table.history_ratio > 1) & np.isfinite(table.window_tokens))
    cache = 2.0 * (table.layers * table.stores_cache * table.entry_elements * kept).sum(axis=1)
    np.testing.assert_allclose(cache, [cache_byte_per_token(each) for each in catalogue()], rtol=1e-12)
    gqa = (table.is_gqa * table.kv_heads * table.head_width * table.cache_vectors).sum(axis=1)
    mla = (table.is_mla * (table.kv_rank + table.rope_width)).sum(axis=1)
    np.testing.assert_allclose(gqa + mla, table.entry_elements.sum(axis=1), rtol=1e-12)


def test_padding_is_neutral_and_kinds_exclude_each_other() -> None:
    table = block_table(catalogue())
    empty = table.layers == 0
    assert empty.any()
    assert np.all(table.weights_by_heads[empty] == 0)
    assert np.all(np.isinf(table.window_tokens[empty]))
    assert np.all(table.history_ratio >= 1)
    assert np.all(table.is_gqa + table.is_mla + table.is_linear <= 1)
    assert all(np.all(np.isfinite(each)) for each in (table.cache_vectors, table.expert_width, table.inner_width))


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(CatalogueError, match="no architecture"):
        block_table([])


@pytest.mark.parametrize("a", catalogue(), ids=lambda a: a.key)
def test_splitting_blocks_changes_nothing(a: Architecture) -> None:
    halves = [replace(block, layers=part) for block in a.blocks for part in (1, block.layers - 1) if part]
    split = replace(a, blocks=tuple(halves))
    assert components(split) == components(a)
    assert cache_byte_per_token(split) == pytest.approx(cache_byte_per_token(a))
    assert table_total(block_table([split]))[0] == pytest.approx(table_total(block_table([a]))[0], rel=1e-12)


@pytest.mark.parametrize("a", catalogue(), ids=lambda a: a.key)
def test_matrices_fit_the_model(a: Architecture) -> None:
    """Every layer starts and ends at the model's width: some matrix reads it and some matrix writes it."""
    for block in a.blocks:
        if block.attention.kind != "none":
            assert any(each.rows == a.hidden for each in block.attention.matrices)
            assert any(each.columns == a.hidden for each in block.attention.matrices)
    assert float(cache_byte_of_sequence(a, 1)) <= cache_byte_per_token(a) + 1e-9
