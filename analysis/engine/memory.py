"""Bytes of weights and cache by case and per device, and how many sequences find room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.inputs import FIXED, MESH, Inputs
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.memory_fit import (
    activation_per_device,
    attention_weight_per_device,
    cache_copies,
    cache_per_device,
    largest_batch,
    memory_budget,
    paged_context,
    weight_per_device,
)
from analysis.models.transformer import stored_entries

INDEX_KEY_BYTE = 1.0  # keys of sparse attention's indexer are kept in FP8


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Resident weights of a whole copy by part, bytes, shape (cases,)."""

    by_heads: Floats
    by_kv_heads: Floats
    whole: Floats
    dense: Floats
    expert: Floats
    embedding: Floats
    head: Floats
    vectors: Floats
    heaviest_layer: Floats

    @property
    def total(self) -> Floats:
        """All resident weights of one copy. [B]"""
        attention = self.by_heads + self.by_kv_heads + self.whole
        return attention + self.dense + self.expert + self.embedding + self.head + self.vectors


@dataclass(frozen=True, kw_only=True)
class Room:
    """What a plan leaves on each device, shape (cases,).

    weight, one_sequence, budget   bytes on the fullest device: weights, cache of one sequence, both together at most
    sequences                      most sequences of one copy that fit together, each on average halfway through its
                                   output; 0 if not even one fits at its full length
    room_tokens                    tokens of cache that fit beside the weights, all devices of a copy pooled
    """

    weight: Floats
    one_sequence: Floats
    budget: Floats
    sequences: Floats
    room_tokens: Floats


def weights_of(inputs: Inputs, shapes: Shapes) -> Weights:
    """Resident weights in the formats of each case."""
    hidden = shapes.column("hidden")
    table = inputs.byte_table
    per_layer = {
        "by_heads": shapes.weights_by_heads * inputs.byte_attention[:, None],
        "by_kv_heads": shapes.weights_by_kv_heads * inputs.byte_attention[:, None],
        "whole": shapes.weights_whole * inputs.byte_attention[:, None],
        "dense": shapes.mlp_matrices * hidden * shapes.inner_width * inputs.byte_dense[:, None],
        "expert": shapes.experts * shapes.mlp_matrices * hidden * shapes.expert_width * inputs.byte_expert[:, None]
        + shapes.experts * hidden * table[:, None],
        "vectors": shapes.vectors * table[:, None],
    }
    summed = {name: (shapes.layers * values).sum(axis=1) for name, values in per_layer.items()}
    summed["vectors"] = summed["vectors"] + shapes.outer * table
    heaviest = sum(per_layer.values()).max(axis=1)  # type: ignore[union-attr]
    head = shapes.head * (1.0 - shapes.tied) * inputs.byte_head
    return Weights(**summed, embedding=shapes.embedding * inputs.byte_head, head=head, heaviest_layer=heaviest)


def entries_of(shapes: Shapes, context: Floats) -> Floats:
    """Cache entries of one sequence in one layer of each group. (cases, groups)"""
    history = (shapes.history_ratio > 1).astype(float)
    window = np.where((history > 0) & np.isinf(shapes.window_tokens), 0.0, shapes.window_tokens)
    entries: Floats = stored_entries(context[:, None], window, shapes.history_ratio, history)
    return entries


def read_entries(shapes: Shapes, context: Floats) -> Floats:
    """Entries that one new token reads: its window, and of the history at most those selected. (cases, groups)"""
    compressed = shapes.history_ratio > 1
    history = np.minimum(context[:, None], shapes.selected_tokens) / shapes.history_ratio
    inside = np.minimum(context[:, None], np.where(np.isinf(shapes.window_tokens), 0.0, shapes.window_tokens))
    stored = np.minimum(entries_of(shapes, context), shapes.selected_tokens)
    return np.where(compressed, history + inside, stored)


