"""Decoders that mix recurrent and softmax layers: Qwen3-Next, Kimi-Linear, MiniMax-M1, Jamba and their heirs."""

from __future__ import annotations

from dataclasses import replace

from data.errors import CatalogueError
from data.readers.model_config.attention import gated_output, read_grouped_query, read_latent, with_indexer
from data.readers.model_config.configuration import Configuration, Found
from data.readers.model_config.dense import NO_ATTENTION, layer_count
from data.readers.model_config.latent import stream_mixing
from data.readers.model_config.layers import Decoder, Layer, nonzero
from data.readers.model_config.mixtures import joined_mtp, stacked
from data.readers.model_config.mlp import NO_MLP, PLAIN, dense_first, read_dense, read_mixture
from data.readers.model_config.recurrent import gated_delta_net, kimi_delta, lightning, mamba1, mamba2
from data.records import Mlp


def qwen3_next(c: Configuration) -> Decoder:
    """Qwen3-Next, 3.5 and 3.6: three Gated DeltaNet layers to one full layer with an output gate."""
    layers, mlp, extra = layer_count(c), *_qwen_mlp(c)
    every = c.size("attention_interval", "full_attention_interval", default=4)
    kinds = c.per_layer("layer_types", layers) or [
        "full_attention" if (i + 1) % every == 0 else "linear_attention" for i in range(layers)
    ]
    norms = {"norms": 2 * c.size("hidden", "hidden_size"), **extra}
    state, vectors = gated_delta_net(c)
    linear = Layer(attention=state, mlp=mlp, vectors=norms | vectors)
    attention = gated_output(read_grouped_query(c), c.size("hidden", "hidden_size"))
    full = Layer(attention=attention, mlp=mlp, vectors=norms | {"query_key_norm": 2 * attention.head_width})
    mtp = joined_mtp(c, full, default_count=1)  # Qwen3-Next ships one although its file does not say so
    return stacked(c, [full if kind == "full_attention" else linear for kind in kinds], mtp=mtp)


def _qwen_mlp(c: Configuration) -> tuple[Mlp, dict[str, int]]:
    if c.values.get("num_experts") is None:
        return read_dense(c), {}
    shared = c.whole("shared_width", "shared_expert_intermediate_size", default=0)
    mlp = read_mixture(c, shared_width=shared)
    return mlp, nonzero(shared_expert_gate=c.size("hidden", "hidden_size") if shared else 0)


def kimi_linear(c: Configuration) -> Decoder:
    """Kimi-Linear and Kimi-K3: delta layers to one latent layer; K3 adds output gates and experts on latents."""
    layers = layer_count(c)
    full = set(_listed(c.part("linear_attn_config"), "full_attn_layers"))
    mixed = dense_first(c, layers)
    stack = [_kimi_layer(c, latent=index + 1 in full, sparse=mixed[index]) for index in range(layers)]
    return stacked(c, stack)


def _listed(part: Configuration, key: str) -> list[int]:
    value = part.values.get(key)
    if not isinstance(value, list) or not all(isinstance(each, int) for each in value):
        raise CatalogueError(f"{key} is missing or no list of layers", where=part.where, found=repr(value))
    return [int(each) for each in value]


def _kimi_layer(c: Configuration, *, latent: bool, sparse: bool) -> Layer:
    hidden = c.size("hidden", "hidden_size")
    if latent:
        attention, vectors = read_latent(c)
        if c.flag("mla_use_output_gate", default=False):
            attention = gated_output(attention, hidden)
    else:
        attention, vectors = kimi_delta(c)
    mlp, extra = _kimi_mixture(c) if sparse else (read_dense(c), {})
    return Layer(attention=attention, mlp=mlp, vectors={"norms": 2 * hidden, **vectors, **extra})


def _kimi_mixture(c: Configuration) -> tuple[Mlp, dict[str, int]]:
    mlp = read_mixture(c)
    latent = c.whole("latent_width", "routed_expert_hidden_size", default=0)
    norm = latent if c.flag("latent_moe_use_norm", default=False) else 0
    return replace(mlp, latent_width=latent), nonzero(router_bias=mlp.experts, latent_norm=norm)


def glm5_next(c: Configuration) -> Decoder:
    """GLM-5.3-Flash: Kimi delta layers to one sparse latent layer, four parallel residual streams."""
    layers = layer_count(c)
    kinds, mixed = c.per_layer("layer_types", layers), dense_first(c, layers)
    if kinds is None:
        raise CatalogueError("the configuration does not say layer_types", where=c.where, expected="one per layer")
    stack = [_glm_layer(c, linear=kinds[i] == "linear_attention", sparse=mixed[i]) for i in range(layers)]
    return stacked(c, stack, mtp=joined_mtp(c, _glm_layer(c, linear=False, sparse=True)))


