"""Gemma 2, 3 and 4: layers with a window and layers without, four norms a layer, tied embeddings."""

from __future__ import annotations

from dataclasses import replace

from data.readers.model_config.attention import grouped_query, read_grouped_query
from data.readers.model_config.configuration import Configuration
from data.readers.model_config.dense import layer_count
from data.readers.model_config.layers import Decoder, Layer
from data.readers.model_config.mlp import read_dense, read_mixture
from data.records import Attention, Mlp

GEMMA2_PATTERN = 2
GEMMA3_PATTERN = 6


def is_sliding(c: Configuration, default_pattern: int) -> list[bool]:
    """For every layer whether it has a window: by its listed kind, else all but each last of a repeating group."""
    layers = layer_count(c)
    kinds = c.per_layer("layer_types", layers)
    if kinds is not None:
        return [kind == "sliding_attention" for kind in kinds]
    pattern = c.size("window_pattern", "sliding_window_pattern", "_sliding_window_pattern", default=default_pattern)
    return [(index + 1) % pattern != 0 for index in range(layers)]


def gemma2(c: Configuration) -> Decoder:
    """Gemma 2: window and full layers take turns."""
    return _windowed(c, GEMMA2_PATTERN, normalised_heads=False)


def gemma3(c: Configuration) -> Decoder:
    """Gemma 3: five window layers to one full layer, queries and keys normalised per head."""
    return _windowed(c, GEMMA3_PATTERN, normalised_heads=True)


def _windowed(c: Configuration, pattern: int, *, normalised_heads: bool) -> Decoder:
    hidden = c.size("hidden", "hidden_size")
    window = c.whole("window_tokens", "sliding_window")
    full, mlp = read_grouped_query(c), read_dense(c)
    vectors = {"norms": 4 * hidden} | ({"query_key_norm": 2 * full.head_width} if normalised_heads else {})
    kinds = {
        sliding: Layer(attention=replace(full, window_tokens=window if sliding else 0), mlp=mlp, vectors=vectors)
        for sliding in (True, False)
    }
    return Decoder(
        layers=[kinds[sliding] for sliding in is_sliding(c, pattern)],
        outer={"final_norm": hidden},
        tied=c.flag("tie_word_embeddings", default=True),
    )


def gemma4(c: Configuration) -> Decoder:
    """Gemma 4: wider heads on full layers, some of which use keys as values; small ones add per-layer embeddings.

    The last layers of the small models read the cache that an earlier layer of their kind keeps and have no key and
    value matrices; their MLP may be twice as wide.
    """
    layers, hidden = layer_count(c), c.size("hidden", "hidden_size")
    reusing = c.whole("layers_without_cache", "num_kv_shared_layers", default=0)
    per_layer = c.whole("per_layer_width", "hidden_size_per_layer_input", default=0)
    rows = c.whole("per_layer_vocabulary", "vocab_size_per_layer_input", default=c.size("vocabulary", "vocab_size"))
    sliding = is_sliding(c, GEMMA3_PATTERN)
    stack = [_gemma4_layer(c, sliding[i], reuses=i >= layers - reusing, per_layer=per_layer) for i in range(layers)]
    outer = {"final_norm": hidden}
    if per_layer:
        outer |= {"per_layer_projection": hidden * layers * per_layer, "per_layer_norm": per_layer}
    return Decoder(
        layers=stack,
        outer=outer,
        tied=c.flag("tie_word_embeddings", default=True),
        lookup=rows * layers * per_layer,
    )


def _gemma4_layer(c: Configuration, sliding: bool, *, reuses: bool, per_layer: int) -> Layer:
    hidden = c.size("hidden", "hidden_size")
    attention = _gemma4_attention(c, sliding, reuses=reuses)
    mlp = _gemma4_mlp(c, widened=reuses and c.flag("use_double_wide_mlp", default=False))
    head_norms = (1 if reuses else 2) * attention.head_width
    vectors = {"norms": 4 * hidden, "query_key_norm": head_norms, "layer_scale": 1}
    if per_layer:
        vectors |= {"per_layer_gates": 2 * hidden * per_layer, "per_layer_norm": hidden}
    if mlp.kind == "moe":
        vectors |= {"mixture_norms": 3 * hidden, "router_scales": hidden + mlp.experts}
    return Layer(attention=attention, mlp=mlp, vectors=vectors)


def _gemma4_attention(c: Configuration, sliding: bool, *, reuses: bool) -> Attention:
    hidden, count = c.size("hidden", "hidden_size"), c.size("query_heads", "num_attention_heads")
    kv, width = c.size("kv_heads", "num_key_value_heads"), c.size("head_width", "head_dim")
    if sliding:
        attention = grouped_query(hidden, count, kv, width, window_tokens=c.whole("window_tokens", "sliding_window"))
    else:
        kv = c.size("kv_heads_of_full_layers", "num_global_key_value_heads", default=kv)
        attention = grouped_query(hidden, count, kv, c.size("head_width_of_full_layers", "global_head_dim"))
    dropped = {"key", "value"} if reuses else set()
    if not sliding and c.flag("attention_k_eq_v", default=False):
        dropped.add("value")
    kept = tuple(each for each in attention.matrices if each.name not in dropped)
    return replace(attention, matrices=kept, stores_cache=not reuses)


def _gemma4_mlp(c: Configuration, *, widened: bool) -> Mlp:
    dense = read_dense(c)
    width = dense.inner_width * (2 if widened else 1)
    if c.flag("enable_moe_block", default=False):
        return read_mixture(c, shared_width=width)
    return replace(dense, inner_width=width)