def cache_read(inputs: Inputs, shapes: Shapes, context: Floats) -> Floats:
    """Bytes of cache that one new token reads at least, every stored entry once, no copies. [B]"""
    read = read_entries(shapes, context) * shapes.entry_elements * inputs.byte_cache[:, None]
    index = np.where(shapes.indexer_heads > 0, shapes.indexer_width * INDEX_KEY_BYTE, 0.0)
    keys = index * context[:, None] / shapes.history_ratio
    return np.asarray((shapes.layers * shapes.stores_cache * (read + keys)).sum(axis=1))


def sequence_cache(inputs: Inputs, shapes: Shapes, context: Floats, copies: Floats) -> Floats:
    """Cache of one sequence, all layers and all devices of a copy, heads copied where tp asks for it. [B]"""
    kept = entries_of(shapes, context) * shapes.entry_elements * inputs.byte_cache[:, None] * copies
    index = np.where(shapes.indexer_heads > 0, shapes.indexer_width * INDEX_KEY_BYTE, 0.0)
    keys = index * context[:, None] / shapes.history_ratio
    summed: Floats = (shapes.layers * shapes.stores_cache * (kept + keys)).sum(axis=1)
    return summed


def copies_of(shapes: Shapes, tp: Floats, dp: Floats) -> Floats:
    """Copies of each cached head in a tensor-parallel group. (cases, groups)"""
    heads = np.where(shapes.is_mla > 0, 1.0, np.maximum(shapes.kv_heads, 1.0))
    copies: Floats = cache_copies(tp[:, None], dp[:, None], heads)
    return copies


def state_of(shapes: Shapes, state_byte: float) -> Floats:
    """Recurrent state of one sequence, all layers. [B]"""
    return np.asarray((shapes.layers * shapes.state_elements).sum(axis=1) * state_byte)


def weight_held(weights: Weights, shapes: Shapes, degrees: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    """Weights on one device of a plan (tp, pp, ep, dp), cached heads copied where tp asks for it. [B]"""
    tp, pp, ep, dp = degrees
    copies = np.where(shapes.layers > 0, copies_of(shapes, tp, dp), 0).max(axis=1)
    attention = attention_weight_per_device(weights.by_heads, weights.by_kv_heads, weights.whole, copies, tp, dp, pp)
    table = weights.embedding + weights.head + weights.vectors
    held: Floats = weight_per_device(attention, weights.dense, weights.expert, table, tp, np.maximum(tp, ep), pp)
    return held


def room_for(
    inputs: Inputs, shapes: Shapes, weights: Weights, degrees: tuple[Floats, Floats, Floats, Floats], state_byte: float
) -> Room:
    """What a plan (tp, pp, ep, dp) leaves on each device for sequences at their final context."""
    tp, pp, _, dp = degrees
    held = weight_held(weights, shapes, degrees)
    pooled = np.isin(inputs.form, (MESH, FIXED))[:, None]
    copies = np.where(pooled, 1.0, copies_of(shapes, tp, dp))

    def one_sequence(context: Floats) -> Floats:
        cache = sequence_cache(inputs, shapes, np.maximum(context, 1.0), copies)
        share: Floats = cache_per_device(1.0, cache, state_of(shapes, state_byte), 1.0, tp, pp)
        return np.maximum(share, 1e-9)

    paged = np.where(inputs.chunk > 0, paged_context(inputs.final_context), inputs.final_context)
    one = one_sequence(paged)
    live = activation_per_device(shapes.hidden, 2.0, inputs.chunk, tp)
    shared = (inputs.beside_spread > 0) | pooled[:, 0]
    beside = inputs.beside / np.where(shared, tp * pp, 1.0)
    budget = memory_budget(inputs.memory, inputs.usable, live, inputs.overhead + beside)
    together = np.maximum(largest_batch(budget, held, one_sequence(inputs.step_context)), 1.0)
    admitted = np.where(held + one <= budget, together, 0.0)
    return Room(
        weight=held,
        one_sequence=one,
        budget=budget,
        sequences=np.where(np.isnan(inputs.memory), np.inf, admitted),
        room_tokens=np.maximum(np.floor((budget - held) / one * np.maximum(paged, 1.0)), 0.0),
    )