def _glm_layer(c: Configuration, *, linear: bool, sparse: bool) -> Layer:
    hidden, streams = c.size("hidden", "hidden_size"), c.whole("residual_streams", "hc_mult", default=1)
    if linear:
        attention, vectors = kimi_delta(c)
    else:
        attention, vectors = read_latent(c)
        attention, norm = with_indexer(attention, c)
        vectors |= norm
    mlp = read_mixture(c) if sparse else read_dense(c)
    mixing = 2 * stream_mixing(hidden, streams) if streams > 1 else 0
    extra = nonzero(stream_mixing=mixing, router_bias=mlp.experts)
    return Layer(attention=attention, mlp=mlp, vectors={"norms": 2 * hidden, **vectors, **extra})


def minimax_m1(c: Configuration) -> Decoder:
    """MiniMax-M1: seven lightning layers to one softmax layer, every MLP a mixture."""
    layers, hidden = layer_count(c), c.size("hidden", "hidden_size")
    kinds = c.per_layer("attn_type_list", layers)
    if kinds is None:
        raise CatalogueError("the configuration does not say attn_type_list", where=c.where, expected="one per layer")
    shared = c.whole("shared_width", "shared_intermediate_size", default=0)
    mlp = read_mixture(c, width_keys=("intermediate_size",), shared_width=shared)
    state, vectors = lightning(c)
    linear = Layer(attention=state, mlp=mlp, vectors={"norms": 2 * hidden, **vectors})
    full = Layer(attention=read_grouped_query(c), mlp=mlp, vectors={"norms": 2 * hidden})
    return stacked(c, [full if kind else linear for kind in kinds])


def jamba(c: Configuration) -> Decoder:
    """Jamba: seven Mamba-1 layers to one of attention, a mixture in every second layer."""
    hidden = c.size("hidden", "hidden_size")
    attention_every = c.size("attention_interval", "attn_layer_period")
    attention_from = c.whole("attention_offset", "attn_layer_offset")
    mixture_every = c.size("mixture_interval", "expert_layer_period")
    mixture_from = c.whole("mixture_offset", "expert_layer_offset")
    mixture = read_mixture(c, width_keys=("intermediate_size",), shared_width=0)
    dense, (state, vectors) = read_dense(c), mamba1(c)
    attention = read_grouped_query(c)
    layers = []
    for index in range(layer_count(c)):
        full = index % attention_every == attention_from
        layers.append(
            Layer(
                attention=attention if full else state,
                mlp=mixture if index % mixture_every == mixture_from else dense,
                vectors={"norms": 2 * hidden} | ({} if full else vectors),
            )
        )
    return stacked(c, layers)


PATTERN_LETTERS = {"M": "mamba", "*": "attention", "E": "moe", "-": "mlp"}


def nemotron_h(c: Configuration) -> Decoder:
    """Nemotron-H and Nemotron 3: every layer is one block alone, Mamba-2, attention, a plain MLP or a mixture."""
    kinds = _nemotron_kinds(c)
    c.found.setdefault("layers", c.found["layer_pattern"])
    return stacked(c, [_nemotron_layer(c, kind) for kind in kinds])


def _nemotron_kinds(c: Configuration) -> list[str]:
    pattern, listed = c.word("hybrid_override_pattern"), c.values.get("layers_block_type")
    if pattern:
        kinds, key = [PATTERN_LETTERS.get(letter, letter) for letter in pattern], "hybrid_override_pattern"
    elif isinstance(listed, list):
        kinds, key = [str(each) for each in listed], "layers_block_type"
    else:
        raise CatalogueError("the configuration does not say hybrid_override_pattern", where=c.where)
    c.found["layer_pattern"] = Found(key, len(kinds))
    return kinds


def _nemotron_layer(c: Configuration, kind: str) -> Layer:
    hidden = c.size("hidden", "hidden_size")
    norms = {"norms": hidden}
    if kind == "mamba":
        state, vectors = mamba2(c)
        return Layer(attention=state, mlp=NO_MLP, vectors=norms | vectors)
    if kind == "attention":
        return Layer(attention=read_grouped_query(c), mlp=NO_MLP, vectors=norms)
    if kind == "mlp":
        return Layer(attention=NO_ATTENTION, mlp=read_dense(c, matrices=PLAIN), vectors=norms)
    if kind != "moe":
        raise CatalogueError("unknown kind of layer", where=c.where, found=kind, expected="mamba, attention, moe, mlp")
    shared = c.whole("shared_width", "moe_shared_expert_intermediate_size", default=0)
    mlp = read_mixture(c, shared_width=shared, matrices=PLAIN)
    mlp = replace(mlp, latent_width=c.whole("latent_width", "moe_latent_size", default=0))
    return Layer(attention=NO_ATTENTION, mlp=mlp, vectors=norms | {"router_bias": mlp.experts})
