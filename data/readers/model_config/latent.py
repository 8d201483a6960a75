"""Multi-head latent attention: DeepSeek-V2 to V3.2, Kimi-K2, GLM-5, Mistral-4; and what DeepSeek-V4 made of it."""

from __future__ import annotations

from dataclasses import replace

from data.errors import CatalogueError
from data.readers.model_config.attention import read_latent, with_indexer
from data.readers.model_config.configuration import Configuration
from data.readers.model_config.dense import layer_count
from data.readers.model_config.layers import Decoder, Layer, heads, nonzero, whole
from data.readers.model_config.mixtures import joined_mtp, stacked
from data.readers.model_config.mlp import dense_first, read_dense, read_mixture
from data.records import Attention


def deepseek(c: Configuration) -> Decoder:
    """DeepSeek-V2 and V3, Kimi-K2, GLM-4.7-Flash, Mistral-4: leading dense layers, then mixtures with shared experts.

    V3's routing corrects each expert's score by a bias; V2's does not. With index keys a lightning indexer is added
    (DeepSeek-V3.2, GLM-5); GLM-5.2 shares it between neighbouring layers.
    """
    layers = layer_count(c)
    own = c.per_layer("indexer_types", layers) or ["full"] * layers
    mixed = dense_first(c, layers)
    stack = [_latent_layer(c, sparse=mixed[i], own_indexer=own[i] == "full") for i in range(layers)]
    last = _latent_layer(c, sparse=True, own_indexer=True)
    return stacked(c, stack, mtp=joined_mtp(c, last))


def _latent_layer(c: Configuration, *, sparse: bool, own_indexer: bool) -> Layer:
    hidden = c.size("hidden", "hidden_size")
    attention, vectors = read_latent(c)
    vectors = {"norms": 2 * hidden, **vectors}
    if "index_n_heads" in c.values:
        indexed, norm = with_indexer(attention, c)
        attention = indexed if own_indexer else replace(attention, selected_tokens=indexed.selected_tokens)
        vectors |= norm if own_indexer else {}
    mlp = read_mixture(c) if sparse else read_dense(c)
    corrected = c.word("topk_method", "noaux_tc" if c.word("model_type") in SCORE_BIAS_FAMILIES else "")
    if sparse and corrected == "noaux_tc":
        vectors["router_bias"] = mlp.experts
    return Layer(attention=attention, mlp=mlp, vectors=vectors)


SCORE_BIAS_FAMILIES = {"deepseek_v3", "deepseek_v32", "kimi_k2", "glm4_moe_lite", "glm_moe_dsa"}


def deepseek_v4(c: Configuration) -> Decoder:
    """DeepSeek-V4 (arXiv 2606.19348): one wide KV head, a short window of raw entries beside a compressed history.

    compress_ratios gives each layer's tokens per compressed entry: 0 for the window alone, 4 with an indexer that
    picks entries, 128 read in full. Four parallel residual streams are mixed by small matrices (counted as vectors).
    """
    layers = layer_count(c)
    ratios = c.per_layer("compress_ratios", layers) or [0] * layers
    hashed = c.whole("hash_routed_layers", "num_hash_layers", default=0)
    if not all(isinstance(ratio, int) and ratio >= 0 for ratio in ratios):
        raise CatalogueError("compress_ratios holds no whole numbers", where=c.where, found=ratios)
    stack = [_v4_layer(c, int(str(ratio)), hashed=index < hashed) for index, ratio in enumerate(ratios)]
    hidden, streams = c.size("hidden", "hidden_size"), c.whole("residual_streams", "hc_mult", default=1)
    joining = streams * streams * hidden + streams + 1 if streams > 1 else 0
    last = _v4_layer(c, 0, hashed=False)
    decoder = stacked(c, stack, mtp=joined_mtp(c, last))
    return replace(decoder, outer={**decoder.outer, **nonzero(stream_join=joining)})


