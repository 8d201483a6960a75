"""A model in its formats under a context and a number of users: what it weighs, and what a decode step reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.block_table import attention_elements, dense_mlp_elements, entry_elements, expert_elements
from analysis.engine.formats import Formats, formats_of
from analysis.engine.memory import INDEX_KEY_BYTE
from analysis.models import transformer
from analysis.parameters import Parameters
from analysis.shapes import cache_byte_of_sequence, index_key_byte_per_token, state_byte_per_sequence
from data.records import Architecture, Block, Chip

Floats = NDArray[np.float64]
_LONG_TOKENS = 1e9  # far beyond every window, to tell growing layers from full windows
_STATE_BYTE = 4.0  # recurrent state is kept in 32 bits


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What is asked of every machine compared. Empty formats are the model's own; the cache's is 16 bits.

    head_format   embedding and head where they differ from the other tables
    kept_fraction, index_byte   share of the layers' weights that pruning leaves, and bytes that place one of them
    gguf        the weights are a llama.cpp file, which keeps 8-bit integers beside 4-bit float experts
    parameters  what the engine is told to believe, e.g. a profile fitted to own runs; None for the shipped ones
    """

    architecture: Architecture
    context_tokens: float
    sequences: float = 1.0
    weight_format: str = ""
    cache_format: str = ""
    attention_format: str = ""
    expert_format: str = ""
    head_format: str = ""
    kept_fraction: float = 1.0
    index_byte: float = 0.0
    gguf: bool = False
    parameters: Parameters | None = None

    def formats(self, chip: Chip) -> Formats:
        """The number formats as this chip holds them."""
        return formats_of(
            self.architecture,
            chip,
            self.weight_format,
            self.attention_format,
            self.expert_format,
            self.cache_format,
            "",
            gguf=self.gguf,
            head=self.head_format,
            kept=self.kept_fraction,
            index_byte=self.index_byte,
        )

    def at(self, **changes: float) -> Workload:
        """The same with another context or number of sequences."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def format_words(self, chip: Chip) -> str:
        """Formats as conditions print them: "FP8 weights, FP8 cache"."""
        used = self.formats(chip)
        return f"{used.expert.name.upper()} weights, {used.cache.name.upper()} KV cache"


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Bytes of the resident weights. Arrays hold one entry per block of equal layers, summed over its layers."""

    by_heads: Floats
    by_kv_heads: Floats
    whole: Floats  # kept entire on every device of a group: latent projections, norms, biases
    kv_heads: Floats  # heads of the cache; 1 for a latent cache
    dense_mlp: Floats
    experts: Floats  # routers included
    layers: Floats
    embedding: float
    head: float

    @property
    def attention(self) -> float:
        """All token mixing, norms included."""
        return float(np.sum(self.by_heads + self.by_kv_heads + self.whole))

    @property
    def total(self) -> float:
        """Everything, one copy."""
        return self.attention + float(np.sum(self.dense_mlp + self.experts)) + self.embedding + self.head

    @property
    def heaviest_layer(self) -> float:
        """Bytes of the largest single layer."""
        per_block = self.by_heads + self.by_kv_heads + self.whole + self.dense_mlp + self.experts
        return float(np.max(per_block / self.layers))


def _cached_heads(block: Block) -> float:
    return float(block.attention.kv_heads or 1) if block.attention.kind == "gqa" else 1.0


def _columns(architecture: Architecture, used: Formats) -> list[tuple[float, ...]]:
    hidden = architecture.hidden
    rows: list[tuple[float, ...]] = []
    for block in architecture.blocks:
        mixing, mlp, n = block.attention, block.mlp, block.layers
        kept = sum(block.vectors.values()) * used.table.byte
        experts = mlp.experts * (expert_elements(mlp, hidden) * used.expert.byte + hidden * used.table.byte)
        rows.append(
            (
                n * attention_elements(mixing, "heads") * used.attention.byte,
                n * attention_elements(mixing, "kv_heads") * used.attention.byte,
                n * (attention_elements(mixing, "whole") * used.attention.byte + kept),
                _cached_heads(block),
                n * dense_mlp_elements(mlp, hidden) * used.dense.byte,
                n * experts,
                float(n),
            )
        )
    return rows


