"""Grouped-query attention and multi-head latent attention, as the checkpoints store them."""

from __future__ import annotations

from dataclasses import replace

from data.readers.model_config.configuration import Configuration
from data.readers.model_config.layers import heads, kv_heads, nonzero, whole
from data.records import Attention, Matrix

FULL_CONTEXT = 0


def grouped_query(
    hidden: int, query_heads: int, kv_head_count: int, head_width: int, *, value_width: int = 0, window_tokens: int = 0
) -> Attention:
    """Softmax attention with separate query, key, value and output matrices.

    value_width   only where values are narrower than keys
    """
    values = value_width or head_width
    return Attention(
        kind="gqa",
        query_heads=query_heads,
        kv_heads=kv_head_count,
        head_width=head_width,
        value_width=value_width,
        window_tokens=window_tokens,
        matrices=(
            heads("query", hidden, query_heads * head_width),
            kv_heads("key", hidden, kv_head_count * head_width),
            kv_heads("value", hidden, kv_head_count * values),
            heads("output", query_heads * values, hidden),
        ),
    )


def read_grouped_query(c: Configuration, *, window_tokens: int = 0) -> Attention:
    """Grouped-query attention from the keys most families share; a missing KV head count means one per query head."""
    hidden = c.size("hidden", "hidden_size")
    query_heads = c.size("query_heads", "num_attention_heads")
    kv = c.size("kv_heads", "num_key_value_heads", "num_kv_heads", default=query_heads)
    width = c.size("head_width", "head_dim", "attention_head_dim", "kv_channels", default=hidden // query_heads)
    return grouped_query(hidden, query_heads, kv, width, window_tokens=window_tokens)


def gated_output(attention: Attention, hidden: int) -> Attention:
    """The same attention with a gate as wide as its output, computed by a matrix beside the query's."""
    wide = attention.query_heads * (attention.value_width or attention.head_width)
    return replace(attention, matrices=(*attention.matrices, heads("output_gate", hidden, wide)))


def query_key_value_bias(attention: Attention) -> int:
    """Elements of the biases of query, key and value."""
    return sum(each.columns for each in attention.matrices if each.name in {"query", "key", "value"})


def read_latent(c: Configuration) -> tuple[Attention, dict[str, int]]:
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434) and the sizes of its inner norms.

    Without a query rank the query is projected in one step. The down-projections are kept whole on every device.
    """
    hidden, count = c.size("hidden", "hidden_size"), c.size("query_heads", "num_attention_heads")
    q_rank = c.whole("q_rank", "q_lora_rank", default=0)
    kv_rank = c.size("kv_rank", "kv_lora_rank")
    nope, rope = c.whole("nope_width", "qk_nope_head_dim"), c.whole("rope_width", "qk_rope_head_dim")
    values = c.size("value_width", "v_head_dim")
    query: tuple[Matrix, ...] = (heads("query", hidden, count * (nope + rope)),)
    if q_rank:
        query = (whole("query_down", hidden, q_rank), heads("query_up", q_rank, count * (nope + rope)))
    matrices = (
        *query,
        whole("latent_down", hidden, kv_rank + rope),
        heads("latent_up", kv_rank, count * (nope + values)),
        heads("output", count * values, hidden),
    )
    attention = Attention(kind="mla", query_heads=count, kv_heads=count, head_width=nope + rope, matrices=matrices)
    attention = replace(attention, q_rank=q_rank, kv_rank=kv_rank)
    attention = replace(attention, rope_width=rope, nope_width=nope, value_width=values)
    return attention, nonzero(query_rank_norm=q_rank, latent_norm=kv_rank)


def with_indexer(attention: Attention, c: Configuration) -> tuple[Attention, dict[str, int]]:
    """The attention with a lightning indexer that picks which tokens are read (DeepSeek-V3.2, GLM-5)."""
    hidden = c.size("hidden", "hidden_size")
    count, width = c.size("indexer_heads", "index_n_heads"), c.size("indexer_width", "index_head_dim")
    matrices: tuple[Matrix, ...] = (
        whole("indexer_query", attention.q_rank, count * width),
        whole("indexer_key", hidden, width),
        whole("indexer_weight", hidden, count),
    )
    indexed = replace(
        attention,
        indexer_heads=count,
        indexer_width=width,
        selected_tokens=c.size("selected_tokens", "index_topk"),
        matrices=(*attention.matrices, *matrices),
    )
    return indexed, {"indexer_key_norm": 2 * width}
