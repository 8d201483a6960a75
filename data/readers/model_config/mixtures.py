"""Mixtures of experts over grouped-query attention: Mixtral, Qwen3, gpt-oss, Llama 4, GLM-4, MiniMax, MiMo and more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from data.readers.model_config.attention import grouped_query, query_key_value_bias, read_grouped_query
from data.readers.model_config.configuration import Configuration
from data.readers.model_config.dense import layer_count, sliding_window, uniform
from data.readers.model_config.layers import Decoder, Layer, heads, kv_heads, layer_elements, nonzero
from data.readers.model_config.mlp import dense_first, read_dense, read_mixture
from data.records import Attention


def stacked(c: Configuration, layers: Sequence[Layer], *, tied: bool = False, mtp: int = 0) -> Decoder:
    """A decoder of unequal layers with one final norm; `tied` is the family's default."""
    return Decoder(
        layers=layers,
        outer={"final_norm": c.size("hidden", "hidden_size")},
        tied=c.flag("tie_word_embeddings", default=tied),
        mtp=mtp,
    )


MTP_NORMS = 3


def joined_mtp(c: Configuration, layer: Layer, *, default_count: int = 0) -> int:
    """Parameters of multi-token-prediction layers shaped as `layer`.

    Each is joined to the state by one projection, with norms of state, embedding and output.
    default_count   how many the family ships where the configuration does not say
    """
    count = c.whole("mtp_layers", "num_nextn_predict_layers", "mtp_num_hidden_layers", default=default_count)
    hidden = c.size("hidden", "hidden_size")
    return count * (layer_elements(layer, hidden) + 2 * hidden * hidden + MTP_NORMS * hidden)


def mixtral(c: Configuration) -> Decoder:
    """Mixtral: Llama's attention, every MLP a mixture without shared experts."""
    hidden = c.size("hidden", "hidden_size")
    mlp = read_mixture(c, width_keys=("intermediate_size",), shared_width=0)
    attention = read_grouped_query(c, window_tokens=sliding_window(c))
    return uniform(c, Layer(attention=attention, mlp=mlp, vectors={"norms": 2 * hidden}))


def qwen3_moe(c: Configuration) -> Decoder:
    """Qwen3 mixtures: queries and keys normalised per head, every MLP a mixture without shared experts."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c)
    vectors = {"norms": 2 * hidden, "query_key_norm": 2 * attention.head_width}
    return uniform(c, Layer(attention=attention, mlp=read_mixture(c, shared_width=0), vectors=vectors))


def gpt_oss(c: Configuration) -> Decoder:
    """gpt-oss: window and full layers take turns, biases everywhere, one attention sink per query head."""
    hidden = c.size("hidden", "hidden_size")
    width = c.size("expert_width", "intermediate_size")
    full = read_grouped_query(c)
    mlp = read_mixture(c, width_keys=("intermediate_size",), shared_width=0, expert_vectors=2 * width + hidden)
    vectors = {
        "norms": 2 * hidden,
        "attention_bias": query_key_value_bias(full) + hidden,
        "sinks": full.query_heads,
        "router_bias": mlp.experts,
    }
    kinds = c.per_layer("layer_types", layer_count(c)) or ["sliding_attention", "full_attention"] * layer_count(c)
    window = c.whole("window_tokens", "sliding_window")
    layers = [
        Layer(
            attention=replace(full, window_tokens=window if kind == "sliding_attention" else 0),
            mlp=mlp,
            vectors=vectors,
        )
        for kind in kinds[: layer_count(c)]
    ]
    return stacked(c, layers)


LLAMA4_FULL_EVERY = 4  # every fourth layer sees the whole context and has no rotary positions


def llama4(c: Configuration) -> Decoder:
    """Llama 4: three layers that see only their own chunk, one that sees all; one shared expert."""
    hidden = c.size("hidden", "hidden_size")
    width = c.size("expert_width", "intermediate_size")
    mixture = read_mixture(c, width_keys=("intermediate_size",), shared_width=width)
    every = c.size("mixture_interval", "interleave_moe_layer_step", default=1)
    chunk, full = c.whole("window_tokens", "attention_chunk_size"), read_grouped_query(c)
    dense = read_dense(c, "intermediate_size_mlp") if every > 1 else mixture
    layers = [
        Layer(
            attention=replace(full, window_tokens=0 if (index + 1) % LLAMA4_FULL_EVERY == 0 else chunk),
            mlp=mixture if (index + 1) % every == 0 else dense,
            vectors={"norms": 2 * hidden},
        )
        for index in range(layer_count(c))
    ]
    return stacked(c, layers)


def glm4_moe(c: Configuration) -> Decoder:
    """GLM-4.5 to 4.7: leading dense layers, then mixtures with a shared expert and a correction bias per expert."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c)
    bias = query_key_value_bias(attention) if c.flag("attention_bias", default=False) else 0
    normalised = 2 * attention.head_width if c.flag("use_qk_norm", default=False) else 0
    vectors = nonzero(norms=2 * hidden, query_key_value_bias=bias, query_key_norm=normalised)
    mixture = read_mixture(c)
    sparse = Layer(attention=attention, mlp=mixture, vectors=vectors | {"router_bias": mixture.experts})
    mixed = dense_first(c, layer_count(c))
    dense = sparse if all(mixed) else Layer(attention=attention, mlp=read_dense(c), vectors=vectors)
    return stacked(c, [sparse if each else dense for each in mixed], mtp=joined_mtp(c, sparse))


