"""Published config.json files become exact matrices; what cannot be read is refused by name."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from analysis.shapes import cache_byte_per_token, components
from data.catalogue.architecture_files import architecture_paths, read_architecture
from data.errors import CatalogueError, UnknownNameError, WaferlineError
from data.readers.model_config import known_model_types, read_configuration, read_decoder
from data.readers.model_config.layers import blocks_of
from data.readers.model_config.number_formats import read_formats
from data.sources import Source
from tests.shared_files import shared_path

SOURCE = Source(title="config.json", kind="upload", where="config.json")
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
DEEPSEEK = {
    **LLAMA,
    "model_type": "deepseek_v3",
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 16,
    "num_experts_per_tok": 2,
    "n_shared_experts": 1,
    "moe_intermediate_size": 512,
    "first_k_dense_replace": 1,
}


def test_an_uploaded_llama_counts_like_the_published_one() -> None:
    """Meta-Llama-3-8B: 8,030,261,248 parameters (safetensors total), 131,072 B of cache a token."""
    a = read_configuration(LLAMA, source=SOURCE, name="My Llama")
    assert components(a).total == 8_030_261_248
    assert cache_byte_per_token(a) == 131_072
    assert (a.key, a.name, a.configuration_kind) == ("my-llama", "My Llama", "uploaded")
    assert a.facts["kv_heads"].at == "num_key_value_heads"
    assert a.facts["head_width"].kind == "derived"


def test_biases_are_counted_where_the_file_says_so() -> None:
    """Query, key, value and output biases: 4096 + 2 x 1024 + 4096 = 10,240 a layer."""
    plain = read_configuration(LLAMA, source=SOURCE)
    biased = read_configuration({**LLAMA, "attention_bias": True}, source=SOURCE)
    assert components(biased).total - components(plain).total == 32 * 10_240


def test_nested_language_parts_win() -> None:
    nested = {"model_type": "mistral3", "torch_dtype": "bfloat16", "text_config": {**LLAMA, "model_type": "mistral"}}
    assert components(read_configuration(nested, source=SOURCE)).total == 8_030_261_248


def test_a_window_beyond_the_context_is_none() -> None:
    windows = {limit: read_decoder({**LLAMA, "sliding_window": limit}).decoder.layers[0] for limit in (512, 262144)}
    assert [windows[limit].attention.window_tokens for limit in (512, 262144)] == [512, 0]


def test_leading_layers_are_dense_and_correction_bias_follows_the_method() -> None:
    layers = read_decoder(DEEPSEEK).decoder.layers
    assert [layer.mlp.kind for layer in layers[:3]] == ["dense", "moe", "moe"]
    assert layers[1].vectors["router_bias"] == 16
    greedy = read_decoder({**DEEPSEEK, "topk_method": "greedy"}).decoder.layers
    assert "router_bias" not in greedy[1].vectors


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"])
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(CatalogueError, match=key):
        read_decoder({name: value for name, value in LLAMA.items() if name != key})


@pytest.mark.parametrize("key", ["kv_lora_rank", "n_routed_experts", "moe_intermediate_size", "v_head_dim"])
def test_a_missing_key_of_a_mixture_is_named(key: str) -> None:
    with pytest.raises(CatalogueError, match=key):
        read_decoder({name: value for name, value in DEEPSEEK.items() if name != key})


@pytest.mark.parametrize("value", ["4096", 4096.5, True, -1, [4096]])
def test_a_width_that_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(CatalogueError, match="hidden_size"):
        read_decoder({**LLAMA, "hidden_size": value})


JUNK: list[object] = [None, 0, -1, 1, "x", 1.5, True, [], {}, [0], [None] * 64, float("inf"), float("nan"), 10**30]


@pytest.mark.parametrize("published", [LLAMA, DEEPSEEK], ids=["llama", "deepseek"])
@pytest.mark.parametrize("value", JUNK, ids=repr)
def test_junk_under_any_key_is_read_or_refused_never_a_crash(published: dict[str, object], value: object) -> None:
    for key in published:
        with suppress(WaferlineError):
            assert components(read_configuration({**published, key: value}, source=SOURCE)).total > 0


def test_an_unknown_family_is_refused_with_near_matches() -> None:
    with pytest.raises(UnknownNameError) as refusal:
        read_decoder({**LLAMA, "model_type": "qwen3_moee"})
    assert "qwen3_moe" in refusal.value.near
    with pytest.raises(CatalogueError, match="model_type"):
        read_decoder({"hidden_size": 1})


def test_lists_shorter_than_the_decoder_are_refused() -> None:
    listed = {**DEEPSEEK, "mlp_layer_types": ["dense"]}
    with pytest.raises(CatalogueError, match="mlp_layer_types"):
        read_decoder(listed)


def formats_of(**keys: Any) -> tuple[str, str, str, bool]:
    """Formats read from a configuration with these keys added."""
    found = read_formats(read_decoder({**LLAMA, **keys}).configuration)
    return found.weight, found.attention, found.expert, found.fp8_block_scaled


def test_number_formats() -> None:
    group = {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}
    int4 = {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}
    kept = [r"re:.*self_attn.*", r"re:.*shared_experts.*"]
    assert formats_of() == ("bf16", "bf16", "bf16", False)
    assert formats_of(quantization_config={"quant_method": "fp8"}) == ("fp8", "fp8", "fp8", False)
    blocks = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    assert formats_of(quantization_config=blocks) == ("fp8", "fp8", "fp8", True)
    assert formats_of(quantization_config={"quant_method": "mxfp4"}) == ("bf16", "bf16", "mxfp4", False)
    assert formats_of(quantization_config=int4) == ("int4", "int4", "int4", False)
    assert formats_of(quantization_config={**int4, "ignore": kept}) == ("bf16", "bf16", "int4", False)
    assert formats_of(quantization_config={"quant_method": "awq"}) == ("int4", "int4", "int4", False)


def test_unknown_number_formats_are_refused() -> None:
    with pytest.raises(CatalogueError, match="unknown quantisation"):
        formats_of(quantization_config={"quant_method": "hqq"})
    with pytest.raises(CatalogueError, match="number format"):
        formats_of(torch_dtype=None)


def test_families_name_each_model_type_once() -> None:
    assert len(known_model_types()) == len(set(known_model_types())) > 40


@pytest.mark.parametrize("path", architecture_paths(), ids=lambda path: path.stem)
def test_the_published_configuration_gives_the_shipped_blocks(path: Any) -> None:
    """The catalogue's blocks are what the reader makes of the stored copy of the configuration."""
    stored = json.loads(shared_path("reference", "configs", f"{path.stem}.json").read_text())
    read, shipped = read_decoder(stored, where=path.stem), read_architecture(path)
    assert blocks_of(read.decoder.layers) == shipped.blocks
    assert sum(read.decoder.outer.values()) == shipped.outer_parameters
    assert (read.decoder.mtp, read.decoder.lookup) == (shipped.mtp_parameters, shipped.lookup_parameters)
    assert read.decoder.tied == shipped.tied_embeddings
