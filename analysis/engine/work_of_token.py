"""Weights met and multiply-accumulates of one token, whole model: what ceilings, wafers and streaming forms count."""

from __future__ import annotations

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.inputs import Inputs
from analysis.engine.memory import read_entries
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.transformer import distinct_experts


def _mixing(s: Shapes) -> Floats:
    return np.asarray(s.weights_by_heads + s.weights_by_kv_heads + s.weights_whole)


def _dense(s: Shapes) -> Floats:
    return np.asarray(s.mlp_matrices * s.column("hidden") * s.inner_width)


def _one_expert(s: Shapes) -> Floats:
    return np.asarray(s.mlp_matrices * s.column("hidden") * s.expert_width)


def _router(s: Shapes) -> Floats:
    return np.asarray(s.experts * s.column("hidden"))


def weight_macs(s: Shapes) -> Floats:
    """Weights that one token multiplies: chosen experts, router and head; tables and vectors not. (cases,)"""
    per_layer = _mixing(s) + _dense(s) + s.experts_per_token * _one_expert(s) + _router(s)
    return np.asarray((s.layers * per_layer).sum(axis=1) + s.head)


def streamed_byte(i: Inputs, s: Shapes, rows: Floats) -> Floats:
    """Bytes of weights that a step of so many tokens reads, each once, experts as they are hit. (cases,)"""
    total = np.maximum(s.experts, 1.0)
    hit = distinct_experts(total, np.minimum(s.experts_per_token, total), rows[:, None])
    return _streamed(i, s, np.where(s.experts > 0, hit, 0.0))


def fewest_streamed_byte(i: Inputs, s: Shapes) -> Floats:
    """The same with no more experts than one token is sent to: no step reads less. (cases,)"""
    return _streamed(i, s, s.experts_per_token)


def _streamed(i: Inputs, s: Shapes, experts: Floats) -> Floats:
    per_layer = (
        _mixing(s) * i.byte_attention[:, None]
        + _dense(s) * i.byte_dense[:, None]
        + experts * _one_expert(s) * i.byte_expert[:, None]
        + _router(s) * i.byte_table[:, None]
    )
    return np.asarray((s.layers * per_layer).sum(axis=1) + s.head * i.byte_head)


def attention_macs(s: Shapes, context: Floats) -> Floats:
    """Multiply-accumulates of one token against a cache of `context` tokens, and against recurrent state. (cases,)"""
    seen = read_entries(s, context)
    softmax = s.is_gqa * seen * s.query_heads * (s.head_width + s.value_width)
    latent = s.is_mla * seen * s.query_heads * (2 * s.kv_rank + s.rope_width)
    recurrent = s.is_linear * 3 * s.state_elements
    return np.asarray((s.layers * (softmax + latent + recurrent)).sum(axis=1))


def prompt_attention_macs(s: Shapes, tokens: Floats) -> Floats:
    """Multiply-accumulates of a whole prompt against itself, each token seeing those before it. (cases,)"""
    seen = read_entries(s, tokens)
    whole = np.where(np.isfinite(s.window_tokens) & (seen < tokens[:, None]), 1.0, 0.5)
    softmax = s.is_gqa * s.query_heads * (s.head_width + s.value_width)
    latent = s.is_mla * s.query_heads * (s.nope_width + s.rope_width + s.value_width)
    per_token = seen * whole * (softmax + latent) + s.is_linear * 3 * s.state_elements
    return np.asarray((s.layers * per_token).sum(axis=1) * tokens)


def prompt_macs(s: Shapes, tokens: Floats) -> Floats:
    """Multiply-accumulates of a prompt: every token through the weights, the head once, attention. (cases,)"""
    return np.asarray(tokens * (weight_macs(s) - s.head) + s.head + prompt_attention_macs(s, tokens))
