"""The numbers of many cases side by side, in SI; strings and records end here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import itemgetter

import numpy as np

from analysis.engine.arrays import Floats

KERNELS, STREAMED, MESH, FIXED, NONE = 0.0, 1.0, 2.0, 3.0, 4.0


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Numbers of many cases; every attribute is an array of shape (cases,), nan where the engine is to choose.

    form                    which of the forms above serves the case
    offline, elsewhere      1 where the machine is kept full; 1 where prompts are computed by other devices
    bandwidth, memory       of one device, datasheet and usable                                   [B/s], [B]
    peak_*                  dense peak for the format of that part, infinite where none is known  [FLOP/s]
    reach_*                 share of that peak which kernels reach; core is the work against the cache
    kernel_*                that share on this chip against a typical one, by microbenchmarks; 1 where none is known
    wide_*                  share of bandwidth reached on the weights of that part
    byte_*                  bytes of one element with its scales; head is embedding too, table router and vectors  [B]
    kept                    share of the layers' weights that pruning leaves; wafers skip the work of the others
    sent                    bytes of an activation between devices                                [B]
    unfused, launched       share of activations that operators hand on in memory, and of operators launched
    quantise_*              extra operators per product of that part
    expert_operators        operators of a routed-expert block; expert_reach its share of bandwidth
    engine_factor           operator time against TensorRT-LLM; vendor_factor, against NVIDIA's chips
    front_s, waiting        host time before a request is scheduled; share of other prompts computed before  [s], [-]
    saturation              sequences at which host time halves
    link, link_reach        one device, one direction, inside a node; share that collectives reach [B/s], [-]
    node_count              devices a link reaches; pair_only 1 for bridged cards
    sequence_s              host time of a sequence while they are few                            [s]
    allreduce, allreduce_growth   latency between two devices, share added per doubling           [s], [-]
    cache_reach             share of bandwidth reached on the cache
    weight_reach, prefill_reach   shares of bandwidth and of 16-bit peak of the streamed form
    widening                arithmetic that unpacking one weight costs, streamed form             [FLOP]
    layer_s                 fixed time of a layer, streamed and fixed forms                       [s]
    cores, region_cores, prefill_cores   of one wafer; of a region where stated
    device_count, tp, pp, ep, dp, parts  as in Case
    concurrency, input_tokens, output_tokens   sequences in flight; lengths really used
    usable, overhead, chunk       share of memory, bytes kept back, tokens of a prefill chunk
    new_tokens              tokens of each sequence in a decode step
    beside, beside_spread   bytes a copy's devices hold beside the model; 1 if they share them, 0 if one holds them [B]
    """

    form: Floats
    offline: Floats
    elsewhere: Floats
    bandwidth: Floats
    memory: Floats
    peak_16: Floats
    peak_attention: Floats
    peak_dense: Floats
    peak_expert: Floats
    reach_16: Floats
    reach_attention: Floats
    reach_dense: Floats
    reach_expert: Floats
    reach_core: Floats
    kernel_16: Floats
    kernel_attention: Floats
    kernel_dense: Floats
    kernel_expert: Floats
    wide_attention: Floats
    wide_dense: Floats
    byte_attention: Floats
    byte_dense: Floats
    byte_expert: Floats
    byte_table: Floats
    byte_head: Floats
    kept: Floats
    sent: Floats
    unfused: Floats
    launched: Floats
    byte_cache: Floats
    quantise_attention: Floats
    quantise_dense: Floats
    quantise_expert: Floats
    expert_operators: Floats
    expert_reach: Floats
    engine_factor: Floats
    vendor_factor: Floats
    front_s: Floats
    waiting: Floats
    saturation: Floats
    sequence_s: Floats
    link: Floats
    link_reach: Floats
    node_count: Floats
    pair_only: Floats
    allreduce: Floats
    allreduce_growth: Floats
    weight_reach: Floats
    cache_reach: Floats
    layer_s: Floats
    prefill_reach: Floats
    widening: Floats
    cores: Floats
    region_cores: Floats
    prefill_cores: Floats
    device_count: Floats
    tp: Floats
    pp: Floats
    ep: Floats
    dp: Floats
    parts: Floats
    concurrency: Floats
    input_tokens: Floats
    output_tokens: Floats
    usable: Floats
    overhead: Floats
    chunk: Floats
    new_tokens: Floats
    beside: Floats
    beside_spread: Floats

    @property
    def final_context(self) -> Floats:
        """Tokens of a sequence when its last token is made. (cases,)"""
        return self.input_tokens + self.output_tokens

    @property
    def step_context(self) -> Floats:
        """Tokens of a sequence halfway through its output. (cases,)"""
        return self.input_tokens + self.output_tokens / 2.0

    @property
    def moved(self) -> Floats:
        """Bytes of an activation that operators write and read, what fused ones keep left out. [B] (cases,)"""
        return self.sent * self.unfused

    def kernel_peak(self, part: str) -> Floats:
        """Peak of a part, scaled by how well this chip's kernels use it against a typical chip. [FLOP/s] (cases,)"""
        peak: Floats = getattr(self, f"peak_{part}") * getattr(self, f"kernel_{part}")
        return peak


NAMES = tuple(each.name for each in fields(Inputs))
UNKNOWN = dict.fromkeys(NAMES, math.nan)
_in_order = itemgetter(*NAMES)


def side_by_side(rows: Sequence[Mapping[str, float]]) -> Inputs:
    """Cases' numbers as arrays, rows in the order given; what a row does not say is nan."""
    table = np.array([_in_order({**UNKNOWN, **row}) for row in rows], dtype=float).T
    return Inputs(**dict(zip(NAMES, table, strict=True)))
