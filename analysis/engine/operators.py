"""One engine step as operators: time at the roofline and operators launched, by case (rows) and group of layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.engine.arrays import Floats
from analysis.engine.inputs import Inputs
from analysis.engine.memory import read_entries
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.latency import operator_time
from analysis.models.transformer import distinct_experts, local_cached_heads, matrix_traffic, matrix_work
from analysis.parameters import Serving

ROUTER_BYTE = 2.0  # routers stay in 16 bits


@dataclass(frozen=True, kw_only=True)
class Load:
    """What goes through one step, shape (cases,).

    decoding     sequences that decode, at `context` tokens
    prefill      prompt tokens in the same step, of prompts of `prompt` tokens
    new_tokens   tokens of each decoding sequence: 1, or more where a draft is verified
    """

    decoding: Floats
    context: Floats
    prefill: Floats
    prompt: Floats
    new_tokens: Floats | float = 1.0

    @property
    def decoded(self) -> Floats:
        """Tokens of decoding sequences. (cases,)"""
        return self.decoding * self.new_tokens

    @property
    def rows(self) -> Floats:
        """Tokens going through the matrices. (cases,)"""
        return self.decoded + self.prefill


@dataclass(frozen=True, kw_only=True)
class Work:
    """Sums over a step's operators, shape (cases,): seconds by what bounds each operator, and operators launched."""

    memory_s: Floats
    compute_s: Floats
    operators: Floats


class Bench:
    """Collects operators of one step; everything in it is on one device of the group."""

    def __init__(self, inputs: Inputs, shapes: Shapes, serving: Serving, load: Load) -> None:
        self.inputs, self.shapes, self.serving, self.load = inputs, shapes, serving, load
        self.memory_s = np.zeros_like(inputs.form)
        self.compute_s = np.zeros_like(inputs.form)
        self.operators = np.zeros_like(inputs.form)

    def add(
        self, count: Floats, moved: Floats, reach: Floats, work: Floats, peak: Floats, share: Floats,
        routed: bool = False,
    ) -> None:  # fmt: skip
        """One operator in `count` layers: the longer of memory and arithmetic, booked to whichever it is.

        routed   True for routed experts, whose bytes grow with the experts hit; only benches that keep operators ask
        """
        bandwidth = self.inputs.bandwidth[:, None]
        nothing = np.zeros_like(moved)
        reading = operator_time(moved, bandwidth, reach, nothing, peak, share)
        computing = operator_time(nothing, bandwidth, reach, work, peak, share)
        longer = computing > reading
        self.memory_s = self.memory_s + (count * np.where(longer, 0.0, reading)).sum(axis=1)
        self.compute_s = self.compute_s + (count * np.where(longer, computing, 0.0)).sum(axis=1)

    def launch(self, count: Floats, operators: Floats | float) -> None:
        """Operators whose fixed time is paid in `count` layers."""
        self.operators = self.operators + (count * operators).sum(axis=1)

    def product(
        self, part: str, count: Floats, weights: Floats, activations: Floats, rows: Floats, units: Floats | float = 1.0
    ) -> None:
        """A matrix product in the format of a part, with the quantising of what goes in."""
        i, present = self.inputs, count * (weights > 0)
        width = getattr(i, f"byte_{part}")[:, None]
        moved = matrix_traffic(weights, width, rows, activations, i.moved[:, None])
        peak, reach = i.kernel_peak(part)[:, None], getattr(i, f"reach_{part}")[:, None]
        self.add(present, moved, getattr(i, f"wide_{part}")[:, None], matrix_work(weights, rows), peak, reach)
        self.launch(present, units + getattr(i, f"quantise_{part}")[:, None])

    def sixteen_bit_product(
        self, count: Floats, weights: Floats, activations: Floats, rows: Floats, width: Floats, units: float
    ) -> None:
        """A product that quantised checkpoints keep in 16 bits: router and output head."""
        i = self.inputs
        moved = matrix_traffic(weights, width, rows, activations, i.moved[:, None])
        bandwidth_reach = np.full_like(width, self.serving.bandwidth_fraction)
        work = matrix_work(weights, rows)
        self.add(count, moved, bandwidth_reach, work, i.kernel_peak("16")[:, None], i.reach_16[:, None])
        self.launch(count, units)

    @property
    def done(self) -> Work:
        """What was collected."""
        return Work(memory_s=self.memory_s, compute_s=self.compute_s, operators=self.operators)


