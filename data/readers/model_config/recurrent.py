"""Token mixing with a state of fixed size: gated delta rules, lightning attention, Mamba."""

from __future__ import annotations

from data.readers.model_config.configuration import Configuration
from data.readers.model_config.layers import heads, nonzero, whole
from data.records import Attention, Matrix


def gated_delta_net(c: Configuration) -> tuple[Attention, dict[str, int]]:
    """Gated DeltaNet as in Qwen3-Next: a state of value heads x key width x value width, and its vector sizes."""
    hidden = c.size("hidden", "hidden_size")
    key_heads, key_width = c.size("key_heads", "linear_num_key_heads"), c.size("key_width", "linear_key_head_dim")
    count = c.size("value_heads", "linear_num_value_heads")
    width = c.size("linear_value_width", "linear_value_head_dim")
    keys, values = key_heads * key_width, count * width
    attention = Attention(
        kind="linear",
        query_heads=count,
        kv_heads=key_heads,
        head_width=key_width,
        value_width=width,
        state_elements=count * key_width * width,
        matrices=(
            heads("query_key", hidden, 2 * keys),
            heads("value", hidden, values),
            heads("gate", hidden, values),
            heads("decay_and_step", hidden, 2 * count),
            heads("output", values, hidden),
        ),
    )
    kernel = c.whole("convolution_width", "linear_conv_kernel_dim")
    return attention, {"convolution": (2 * keys + values) * kernel, "decay": 2 * count, "output_norm": width}


def kimi_delta(c: Configuration) -> tuple[Attention, dict[str, int]]:
    """Kimi Delta Attention (arXiv 2510.26692): decay per channel, output gate of full or of low rank."""
    hidden, part = c.size("hidden", "hidden_size"), c.part("linear_attn_config")
    count, width = part.size("linear_heads", "num_heads"), part.size("linear_width", "head_dim")
    wide = count * width
    gate: tuple[Matrix, ...] = (whole("gate_down", hidden, width), heads("gate_up", width, wide))
    if part.flag("use_full_rank_gate", default=False):
        gate = (heads("gate", hidden, wide),)
    attention = Attention(
        kind="linear",
        query_heads=count,
        kv_heads=count,
        head_width=width,
        value_width=width,
        state_elements=count * width * width,
        matrices=(
            *(heads(name, hidden, wide) for name in ("query", "key", "value")),
            whole("decay_down", hidden, width),
            heads("decay_up", width, wide),
            heads("step", hidden, count),
            *gate,
            heads("output", wide, hidden),
        ),
    )
    kernel = part.whole("convolution_width", "short_conv_kernel_size")
    c.found |= part.found
    return attention, {"convolution": 3 * wide * kernel, "decay": wide + count, "output_norm": width}


def lightning(c: Configuration) -> tuple[Attention, dict[str, int]]:
    """Lightning attention as in MiniMax-M1: query, key, value and gate of full width, one norm over all heads."""
    hidden, count = c.size("hidden", "hidden_size"), c.size("query_heads", "num_attention_heads")
    width = c.size("head_width", "head_dim", default=hidden // count)
    wide = count * width
    attention = Attention(
        kind="linear",
        query_heads=count,
        kv_heads=count,
        head_width=width,
        value_width=width,
        state_elements=count * width * width,
        matrices=(
            *(heads(name, hidden, wide) for name in ("query", "key", "value", "gate")),
            heads("output", wide, hidden),
        ),
    )
    return attention, {"output_norm": wide}


def mamba2(c: Configuration) -> tuple[Attention, dict[str, int]]:
    """Mamba-2 (arXiv 2405.21060): heads x head width x state width; groups share input and output maps."""
    hidden = c.size("hidden", "hidden_size")
    count, width = c.size("mamba_heads", "mamba_num_heads"), c.size("mamba_head_width", "mamba_head_dim")
    groups, state = c.size("mamba_groups", "n_groups"), c.size("state_width", "ssm_state_size")
    inner = count * width
    attention = Attention(
        kind="linear",
        query_heads=count,
        kv_heads=groups,
        head_width=state,
        value_width=width,
        state_elements=inner * state,
        matrices=(
            heads("value_and_gate", hidden, 2 * inner),
            heads("input_and_output_maps", hidden, 2 * groups * state),
            heads("step", hidden, count),
            heads("output", inner, hidden),
        ),
    )
    taps = c.whole("convolution_width", "conv_kernel") + c.flag("use_conv_bias", default=True)
    return attention, {"convolution": (inner + 2 * groups * state) * taps, "decay": 3 * count, "output_norm": inner}


def mamba1(c: Configuration) -> tuple[Attention, dict[str, int]]:
    """Mamba-1 as in Jamba: a state per channel, a low-rank step size, norms on step and both maps."""
    hidden = c.size("hidden", "hidden_size")
    inner = c.size("mamba_expansion", "mamba_expand") * hidden
    state, rank = c.size("state_width", "mamba_d_state"), c.size("step_rank", "mamba_dt_rank")
    attention = Attention(
        kind="linear",
        query_heads=1,
        kv_heads=1,
        head_width=state,
        value_width=inner,
        state_elements=inner * state,
        matrices=(
            heads("value_and_gate", hidden, 2 * inner),
            heads("step_and_maps", inner, rank + 2 * state),
            heads("step_up", rank, inner),
            heads("output", inner, hidden),
        ),
    )
    taps = c.whole("convolution_width", "mamba_d_conv") + c.flag("mamba_conv_bias", default=True)
    vectors = nonzero(convolution=inner * taps, decay=inner * state + 2 * inner, inner_norms=rank + 2 * state)
    return attention, vectors
