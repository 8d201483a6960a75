"""Decoders with one dense MLP a layer: Llama, Mistral, Qwen, Phi, Granite, Gemma 1, Falcon, GPT-3, OPT, Nemotron-4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from data.errors import CatalogueError
from data.readers.model_config.attention import grouped_query, query_key_value_bias, read_grouped_query
from data.readers.model_config.configuration import Configuration, Found
from data.readers.model_config.layers import Decoder, Layer, layer_elements, nonzero
from data.readers.model_config.mlp import NO_MLP, PLAIN, read_dense
from data.records import Attention, Mlp

NO_ATTENTION = Attention(kind="none")
MOST_LAYERS = 10_000  # a hundred times the deepest published decoder
OPT_POSITION_OFFSET = 2  # OPT's position table starts two rows in


def layer_count(c: Configuration) -> int:
    """Decoder layers, multi-token-prediction layers apart. Raises CatalogueError for none or an absurd number."""
    layers = c.whole("layers", "num_hidden_layers")
    if not 0 < layers <= MOST_LAYERS:
        raise CatalogueError(
            "num_hidden_layers is no depth", where=c.where, found=layers, expected=f"1 to {MOST_LAYERS:,}"
        )
    return layers


def uniform(c: Configuration, layer: Layer, *, tied: bool = False, outer: Mapping[str, int] | None = None) -> Decoder:
    """A decoder whose layers are all equal; `tied` is the family's default where the file is silent."""
    hidden = c.size("hidden", "hidden_size")
    return Decoder(
        layers=[layer] * layer_count(c),
        outer=outer or {"final_norm": hidden},
        tied=c.flag("tie_word_embeddings", default=tied),
    )


def sliding_window(c: Configuration) -> int:
    """The window all layers share, 0 where the file has none, turns it off or sets it beyond the longest context."""
    window = c.whole("window_tokens", "sliding_window", "sliding_window_size", default=0)
    longest = c.whole("max_context_tokens", "max_position_embeddings", default=0)
    used = c.flag("use_sliding_window", default=True) and (not longest or window < longest)
    return window if used else 0


def llama(c: Configuration) -> Decoder:
    """Llama 1 to 3, Code Llama, Mistral, Ministral, Granite, Phi-3 and Phi-4: no biases unless the file says so."""
    hidden = c.size("hidden", "hidden_size")
    attention, mlp = read_grouped_query(c, window_tokens=sliding_window(c)), read_dense(c)
    attention_bias = query_key_value_bias(attention) + hidden if c.flag("attention_bias", default=False) else 0
    mlp_bias = 2 * mlp.inner_width + hidden if c.flag("mlp_bias", default=False) else 0
    vectors = nonzero(norms=2 * hidden, attention_bias=attention_bias, mlp_bias=mlp_bias)
    return uniform(c, Layer(attention=attention, mlp=mlp, vectors=vectors))


def qwen2(c: Configuration) -> Decoder:
    """Qwen2, Qwen2.5 and MiMo: query, key and value have biases; MiMo adds multi-token-prediction layers."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c, window_tokens=sliding_window(c) if c.values.get("use_sliding_window") else 0)
    vectors = {"norms": 2 * hidden, "query_key_value_bias": query_key_value_bias(attention)}
    decoder = uniform(c, Layer(attention=attention, mlp=read_dense(c), vectors=vectors))
    return replace(decoder, mtp=_mtp_of_dense(c, decoder.layers[0]))


def _mtp_of_dense(c: Configuration, layer: Layer) -> int:
    count = c.whole("mtp_layers", "num_nextn_predict_layers", default=0)
    hidden = c.size("hidden", "hidden_size")
    joining = 2 * hidden * hidden + 3 * hidden  # projection of state and embedding, norms of both and of the output
    return count * (layer_elements(layer, hidden) + joining)


def qwen3(c: Configuration) -> Decoder:
    """Qwen3: query and key are normalised per head, no biases."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c, window_tokens=sliding_window(c) if c.values.get("use_sliding_window") else 0)
    vectors = {"norms": 2 * hidden, "query_key_norm": 2 * attention.head_width}
    return uniform(c, Layer(attention=attention, mlp=read_dense(c), vectors=vectors))


def qwen1(c: Configuration) -> Decoder:
    """The first Qwen: intermediate_size is the sum of gate and up widths; query, key and value have biases."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c)
    mlp = read_dense(c)
    mlp = replace(mlp, inner_width=mlp.inner_width // 2)
    vectors = {"norms": 2 * hidden, "query_key_value_bias": query_key_value_bias(attention)}
    return uniform(c, Layer(attention=attention, mlp=mlp, vectors=vectors))


def gemma(c: Configuration) -> Decoder:
    """The first Gemma: Llama's layer with heads wider than the model divided by them, tied embeddings."""
    hidden = c.size("hidden", "hidden_size")
    layer = Layer(attention=read_grouped_query(c), mlp=read_dense(c), vectors={"norms": 2 * hidden})
    return uniform(c, layer, tied=True)


