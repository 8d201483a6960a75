"""Architectures side by side as padded numpy tables, so that thousands of cases are computed in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from data.errors import CatalogueError
from data.records import Architecture, Attention, Block, Mlp

Table = NDArray[np.float64]


def attention_elements(attention: Attention, split: str = "") -> int:
    """Elements of one layer's token-mixing matrices; with `split`, only those divided that way."""
    return sum(each.rows * each.columns for each in attention.matrices if not split or each.split == split)


def dense_mlp_elements(mlp: Mlp, hidden: int) -> int:
    """Elements of one layer's dense MLP or shared experts, and of the projections round a latent expert width."""
    return mlp.matrices * hidden * mlp.inner_width + 2 * hidden * mlp.latent_width


def expert_elements(mlp: Mlp, hidden: int) -> int:
    """Elements of one routed expert, its biases included."""
    return mlp.matrices * (mlp.latent_width or hidden) * mlp.expert_width + mlp.expert_vectors


def entry_elements(attention: Attention) -> int:
    """Elements one layer adds to the cache per stored entry (a token, or a group of compressed tokens).

    gqa   kv_heads x (key width + value width), or kv_heads x head_width where the keys are the values
    mla   latent rank + rotary width
    """
    if not attention.stores_cache or attention.kind not in {"gqa", "mla"}:
        return 0
    if attention.kind == "mla":
        return attention.kv_rank + attention.rope_width
    if attention.value_width:
        return attention.kv_heads * (attention.head_width + attention.value_width)
    return attention.kv_heads * attention.head_width * attention.cache_vectors


@dataclass(frozen=True, kw_only=True)
class BlockTable:
    """Shapes of many models: one row a model, one column a group of equal layers, padded with layers = 0.

    Arrays of shape (models, groups). Padded cells hold 0, but 1 for history_ratio and infinity for the two limits.

    is_gqa, is_mla, is_linear   1 for the kind of token mixing, else 0; all three 0 where a layer has none
    cache_vectors               vectors of head_width elements kept per KV head; fractional where values are narrower
    value_width                 per head; equal to head_width for gqa unless the values are narrower
    window_tokens               infinity where the layer sees the whole context
    history_ratio               tokens per stored entry; above 1 the window's raw entries are kept beside them
    stores_cache                0 where the layer reads another layer's cache: traffic, but no memory
    entry_elements              elements per token (per entry where history_ratio is above 1), all KV heads: what a
                                layer reads; times stores_cache it is what the layer keeps
    selected_tokens             tokens of history that sparse attention reads; infinity for all of them
    weights_by_heads, weights_by_kv_heads, weights_whole   elements of token-mixing matrices by tensor-parallel split
    inner_width                 dense MLP or shared experts, elements mlp_matrices x hidden x inner_width; the two
                                projections round a latent expert width are folded in as width of the same size
    expert_width                such that one expert, latents and biases included, has
                                mlp_matrices x hidden x expert_width elements
    vectors                     elements of norms, biases and the like per layer

    Arrays of shape (models,).

    tied        1 where head and input embedding are one table
    embedding   elements of all looked-up tables: vocabulary x hidden, per-layer tables added
    head        vocabulary x hidden, tied or not: what a token's logits multiply. Resident = embedding + head (1 - tied)
    outer       elements outside layers and tables: final norm, position tables
    """

    layers: Table
    is_gqa: Table
    is_mla: Table
    is_linear: Table
    query_heads: Table
    kv_heads: Table
    head_width: Table
    window_tokens: Table
    cache_vectors: Table
    history_ratio: Table
    stores_cache: Table
    entry_elements: Table
    q_rank: Table
    kv_rank: Table
    rope_width: Table
    nope_width: Table
    value_width: Table
    selected_tokens: Table
    indexer_heads: Table
    indexer_width: Table
    state_elements: Table
    weights_by_heads: Table
    weights_by_kv_heads: Table
    weights_whole: Table
    inner_width: Table
    mlp_matrices: Table
    experts: Table
    experts_per_token: Table
    expert_width: Table
    vectors: Table
    hidden: Table
    vocabulary: Table
    tied: Table
    embedding: Table
    head: Table
    outer: Table
    max_context_tokens: Table


PADDING = {"history_ratio": 1.0, "window_tokens": np.inf, "selected_tokens": np.inf}


def block_table(architectures: Sequence[Architecture]) -> BlockTable:
    """The shapes of `architectures` as one BlockTable, rows in the order given.

    Raises CatalogueError for an empty sequence.
    """
    if not architectures:
        raise CatalogueError("no architecture to tabulate", expected="at least one")
    groups = max(len(each.blocks) for each in architectures)
    rows = [[_cells(block, each.hidden) for block in each.blocks] for each in architectures]
    columns = {
        name: np.array([[cell[name] for cell in row] + [PADDING.get(name, 0.0)] * (groups - len(row)) for row in rows])
        for name in rows[0][0]
    }
    return BlockTable(
        **columns, **{name: np.array([read(each) for each in architectures]) for name, read in _PER_MODEL.items()}
    )


_PER_MODEL: dict[str, Callable[[Architecture], float]] = {
    "hidden": lambda a: float(a.hidden),
    "vocabulary": lambda a: float(a.vocabulary),
    "tied": lambda a: float(a.tied_embeddings),
    "embedding": lambda a: float(a.vocabulary * a.hidden + a.lookup_parameters),
    "head": lambda a: float(a.vocabulary * a.hidden),
    "outer": lambda a: float(a.outer_parameters),
    "max_context_tokens": lambda a: float(a.max_context_tokens),
}


def _cells(block: Block, hidden: int) -> dict[str, float]:
    cells = {"layers": float(block.layers), "vectors": float(sum(block.vectors.values()))}
    return cells | _attention_cells(block.attention) | _mlp_cells(block.mlp, hidden)


_COPIED = (
    *("query_heads", "kv_heads", "head_width", "history_ratio", "stores_cache", "q_rank", "kv_rank"),
    *("rope_width", "nope_width", "indexer_heads", "indexer_width", "state_elements"),
)


def _attention_cells(attention: Attention) -> dict[str, float]:
    narrower = attention.kind == "gqa" and attention.value_width > 0
    return {name: float(getattr(attention, name)) for name in _COPIED} | {
        "is_gqa": float(attention.kind == "gqa"),
        "is_mla": float(attention.kind == "mla"),
        "is_linear": float(attention.kind == "linear"),
        "window_tokens": float(attention.window_tokens or np.inf),
        "selected_tokens": float(attention.selected_tokens or np.inf),
        "cache_vectors": 1 + attention.value_width / attention.head_width if narrower else attention.cache_vectors,
        "value_width": float(attention.value_width or attention.head_width),
        "entry_elements": float(entry_elements(replace(attention, stores_cache=True))),
        "weights_by_heads": float(attention_elements(attention, "heads")),
        "weights_by_kv_heads": float(attention_elements(attention, "kv_heads")),
        "weights_whole": float(attention_elements(attention, "whole")),
    }


def _mlp_cells(mlp: Mlp, hidden: int) -> dict[str, float]:
    folded = 2 * mlp.latent_width / mlp.matrices
    return {
        "inner_width": mlp.inner_width + folded,
        "mlp_matrices": float(mlp.matrices),
        "experts": float(mlp.experts),
        "experts_per_token": float(mlp.experts_per_token),
        "expert_width": expert_elements(mlp, hidden) / (mlp.matrices * hidden),
    }
