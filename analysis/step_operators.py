"""The operators of one step by name: arithmetic and bytes of a whole model, for decode and for prefill of one prompt.

Counts one copy of the model without splitting it over devices; a tensor-parallel group divides both and leaves the
intensity nearly as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from analysis.block_table import attention_elements, dense_mlp_elements, entry_elements, expert_elements
from analysis.engine.formats import Formats, NumberFormat
from analysis.engine.memory import INDEX_KEY_BYTE
from analysis.models.transformer import distinct_experts, matrix_traffic, matrix_work
from analysis.workload import Workload
from data.records import Attention, Block, Chip

Phase = Literal["decode", "prefill"]
ACTIVATION_BYTE, STATE_BYTE, STATE_FLOP = 2.0, 4.0, 8.0  # 16-bit activations; state in 32 bits, read, updated, applied
ORDER = ("qkv", "attention", "out", "mlp", "experts", "router", "head")


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One kind of operator, summed over all layers of one step."""

    phase: Phase
    name: str
    weights: NumberFormat  # decides at which rate it is computed
    work_flop: float
    traffic_byte: float


@dataclass(frozen=True, kw_only=True)
class _Pass:
    """What goes through the model: rows are tokens, `sequences` of them with `context` tokens each."""

    phase: Phase
    hidden: int
    rows: float
    sequences: float
    context: float
    used: Formats
    activation_byte: float


def operators_of(
    workload: Workload, chip: Chip, phase: Phase, activation_byte: float = ACTIVATION_BYTE
) -> list[Operator]:
    """Operators of a decode step of all sequences, or of the prefill of one prompt as long as the context.

    activation_byte   bytes of one activation that is written and read between operators; 0 leaves weights and cache
    """
    a, used = workload.architecture, workload.formats(chip)
    decode = phase == "decode"
    one = _Pass(
        phase=phase,
        hidden=a.hidden,
        rows=workload.sequences if decode else workload.context_tokens,
        sequences=workload.sequences if decode else 1.0,
        context=workload.context_tokens,
        used=used,
        activation_byte=activation_byte,
    )
    sums: dict[str, tuple[NumberFormat, float, float]] = {}
    for block in a.blocks:
        for name, kind, work, traffic in _of_block(block, one):
            _, before_work, before_traffic = sums.get(name, (kind, 0.0, 0.0))
            sums[name] = (kind, before_work + block.layers * work, before_traffic + block.layers * traffic)
    table = float(a.vocabulary * a.hidden)
    sums["head"] = (used.head, *_product(table, one, a.hidden + a.vocabulary, used.head, rows=one.sequences))
    return [
        Operator(phase=phase, name=name, weights=sums[name][0], work_flop=sums[name][1], traffic_byte=sums[name][2])
        for name in ORDER
        if name in sums and sums[name][1] > 0
    ]


def _product(
    weights: float, one: _Pass, activations: float, kind: NumberFormat, *, rows: float | None = None
) -> tuple[float, float]:
    """Arithmetic and bytes of one matrix product."""
    through = one.rows if rows is None else rows
    traffic = matrix_traffic(weights, kind.byte, through, activations, one.activation_byte)
    return float(matrix_work(weights, through)), float(traffic)


def _of_block(block: Block, one: _Pass) -> Iterator[tuple[str, NumberFormat, float, float]]:
    mixing, mlp, used, hidden = block.attention, block.mlp, one.used, one.hidden
    out = sum(m.rows * m.columns for m in mixing.matrices if _is_output(m.name))
    into = attention_elements(mixing) - out
    yield ("qkv", used.attention, *_product(into, one, hidden + into / hidden, used.attention))
    yield ("attention", used.table, *_core(mixing, one))
    yield ("out", used.attention, *_product(out, one, hidden + out / hidden, used.attention))
    dense = dense_mlp_elements(mlp, hidden)
    if dense:
        yield ("mlp", used.dense, *_product(dense, one, 2 * hidden + mlp.matrices * mlp.inner_width, used.dense))
    if mlp.experts:
        yield ("experts", used.expert, *_experts(block, one))
        yield ("router", used.table, *_product(mlp.experts * hidden, one, hidden, used.table))


def _is_output(name: str) -> bool:
    return name.startswith("output") and name != "output_gate"


def _experts(block: Block, one: _Pass) -> tuple[float, float]:
    mlp = block.mlp
    expert = expert_elements(mlp, one.hidden)
    hit = float(distinct_experts(mlp.experts, mlp.experts_per_token, one.rows))
    routed = one.rows * mlp.experts_per_token
    activations = 2 * one.hidden + mlp.matrices * mlp.expert_width
    traffic = matrix_traffic(hit * expert, one.used.expert.byte, routed, activations, one.activation_byte)
    return float(matrix_work(expert, routed)), float(traffic)


def entries_read(mixing: Attention, context: float) -> float:
    """Cache entries that one token reads in a layer: the window, and of the history at most those selected."""
    if mixing.history_ratio > 1:
        inside = min(context, mixing.window_tokens)
        return inside + min(context / mixing.history_ratio, mixing.selected_tokens or np.inf)
    return float(min(context, mixing.window_tokens or np.inf, mixing.selected_tokens or np.inf))


def _core(mixing: Attention, one: _Pass) -> tuple[float, float]:
    """Scores against the cache and their use, or one update of the recurrent state."""
    kinds: dict[str, Callable[[Attention, _Pass], tuple[float, float]]] = {"linear": _state, "none": _nothing}
    return kinds.get(mixing.kind, _softmax)(mixing, one)


def _nothing(mixing: Attention, one: _Pass) -> tuple[float, float]:
    return 0.0, 0.0


def _state(mixing: Attention, one: _Pass) -> tuple[float, float]:
    return STATE_FLOP * one.rows * mixing.state_elements, 2 * STATE_BYTE * one.sequences * mixing.state_elements


def _softmax(mixing: Attention, one: _Pass) -> tuple[float, float]:
    heads, entries = mixing.query_heads, entries_read(mixing, one.context)
    value = mixing.value_width or mixing.head_width
    latent = mixing.kind == "mla"
    if one.phase == "decode":
        per_entry = 2.0 * heads * (2 * mixing.kv_rank + mixing.rope_width if latent else mixing.head_width + value)
    else:  # a causal triangle is half of the square; a full window works on all of its tokens
        widths = mixing.nope_width + mixing.rope_width + value if latent else mixing.head_width + value
        per_entry = float(heads * widths * (2 if mixing.window_tokens and mixing.history_ratio <= 1 else 1))
    width = mixing.kv_rank if latent else mixing.head_width
    stored = entry_elements(replace(mixing, stores_cache=True))
    read = entries if one.phase == "decode" else min(one.context, mixing.window_tokens or np.inf)
    activations = one.rows * 2 * heads * width * one.activation_byte
    traffic = one.sequences * read * stored * one.used.cache.byte + activations
    work = one.rows * entries * per_entry
    scored = one.context / mixing.history_ratio * mixing.indexer_width if mixing.indexer_heads else 0.0
    half = 2.0 if one.phase == "decode" else 1.0
    work += one.rows * half * scored * mixing.indexer_heads
    return work, traffic + one.sequences * scored * INDEX_KEY_BYTE