def falcon(c: Configuration) -> Decoder:
    """Falcon: plain MLP of four times the width, layer norms with bias (two in the newer form), tied embeddings."""
    hidden, count = c.size("hidden", "hidden_size"), c.size("query_heads", "num_attention_heads")
    newer = c.flag("new_decoder_architecture", default=False)
    one_kv_head = not newer and c.flag("multi_query", default=True)
    kv = 1 if one_kv_head else c.size("kv_heads", "num_kv_heads", default=count)
    attention = grouped_query(hidden, count, kv, hidden // count)
    inner = c.size("dense_inner_width", "ffn_hidden_size", default=4 * hidden)
    two_norms = newer or not c.flag("parallel_attn", default=True)
    biased = query_key_value_bias(attention) + inner + 2 * hidden if c.flag("bias", default=False) else 0
    vectors = nonzero(norms=(4 if two_norms else 2) * hidden, biases=biased)
    layer = Layer(attention=attention, mlp=Mlp(kind="dense", inner_width=inner, matrices=PLAIN), vectors=vectors)
    return uniform(c, layer, tied=True, outer={"final_norm": 2 * hidden})


def gpt(c: Configuration) -> Decoder:
    """GPT-3 and OPT: learned positions, plain MLP, biases everywhere, layer norms with bias, tied embeddings."""
    hidden = c.size("hidden", "hidden_size")
    attention = read_grouped_query(c)
    mlp = read_dense(c, "ffn_dim", "n_inner", matrices=PLAIN)
    biases = {"attention_bias": query_key_value_bias(attention) + hidden, "mlp_bias": mlp.inner_width + hidden}
    positions = c.size("max_context_tokens", "max_position_embeddings")
    positions += OPT_POSITION_OFFSET if c.word("model_type") == "opt" else 0
    outer = {"final_norm": 2 * hidden, "position_table": positions * hidden}
    return uniform(
        c, Layer(attention=attention, mlp=mlp, vectors={"norms": 4 * hidden, **biases}), tied=True, outer=outer
    )


def nemotron(c: Configuration) -> Decoder:
    """Nemotron-4: plain squared-ReLU MLP, layer norms with bias, no other biases."""
    hidden = c.size("hidden", "hidden_size")
    layer = Layer(attention=read_grouped_query(c), mlp=read_dense(c, matrices=PLAIN), vectors={"norms": 4 * hidden})
    return uniform(c, layer, outer={"final_norm": 2 * hidden})


NAS_WIDTH_STEP = 256  # DeciLM rounds a scaled inner width up to a multiple of this


def nemotron_nas(c: Configuration) -> Decoder:
    """Llama-Nemotron (DeciLM): a search left attention out of some layers and gave every MLP its own width."""
    layers = layer_count(c)
    entries = c.per_layer("block_configs", layers)
    if entries is None:
        raise CatalogueError("the configuration does not say block_configs", where=c.where, expected="one per layer")
    tied = c.flag("tie_word_embeddings", default=False)
    outer = {"final_norm": c.size("hidden", "hidden_size")}
    return Decoder(layers=[_searched_layer(c, each) for each in entries], outer=outer, tied=tied)


def _searched_layer(c: Configuration, entry: object) -> Layer:
    if not isinstance(entry, Mapping):
        raise CatalogueError("an entry of block_configs is no table", where=c.where, found=repr(entry))
    parts = Configuration(entry, f"{c.where}, block_configs")
    kept, dense = parts.part("attention"), parts.part("ffn")
    hidden, count = c.size("hidden", "hidden_size"), c.size("query_heads", "num_attention_heads")
    for part in (kept, dense):
        if part.flag("replace_with_linear", default=False):
            raise CatalogueError("a layer part replaced by one matrix cannot be read", where=part.where)
    attention, mlp = NO_ATTENTION, NO_MLP
    if not kept.flag("no_op", default=False):
        kv = count // kept.size("group", "n_heads_in_group")
        c.found["kv_heads"] = Found("n_heads_in_group", kv)
        attention = grouped_query(hidden, count, kv, hidden // count)
    if not dense.flag("no_op", default=False):
        mlp = Mlp(kind="dense", inner_width=_scaled_width(dense, hidden))
    norms = hidden * ((attention.kind != "none") + (mlp.kind != "none"))
    return Layer(attention=attention, mlp=mlp, vectors=nonzero(norms=norms))


def _scaled_width(dense: Configuration, hidden: int) -> int:
    factor = dense.values.get("ffn_mult")
    if isinstance(factor, bool) or not isinstance(factor, int | float):
        raise CatalogueError("ffn_mult is no number", where=dense.where, found=repr(factor))
    width = int(2 * factor * hidden / 3)
    return -(-width // NAS_WIDTH_STEP) * NAS_WIDTH_STEP
