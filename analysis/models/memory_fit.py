"""Bytes a device must hold while it serves a model, and the largest batch and context that fit.

All arguments are floats or arrays that broadcast, and pint quantities alike. Numbers without a unit in their name
(devices, heads, degrees, fractions) are dimensionless.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PAGE_TOKENS = 16.0  # tokens in one page of cache: vLLM's default block size, Kwon et al. 2023
ACTIVATION_BUFFERS = 24.0  # live activations per prefill token, in units of the model width: a prior
PREFILL_CHUNK_TOKENS = 8192.0  # tokens of one prefill chunk: vLLM's and SGLang's usual token budget
GPU_OVERHEAD_BYTE = 2e9  # driver context, captured graphs, communication buffers: a prior, 2 to 4 GB are seen
GPU_USABLE_FRACTION = 0.90  # share of memory an engine claims: vLLM's default gpu_memory_utilization
SRAM_USABLE_FRACTION = 0.95  # share of a wafer's memory left by code and buffers: a prior


def cache_copies(tp: Any, dp: Any, kv_heads: Any) -> Any:
    """How many copies of each cached head a tensor-parallel group holds. [-]

    copies = max(1, tp / (dp * kv_heads))

    tp          devices that share one layer                                                  [-]
    dp          groups among them that attend to different sequences                          [-]
    kv_heads    heads in the cache; 1 for a latent cache (MLA), whose one vector all heads read  [-]

    Floats or arrays that broadcast, each at least 1. A head cannot be cut: a group wider than the heads keeps copies.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 3.3 (multiquery attention and its partitioning).
    """
    return np.maximum(1.0, tp / (dp * kv_heads))


def attention_weight_per_device(
    by_heads_byte: Any, by_kv_heads_byte: Any, whole_byte: Any, copies: Any, tp: Any, dp: Any, pp: Any
) -> Any:
    """Attention weights that one device holds. [B]

    held = ((by_heads + by_kv_heads * copies) * dp / tp + whole) / pp

    by_heads      weights divided by query heads (queries, output), all layers              [B]
    by_kv_heads   weights divided by cached heads (keys, values), all layers                [B]
    whole         weights every device keeps entire (down-projections to a latent, norms)   [B]
    copies        copies of each cached head in the group                                   [-]
    tp            devices that share one layer                                              [-]
    dp            groups among them with attention of their own, each with all its weights  [-]
    pp            pipeline stages, each with its share of the layers                        [-]

    Floats or arrays that broadcast; dp at most tp.

    Source
    ------
    Shoeybi et al. (2019), arXiv 1909.08053 (heads divided); Pope et al. (2022), arXiv 2211.05102 (copies).
    """
    return ((by_heads_byte + by_kv_heads_byte * copies) * dp / tp + whole_byte) / pp


def weight_per_device(
    attention_byte: Any, dense_mlp_byte: Any, expert_byte: Any, embedding_byte: Any, tp: Any, ep: Any, pp: Any
) -> Any:
    """All weights that one device holds. [B]

    held = attention + (dense_mlp / tp + expert / ep) / pp + embedding / (tp * pp)

    attention   attention weights already divided among the devices           [B]
    dense_mlp   dense and shared-expert weights of all layers                 [B]
    expert      routed experts and routers of all layers                      [B]
    embedding   input embedding and output head                               [B]
    tp          devices that share one layer                                  [-]
    ep          devices over which the experts are spread; tp if they are cut like the rest  [-]
    pp          pipeline stages                                               [-]

    Floats or arrays that broadcast, degrees at least 1. Embedding and head are taken as spread evenly over the stages.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 3.
    """
    return attention_byte + (dense_mlp_byte / tp + expert_byte / ep) / pp + embedding_byte / (tp * pp)


def paged_context(context_tokens: Any, page_tokens: Any = PAGE_TOKENS) -> Any:
    """Tokens of cache that a sequence occupies when memory is handed out in pages. [tok]

    occupied = page * ceil(context / page)

    context   tokens in the sequence   [tok]
    page      tokens in one page       [tok]

    Floats or arrays that broadcast, page positive.

    Source
    ------
    Kwon et al. (2023), SOSP, arXiv 2309.06180, "Efficient Memory Management for LLM Serving with PagedAttention".
    """
    return page_tokens * np.ceil(context_tokens / page_tokens)


def cache_per_device(sequences: Any, sequence_cache_byte: Any, state_byte: Any, copies: Any, tp: Any, pp: Any) -> Any:
    """Cache and recurrent state that one device holds. [B]

    held = sequences * (sequence_cache * copies + state) / (tp * pp)

    sequences        sequences in flight                                           [-]
    sequence_cache   keys and values of one sequence, all layers, no copies        [B]
    state            recurrent state of one sequence, all layers; 0 if there is none  [B]
    copies           copies of each cached head in the tensor-parallel group       [-]
    tp               devices that share one layer                                  [-]
    pp               pipeline stages                                               [-]

    Floats or arrays that broadcast.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 3.3.
    """
    return sequences * (sequence_cache_byte * copies + state_byte) / (tp * pp)


def activation_per_device(
    width: Any,
    element_byte_per_token: Any,
    chunk_tokens: Any = PREFILL_CHUNK_TOKENS,
    tp: Any = 1.0,
    buffers: Any = ACTIVATION_BUFFERS,
) -> Any:
    """Activations alive while one chunk of prefill runs. [B]

    held = buffers * width * element * chunk / tp

    width     model width                                                   [-]
    element   bytes of one activation of one token                          [B/tok]
    chunk     tokens of one prefill chunk                                   [tok]
    tp        devices that share one layer                                  [-]
    buffers   activations alive per token, in units of the width: a prior   [-]

    Floats or arrays that broadcast.

    Source
    ------
    Prior of this project, not measured. Korthikanti et al. (2022), arXiv 2205.05198, count 34 bytes with
    two-byte elements for training, where more stays alive.
    """
    return buffers * width * element_byte_per_token * chunk_tokens / tp


def memory_budget(memory_byte: Any, usable_fraction: Any, activation_byte: Any, overhead_byte: Any) -> Any:
    """Memory of one device that weights and cache may share. [B]

    budget = usable_fraction * memory - activation - overhead

    memory       memory of the device, decimal bytes              [B]
    usable_fraction   share of it the engine may claim            [-]
    activation   activations of one prefill chunk                 [B]
    overhead     driver context, graphs, communication buffers    [B]

    Floats or arrays that broadcast. Negative if nothing is left.

    Source
    ------
    Kwon et al. (2023), arXiv 2309.06180, section 4.2 (profiled peak, the rest for cache).
    """
    return usable_fraction * memory_byte - activation_byte - overhead_byte


def largest_batch(budget_byte: Any, weight_byte: Any, one_sequence_byte: Any) -> Any:
    """Most sequences whose cache fits beside the weights. [-]

    batch = max(0, floor((budget - weight) / one_sequence))

    budget         memory of one device for weights and cache         [B]
    weight         weights on that device                             [B]
    one_sequence   cache and state of one sequence on that device     [B]

    Floats or arrays that broadcast; one_sequence positive. 0 means that not even one fits.

    Source
    ------
    The arithmetic of vLLM's "maximum concurrency" line.
    """
    return np.maximum(0.0, np.floor((budget_byte - weight_byte) / one_sequence_byte))


def largest_context(
    budget_byte: Any,
    weight_byte: Any,
    sequences: Any,
    fixed_byte: Any,
    growing_byte_per_token: Any,
    page_tokens: Any = PAGE_TOKENS,
) -> Any:
    """Longest context, in whole pages, whose cache fits beside the weights. [tok]

    context = page * max(0, floor(((budget - weight) / sequences - fixed) / (growing * page)))

    budget      memory of one device for weights and cache                        [B]
    weight      weights on that device                                            [B]
    sequences   sequences in flight                                               [-]
    fixed       state and full windows of one sequence on that device             [B]
    growing     cache one more token adds to that device, layers without window   [B/tok]
    page        tokens in one page                                                [tok]

    Floats or arrays that broadcast; growing positive. The model's own limit is not looked at.

    Source
    ------
    The largest batch solved for the context.
    """
    free_byte = (budget_byte - weight_byte) / sequences - fixed_byte
    return page_tokens * np.maximum(0.0, np.floor(free_byte / (growing_byte_per_token * page_tokens)))


def devices_by_capacity(shared_byte: Any, budget_byte: Any, copied_byte: Any) -> Any:
    """Fewest devices whose memories together hold a copy of the model and its cache. [-]

    devices = ceil(shared / (budget - copied))

    shared   weights and cache that are divided among the devices                    [B]
    budget   memory of one device for weights and cache                              [B]
    copied   what every device keeps entire                                          [B]

    Floats or arrays that broadcast; budget above copied. Heads and layers that cannot be cut may ask for more.

    Source
    ------
    Counting.
    """
    return np.ceil(shared_byte / (budget_byte - copied_byte))
