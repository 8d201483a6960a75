"""What an architecture's dimensions add up to: parameters by component, weights read, cache and state per sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.block_table import (
    BlockTable,
    attention_elements,
    block_table,
    dense_mlp_elements,
    entry_elements,
    expert_elements,
)
from analysis.weight_formats import byte_per_weight
from data.records import Architecture, Block

__all__ = [
    "BlockTable",
    "Components",
    "block_table",
    "cache_byte_of_sequence",
    "cache_byte_per_token",
    "components",
    "components_met",
    "index_key_byte_per_token",
    "state_byte_per_sequence",
    "weight_byte",
    "weights_read_per_token",
]


@dataclass(frozen=True, kw_only=True)
class Components:
    """Elements (not bytes) of the main model by component; multi-token-prediction layers are not in it.

    attention   every matrix of token mixing, linear and recurrent layers included
    dense_mlp   dense MLPs, shared experts, and the projections into and out of a latent expert width
    experts     routed experts, all of them or those one token meets
    router      the matrices that choose experts
    embedding   tables of which a token reads one row; of a tied table the elements are here
    head        the output head; 0 where it is the embedding table again
    vectors     norms, biases, sinks, convolutions, position tables: everything that is no matrix product
    """

    attention: int
    dense_mlp: int
    experts: int
    router: int
    embedding: int
    head: int
    vectors: int

    @property
    def total(self) -> int:
        """All elements of the main model."""
        return sum(getattr(self, each.name) for each in fields(self))

    def by_name(self) -> dict[str, int]:
        """The same counts keyed by component name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def components(architecture: Architecture) -> Components:
    """Parameters by component, elements, counted from the dimensions; all routed experts."""
    return _components(architecture, every_expert=True)


def components_met(architecture: Architecture) -> Components:
    """As `components`, but only the routed experts that one token is sent to."""
    return _components(architecture, every_expert=False)


def _components(a: Architecture, *, every_expert: bool) -> Components:
    def summed(of_block: Mapping[int, int]) -> int:
        return sum(block.layers * of_block[index] for index, block in enumerate(a.blocks))

    def count(block: Block) -> int:
        return block.mlp.experts if every_expert else block.mlp.experts_per_token

    table = a.vocabulary * a.hidden
    numbered = dict(enumerate(a.blocks))
    return Components(
        attention=summed({i: attention_elements(b.attention) for i, b in numbered.items()}),
        dense_mlp=summed({i: dense_mlp_elements(b.mlp, a.hidden) for i, b in numbered.items()}),
        experts=summed({i: count(b) * expert_elements(b.mlp, a.hidden) for i, b in numbered.items()}),
        router=summed({i: b.mlp.experts * a.hidden for i, b in numbered.items()}),
        embedding=table + a.lookup_parameters,
        head=0 if a.tied_embeddings else table,
        vectors=summed({i: sum(b.vectors.values()) for i, b in numbered.items()}) + a.outer_parameters,
    )


def weights_read_per_token(architecture: Architecture) -> int:
    """Elements that one token's forward pass multiplies: top-k experts, output head included, lookups not."""
    met = components_met(architecture)
    looked_up = architecture.lookup_parameters + (0 if architecture.tied_embeddings else _table(architecture))
    return met.total - looked_up


def _table(architecture: Architecture) -> int:
    return architecture.vocabulary * architecture.hidden


def weight_byte(architecture: Architecture, formats: Mapping[str, str]) -> dict[str, float]:
    """Bytes of the resident weights by component, scales included. [B]

    formats   format name of every component (`weight_formats.component_formats` fills it from a checkpoint's format)
    """
    counted = components(architecture).by_name()
    return {name: elements * byte_per_weight(formats[name]) for name, elements in counted.items()}


def cache_byte_per_token(architecture: Architecture, element_byte: float = 2.0) -> float:
    """Cache one more token takes while no window is full yet, summed over all layers. [B]

    Index keys of sparse attention are not in it (`index_key_byte_per_token`), nor recurrent state.
    """
    elements = 0.0
    for block in architecture.blocks:
        attention = block.attention
        kept = 1.0 / attention.history_ratio
        if attention.history_ratio > 1 and attention.window_tokens:
            kept += 1.0
        elements += block.layers * entry_elements(attention) * kept
    return elements * element_byte


def cache_byte_of_sequence(
    architecture: Architecture, context_tokens: ArrayLike, element_byte: float = 2.0
) -> NDArray[np.float64]:
    """Cache of one sequence of `context_tokens`, all layers, as an ideal allocator would keep it. [B]

    Windows stop growing at their length; compressed layers keep one entry per group of tokens beside their window.
    Recurrent state and index keys are not in it. Broadcasts over `context_tokens`.
    """
    tokens = np.asarray(context_tokens, dtype=float)
    elements = np.zeros_like(tokens)
    for block in architecture.blocks:
        attention = block.attention
        inside = np.minimum(tokens, attention.window_tokens or np.inf)
        if attention.history_ratio > 1:
            history = tokens / attention.history_ratio
            inside = history + (inside if attention.window_tokens else 0.0)
        elements = elements + block.layers * entry_elements(attention) * inside
    return elements * element_byte


def index_key_byte_per_token(architecture: Architecture, element_byte: float = 2.0) -> float:
    """Keys that the indexers of sparse attention keep per token of context, beside the cache. [B]"""
    return element_byte * sum(
        block.layers * block.attention.indexer_width / block.attention.history_ratio
        for block in architecture.blocks
        if block.attention.indexer_heads
    )


def state_byte_per_sequence(architecture: Architecture, element_byte: float = 4.0) -> float:
    """Recurrent state of one sequence, whatever its length; short-convolution tails are left out. [B]"""
    return element_byte * sum(block.layers * block.attention.state_elements for block in architecture.blocks)