def ernie(c: Configuration) -> Decoder:
    """Ernie 4.5 mixtures: leading dense layers, shared experts, a correction bias per expert, tied embeddings."""
    hidden = c.size("hidden", "hidden_size")
    attention, mixture = read_grouped_query(c), read_mixture(c)
    first = c.whole("dense_layers", "moe_layer_start_index", default=0)
    sparse = Layer(attention=attention, mlp=mixture, vectors={"norms": 2 * hidden, "router_bias": mixture.experts})
    dense = Layer(attention=attention, mlp=read_dense(c), vectors={"norms": 2 * hidden})
    return stacked(c, [dense if i < first else sparse for i in range(layer_count(c))], tied=True)


def minimax_m2(c: Configuration) -> Decoder:
    """MiniMax-M2: queries and keys normalised over all heads at once, every MLP a mixture with a routing bias."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c)
    mlp = read_mixture(c, width_keys=("moe_intermediate_size", "intermediate_size"), shared_width=0)
    normalised = (attention.query_heads + attention.kv_heads) * attention.head_width
    vectors = {"norms": 2 * hidden, "query_key_norm": normalised, "router_bias": mlp.experts}
    return uniform(c, Layer(attention=attention, mlp=mlp, vectors=vectors))


def minimax_m3(c: Configuration) -> Decoder:
    """MiniMax-M3: leading dense layers with full attention, then mixtures whose attention reads chosen blocks only."""
    hidden = c.size("hidden", "hidden_size")
    attention, mixture = read_grouped_query(c), read_mixture(c)
    normalised = {"norms": 2 * hidden, "query_key_norm": 2 * attention.head_width}
    dense = Layer(
        attention=attention, mlp=read_dense(c, "dense_intermediate_size", "intermediate_size"), vectors=normalised
    )
    chosen = _block_sparse(c, attention)
    vectors = normalised | {"router_bias": mixture.experts, "indexer_norm": 2 * chosen.indexer_width}
    sparse = Layer(attention=chosen, mlp=mixture, vectors=vectors)
    return stacked(c, [sparse if each else dense for each in dense_first(c, layer_count(c))])


def _block_sparse(c: Configuration, attention: Attention) -> Attention:
    part, hidden = c.part("sparse_attention_config"), c.size("hidden", "hidden_size")
    count, width = (
        part.size("indexer_heads", "sparse_num_index_heads"),
        part.size("indexer_width", "sparse_index_dim"),
    )
    blocks = part.whole("blocks", "sparse_topk_blocks") + part.whole("local", "sparse_local_block", default=0)
    chosen = blocks * part.size("block", "sparse_block_size")
    c.found |= {name: part.found[name] for name in ("indexer_heads", "indexer_width")}
    index = (heads("indexer_query", hidden, count * width), kv_heads("indexer_key", hidden, width))
    return replace(
        attention,
        indexer_heads=count,
        indexer_width=width,
        selected_tokens=chosen,
        matrices=(*attention.matrices, *index),
    )


def mimo_v2(c: Configuration) -> Decoder:
    """MiMo-V2: values narrower than keys, window layers with sinks and KV heads of their own, no shared expert."""
    layers = layer_count(c)
    pattern = c.per_layer("hybrid_layer_pattern", layers) or [0] * layers
    mixed = dense_first(c, layers)
    return stacked(c, [_mimo_layer(c, bool(pattern[i]), mixed[i]) for i in range(layers)])


def _mimo_layer(c: Configuration, windowed: bool, mixture: bool) -> Layer:
    hidden = c.size("hidden", "hidden_size")
    start, label = ("swa_", "_of_window_layers") if windowed else ("", "")
    attention = grouped_query(
        hidden,
        c.size(f"query_heads{label}", f"{start}num_attention_heads", "num_attention_heads"),
        c.size(f"kv_heads{label}", f"{start}num_key_value_heads", "num_key_value_heads"),
        c.size(f"head_width{label}", f"{start}head_dim", "head_dim"),
        value_width=c.size(f"value_width{label}", f"{start}v_head_dim", "v_head_dim"),
        window_tokens=c.whole("window_tokens", "sliding_window") if windowed else 0,
    )
    sinks = c.flag("add_swa_attention_sink_bias" if windowed else "add_full_attention_sink_bias", default=False)
    mlp = read_mixture(c) if mixture else read_dense(c)
    vectors = nonzero(norms=2 * hidden, sinks=sinks * attention.query_heads, router_bias=mlp.experts)
    return Layer(attention=attention, mlp=mlp, vectors=vectors)


def step3p7(c: Configuration) -> Decoder:
    """Step-3.5 and 3.7 Flash: window and full layers, leading dense layers, one shared expert, normalised heads."""
    hidden = c.size("hidden", "hidden_size")
    full = read_grouped_query(c)
    window = c.whole("window_tokens", "sliding_window")
    kinds = c.per_layer("layer_types", layer_count(c)) or ["full_attention"] * layer_count(c)
    mixture = read_mixture(c, shared_width=c.whole("shared_width", "share_expert_dim"))
    vectors = {"norms": 2 * hidden, "query_key_norm": 2 * full.head_width}
    router_bias = {"router_bias": mixture.experts} if c.flag("use_moe_router_bias", default=False) else {}
    layers = [
        Layer(
            attention=replace(full, window_tokens=window if kind == "sliding_attention" else 0),
            mlp=mixture if sparse else read_dense(c),
            vectors=vectors | (router_bias if sparse else {}),
        )
        for kind, sparse in zip(kinds, dense_first(c, layer_count(c)), strict=True)
    ]
    return stacked(c, layers)
