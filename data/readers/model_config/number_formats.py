"""The number formats in which a checkpoint is published, read from its quantization_config."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from data.errors import CatalogueError
from data.readers.model_config.configuration import Configuration

DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
FOUR_BIT_METHODS = {"awq", "gptq"}
KNOWN = "fp8, mxfp4, compressed-tensors, modelopt, awq or gptq"


@dataclass(frozen=True, kw_only=True)
class NumberFormats:
    """Formats of dense weights, of token mixing and of routed experts; `at` is the configuration key that says so."""

    weight: str
    attention: str
    expert: str
    fp8_block_scaled: bool
    at: str


def read_formats(c: Configuration) -> NumberFormats:
    """The published formats; 16-bit dtype where nothing is quantised.

    Raises CatalogueError for a quantisation method this reader does not know, and where the file names no dtype.
    """
    quantised = c.values.get("quantization_config")
    if isinstance(quantised, Mapping):
        return _quantised(c, Configuration(quantised, f"{c.where}, quantization_config"))
    key = "torch_dtype" if c.values.get("torch_dtype") else "dtype"
    dtype = DTYPES.get(c.word(key))
    if dtype is None:
        raise CatalogueError(
            "the configuration does not say its number format",
            where=c.where,
            found=c.word(key) or "no torch_dtype",
            expected=", ".join(DTYPES),
            remedy="Add torch_dtype to the file, or say the format yourself.",
        )
    return NumberFormats(weight=dtype, attention=dtype, expert=dtype, fp8_block_scaled=False, at=key)


def _quantised(c: Configuration, quantised: Configuration) -> NumberFormats:
    method = quantised.word("quant_method")
    stored = {
        "fp8": "fp8",
        "mxfp4": "mxfp4",
        "compressed-tensors": _group_format(quantised),
        "modelopt": {"NVFP4": "nvfp4", "FP8": "fp8"}.get(quantised.word("quant_algo"), ""),
    }.get(method, "int4" if method in FOUR_BIT_METHODS else "")
    if not stored:
        raise CatalogueError(
            "unknown quantisation",
            where=quantised.where,
            found=f"{method} {quantised.word('quant_algo')}".strip() or "no quant_method",
            expected=KNOWN,
            remedy="Say the format of weights, attention and experts yourself.",
        )
    kept = _kept_modules(quantised)
    dense = "bf16" if method == "mxfp4" or kept("shared_expert") else stored
    expert = {"fp4": "mxfp4"}.get(c.word("expert_dtype"), stored)
    attention = "bf16" if kept("self_attn") else dense
    scaled = stored == "fp8" and "weight_block_size" in quantised.values
    return NumberFormats(
        weight=dense, attention=attention, expert=expert, fp8_block_scaled=scaled, at="quantization_config"
    )


def _group_format(quantised: Configuration) -> str:
    groups = quantised.values.get("config_groups")
    if not isinstance(groups, Mapping) or len(groups) != 1:
        return ""
    weights = Configuration(next(iter(groups.values())), quantised.where).part("weights")
    if "mxfp4" in quantised.word("format"):
        return "mxfp4"
    named = {("int", 4): "int4", ("int", 8): "int8", ("float", 8): "fp8", ("float", 4): "nvfp4"}
    return named.get((weights.word("type"), weights.whole("bits", "num_bits")), "")


@dataclass(frozen=True)
class _KeptModules:
    patterns: tuple[str, ...]

    def __call__(self, module: str) -> bool:
        return any(module in re.sub(r"[\\^$.*]", "", pattern.replace("\\.", ".")) for pattern in self.patterns)


def _kept_modules(quantised: Configuration) -> _KeptModules:
    for key in ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules"):
        listed = quantised.values.get(key)
        if isinstance(listed, list):
            return _KeptModules(tuple(str(each) for each in listed))
    return _KeptModules(())