def step_work(
    inputs: Inputs, shapes: Shapes, serving: Serving, load: Load, degrees: tuple[Floats, Floats, Floats]
) -> Work:
    """All operators of one step on one device. degrees: tp, ep, dp of each case."""
    bench = Bench(inputs, shapes, serving, load)
    put_on(bench, degrees)
    return bench.done


def put_on(bench: Bench, degrees: tuple[Floats, Floats, Floats]) -> None:
    """Every operator of one step onto a bench, in an order that does not depend on the cases."""
    tp, ep, dp = (each[:, None] for each in degrees)
    _mixing(bench, tp / dp, dp)
    _cache_reading(bench, tp / dp, dp)
    _indexing(bench, dp)
    _channel_mixing(bench, tp, np.maximum(tp, ep))
    _head(bench, tp)


def _mixing(bench: Bench, tp: Floats, dp: Floats) -> None:
    """Projections into and out of token mixing; MLA's down-projections are kept whole on every device."""
    s, serving = bench.shapes, bench.serving
    hidden, rows = s.column("hidden"), bench.load.rows[:, None] / dp
    latent, other = s.layers * s.is_mla, s.layers * (1 - s.is_mla)
    cached = np.where(s.kv_heads > 0, local_cached_heads(s.kv_heads, tp) / np.maximum(s.kv_heads, 1.0), 0.0)
    by_heads = (s.weights_by_heads - s.output_weights) / tp
    into = by_heads + s.weights_by_kv_heads * cached + s.weights_whole
    bench.product("attention", other, into, hidden + into / hidden, rows)
    bench.product("attention", latent, s.weights_whole, hidden + s.weights_whole / hidden, rows)
    bench.product("attention", latent, by_heads, 4 * s.query_heads / tp * s.nope_width, rows)
    out = s.output_weights / tp
    bench.product("attention", s.layers, out, hidden + s.output_rows / tp, rows)
    bench.launch(latent, serving.latent_operators)
    bench.launch(s.layers * s.is_linear, serving.linear_operators)
    bench.launch(s.layers * s.added_products, 1.0 + bench.inputs.quantise_attention[:, None])
    bench.launch(s.layers * s.compressed, serving.compressor_operators)
    bench.launch(s.layers * s.streams, serving.stream_operators)


def _cache_reading(bench: Bench, tp: Floats, dp: Floats) -> None:
    """The core of token mixing: scores against the cache, or the recurrent state."""
    s, i, serving = bench.shapes, bench.inputs, bench.serving
    heads, activation = s.query_heads / tp, i.moved[:, None]
    softmax = s.is_gqa + s.is_mla
    local = np.where(s.is_mla > 0, 1.0, local_cached_heads(s.kv_heads, tp) / np.maximum(s.kv_heads, 1.0))
    entry = s.entry_elements * local * i.byte_cache[:, None] * softmax
    state = s.state_elements / tp * s.is_linear
    per_token = _by_kind(s, 2 * heads * s.head_width, 2 * heads * s.kv_rank, 4 * s.output_rows / tp) * activation
    decode = _by_kind(s, 2 * heads * (s.head_width + s.value_width), 2 * heads * (2 * s.kv_rank + s.rope_width), 0.0)
    windowed = np.isfinite(s.window_tokens) & (s.history_ratio <= 1)
    causal = np.where(windowed, 2.0, 1.0)  # a full window works on every one of its tokens, a causal triangle on half
    prompt = _by_kind(
        s, heads * (s.head_width + s.value_width) * causal, heads * (s.nope_width + s.rope_width + s.value_width), 0.0
    )
    fixed_byte, fixed_work = 2 * state * serving.state_byte, 8 * state
    _core(bench, dp, (entry, fixed_byte, per_token, decode, prompt, fixed_work), selected=True)
    bench.launch(s.layers * (softmax + s.is_linear), 1.0)


def _by_kind(s: Shapes, gqa: Floats, mla: Floats, linear: Floats | float) -> Floats:
    return np.asarray(s.is_gqa * gqa + s.is_mla * mla + s.is_linear * linear)


def _indexing(bench: Bench, dp: Floats) -> None:
    """The indexer of sparse attention reads a key of every token, in FP8, on every device."""
    s = bench.shapes
    present = s.indexer_heads > 0
    score = s.indexer_heads * s.indexer_width
    nothing, entry = np.zeros_like(score), np.where(present, s.indexer_width, 0.0)
    _core(bench, dp, (entry, nothing, nothing, 2 * score, score, nothing), selected=False)
    bench.launch(s.layers * present, bench.serving.indexer_operators)