def stream_mixing(hidden: int, streams: int) -> int:
    """Elements that mix the parallel residual streams round one sub-layer: maps to weights, their biases and scales."""
    weights = (2 + streams) * streams
    return weights * streams * hidden + weights + 3


def _v4_layer(c: Configuration, ratio: int, *, hashed: bool) -> Layer:
    hidden, streams = c.size("hidden", "hidden_size"), c.whole("residual_streams", "hc_mult", default=1)
    attention, vectors = _v4_attention(c, ratio)
    mlp = read_mixture(c)
    vectors = {"norms": 2 * hidden, **vectors, "sinks": attention.query_heads}
    vectors["stream_mixing"] = 2 * stream_mixing(hidden, streams) if streams > 1 else 0
    vectors["router_bias"] = 0 if hashed else mlp.experts
    return Layer(attention=attention, mlp=mlp, vectors=nonzero(**vectors))


INDEXED_RATIO = 4  # layers with this ratio overlap their groups and pick entries; coarser ones read every entry


def _v4_attention(c: Configuration, ratio: int) -> tuple[Attention, dict[str, int]]:
    hidden, count = c.size("hidden", "hidden_size"), c.size("query_heads", "num_attention_heads")
    width, q_rank = c.size("head_width", "head_dim"), c.whole("q_rank", "q_lora_rank")
    groups, o_rank = c.size("output_groups", "o_groups"), c.size("output_rank", "o_lora_rank")
    plain = Attention(
        kind="gqa",
        query_heads=count,
        kv_heads=c.size("kv_heads", "num_key_value_heads"),
        head_width=width,
        cache_vectors=1,
        window_tokens=c.whole("window_tokens", "sliding_window"),
        q_rank=q_rank,
        rope_width=c.whole("rope_width", "qk_rope_head_dim"),
        matrices=(
            whole("query_down", hidden, q_rank),
            heads("query_up", q_rank, count * width),
            whole("key_value", hidden, width),
            heads("output_down", count * width // groups, groups * o_rank),
            heads("output_up", groups * o_rank, hidden),
        ),
    )
    norms = {"query_rank_norm": q_rank, "key_value_norm": width}
    return (plain, norms) if not ratio else _compressed(c, plain, norms, ratio)


def _compressed(
    c: Configuration, plain: Attention, norms: dict[str, int], ratio: int
) -> tuple[Attention, dict[str, int]]:
    hidden, width = c.size("hidden", "hidden_size"), plain.head_width
    overlap = 2 if ratio == INDEXED_RATIO else 1
    matrices = (
        *plain.matrices,
        whole("compressor_value", hidden, overlap * width),
        whole("compressor_gate", hidden, overlap * width),
    )
    norms = norms | {"compressor_norm": width, "compressor_positions": ratio * overlap * width}
    attention = replace(plain, history_ratio=ratio, matrices=matrices)
    return _indexed(c, attention, norms, overlap) if ratio == INDEXED_RATIO else (attention, norms)


def _indexed(
    c: Configuration, compressed: Attention, norms: dict[str, int], overlap: int
) -> tuple[Attention, dict[str, int]]:
    hidden, ratio = c.size("hidden", "hidden_size"), compressed.history_ratio
    count, narrow = c.size("indexer_heads", "index_n_heads"), c.size("indexer_width", "index_head_dim")
    index = (
        whole("indexer_query", compressed.q_rank, count * narrow),
        whole("indexer_weight", hidden, count),
        whole("indexer_compressor_value", hidden, overlap * narrow),
        whole("indexer_compressor_gate", hidden, overlap * narrow),
    )
    indexed = replace(
        compressed,
        indexer_heads=count,
        indexer_width=narrow,
        selected_tokens=c.size("selected_entries", "index_topk") * ratio,
        matrices=(*compressed.matrices, *index),
    )
    return indexed, norms | {"indexer_compressor_norm": narrow, "indexer_positions": ratio * overlap * narrow}