def weights_of(workload: Workload, chip: Chip) -> Weights:
    """Resident weights in the formats this chip holds them in."""
    a, used = workload.architecture, workload.formats(chip)
    columns = [np.array(each, dtype=float) for each in zip(*_columns(a, used), strict=True)]
    names = ("by_heads", "by_kv_heads", "whole", "kv_heads", "dense_mlp", "experts", "layers")
    table = a.vocabulary * a.hidden
    return Weights(
        **dict(zip(names, columns, strict=True)),
        embedding=(table + a.lookup_parameters) * used.head.byte + a.outer_parameters * used.table.byte,
        head=0.0 if a.tied_embeddings else table * used.head.byte,
    )


def met_weights(workload: Workload, chip: Chip, *, every_expert: bool = False) -> tuple[float, float]:
    """Bytes and number of the weights that one decode step of all sequences meets; the input embedding is looked up.

    every_expert   True for the dense reading, in which all experts are counted
    """
    a, used = workload.architecture, workload.formats(chip)
    head = a.vocabulary * a.hidden
    byte, number = head * used.head.byte, float(head)
    for block in a.blocks:
        mlp, n = block.mlp, block.layers
        kept = sum(block.vectors.values()) + mlp.experts * a.hidden
        hit = float(mlp.experts)
        if mlp.experts and not every_expert:
            hit = float(transformer.distinct_experts(mlp.experts, mlp.experts_per_token, workload.sequences))
        mixing, dense = attention_elements(block.attention), dense_mlp_elements(mlp, a.hidden)
        routed = hit * expert_elements(mlp, a.hidden) if mlp.experts else 0.0
        byte += n * (mixing * used.attention.byte + dense * used.dense.byte + routed * used.expert.byte)
        byte += n * kept * used.table.byte
        number += n * (mixing + dense + routed + kept)
    return byte, number


def stored_cache(workload: Workload, chip: Chip) -> float:
    """Cache that one sequence keeps in memory, index keys included, recurrent state not. [B]"""
    element = workload.formats(chip).cache.byte
    kept = float(cache_byte_of_sequence(workload.architecture, workload.context_tokens, element))
    return kept + workload.context_tokens * index_key_byte_per_token(workload.architecture, INDEX_KEY_BYTE)


def growth(workload: Workload, chip: Chip) -> tuple[float, float]:
    """Bytes that stay fixed once every window is full, and bytes each further token of one sequence adds."""
    far, further = (stored_cache(workload.at(context_tokens=n * _LONG_TOKENS), chip) for n in (1, 2))
    growing = (further - far) / _LONG_TOKENS
    return far - growing * _LONG_TOKENS, growing


def state_of(workload: Workload) -> float:
    """Recurrent state of one sequence. [B]"""
    return float(state_byte_per_sequence(workload.architecture, _STATE_BYTE))


def read_cache(workload: Workload, chip: Chip) -> float:
    """Cache and state that one decode step reads for one sequence: windows and sparse selections read less. [B]"""
    a, element, tokens = workload.architecture, workload.formats(chip).cache.byte, workload.context_tokens
    entries = 0.0
    for block in a.blocks:
        mixing = block.attention
        inside = min(tokens, mixing.window_tokens or np.inf)
        if mixing.history_ratio > 1:
            inside = tokens / mixing.history_ratio + (inside if mixing.window_tokens else 0.0)
        reached = min(inside, mixing.selected_tokens or np.inf)
        entries += block.layers * entry_elements(replace(mixing, stores_cache=True)) * reached
    return float(entries * element + tokens * index_key_byte_per_token(a, INDEX_KEY_BYTE) + state_of(workload))