def _core(bench: Bench, dp: Floats, costs: tuple[Floats, ...], *, selected: bool) -> None:
    """Work against the cache: decoding sequences at their context, prompts at theirs.

    costs   bytes per entry, bytes per sequence, bytes per token, work per entry of a decoding token, work per entry of
            a prompt token, work per token
    """
    entry, fixed_byte, per_token, decode_work, prompt_work, token_work = costs
    s, i, load = bench.shapes, bench.inputs, bench.load
    peak = i.peak_16[:, None]
    reach, peak_reach = i.cache_reach[:, None], i.reach_core[:, None]
    decoding, decoded, prefill = (each[:, None] / dp for each in (load.decoding, load.decoded, load.prefill))
    rows, prompt = decoded + prefill, np.maximum(load.prompt, 1.0)[:, None]
    read = _entries(s, load.context, selected=selected)
    seen = _entries(s, load.prompt, selected=selected)
    moved = decoding * (read * entry + fixed_byte) + rows * per_token
    work = decoded * (read * decode_work + token_work)
    bench.add(s.layers * (decoding > 0), moved, reach, work, peak, peak_reach)
    made = np.where(decoding > 0, 0.0, rows * per_token)
    moved = prefill / prompt * (load.prompt[:, None] * entry + fixed_byte) + made
    work = prefill * (seen * prompt_work + token_work)
    bench.add(s.layers * (prefill > 0), moved, reach, work, peak, peak_reach)


def _entries(s: Shapes, context: Floats, *, selected: bool) -> Floats:
    return read_entries(s, context) if selected else np.asarray(context[:, None] / s.history_ratio)


def _channel_mixing(bench: Bench, tp: Floats, share: Floats) -> None:
    """Dense or shared-expert MLP, routed experts and their router."""
    s, serving, rows = bench.shapes, bench.serving, bench.load.rows[:, None]
    hidden, matrices = s.column("hidden"), s.mlp_matrices
    width, routed = s.inner_width / tp, s.experts > 0
    alone = np.where(routed, 0.0, 1.0)  # a shared expert runs beside the routed ones
    up = (matrices - 1) * hidden * width
    units = alone + np.zeros_like(tp)
    bench.product("dense", s.layers, up, hidden + (matrices - 1) * width, rows, units)
    bench.product("dense", s.layers, hidden * width, hidden + width, rows, units)
    _experts(bench, share, rows)
    router, count = hidden * s.experts, s.layers * routed
    sixteen = np.full_like(hidden, ROUTER_BYTE)
    bench.sixteen_bit_product(count, router, hidden, rows, sixteen, serving.router_operators)


def _experts(bench: Bench, share: Floats, rows: Floats) -> None:
    s, i = bench.shapes, bench.inputs
    hidden = s.column("hidden")
    one = s.mlp_matrices * hidden * s.expert_width
    chosen, total = s.experts_per_token, np.maximum(s.experts, 1.0)
    hit = np.where(s.experts > 0, distinct_experts(total, np.minimum(chosen, total), rows), 0.0)
    activations = 2 * hidden + s.mlp_matrices * s.expert_width
    moved = matrix_traffic(hit * one, i.byte_expert[:, None], rows * chosen, activations, i.moved[:, None])
    work = matrix_work(one, rows * chosen)
    count = s.layers * (s.experts > 0)
    peak, reach = i.kernel_peak("expert")[:, None], i.reach_expert[:, None]
    bench.add(count, moved / share, i.expert_reach[:, None], work / share, peak, reach, routed=True)
    bench.launch(count, (i.expert_operators + i.quantise_expert)[:, None])


def _head(bench: Bench, tp: Floats) -> None:
    """Logits of every decoding sequence and of each prompt's last token."""
    s, load = bench.shapes, bench.load
    rows = (load.decoded + load.prefill / np.maximum(load.prompt, 1.0))[:, None]
    weights, hidden = s.head[:, None] / tp, s.column("hidden")
    activations = hidden + s.vocabulary[:, None] / tp
    bench.sixteen_bit_product(np.ones_like(tp), weights, activations, rows, bench.inputs.byte_head[:, None], 1.0)
