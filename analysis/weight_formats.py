"""How wide a weight is in each number format, and which parts of a quantised checkpoint keep 16 bits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from data.errors import UnknownNameError
from data.llama_formats import BYTE_PER_WEIGHT as LLAMA_BYTE_PER_WEIGHT

COMPONENTS = ("attention", "dense_mlp", "experts", "router", "embedding", "head", "vectors")

# Bytes one weight takes with its scales: NVFP4 has one FP8 scale per 16 weights, MXFP4 one 8-bit exponent per 32 (OCP
# Microscaling Formats 1.0), block FP8 one FP32 scale per 128 x 128 (left out: 0.02 %), int4 one FP16 scale per 128 with
# its zero point; the q* and iq* formats are llama.cpp's, means over a file.
LLAMA_FORMATS = {name: byte for name, byte in LLAMA_BYTE_PER_WEIGHT.items() if re.match(r"i?q\d|tq\d", name)}
BYTE_PER_WEIGHT: Mapping[str, float] = MappingProxyType(
    {
        "fp32": 4.0,
        "bf16": 2.0,
        "fp16": 2.0,
        "fp8": 1.0,
        "int8": 1.0,
        **LLAMA_FORMATS,
        "int4": 0.53,
        "nvfp4": 0.5625,
        "mxfp4": 0.53125,
    }
)

WHOLE_MODEL_FORMATS = frozenset({"fp32", "bf16", "fp16", *LLAMA_FORMATS})


def byte_per_weight(number_format: str) -> float:
    """Bytes that one weight takes in memory, scales included. [B]

    Raises UnknownNameError with near matches for a format that has no entry.
    """
    width = BYTE_PER_WEIGHT.get(number_format.strip().lower())
    if width is None:
        raise UnknownNameError("weight format", number_format, BYTE_PER_WEIGHT)
    return width


def as_printed(number_format: str) -> str:
    """A format as people print it: "bf16 (experts mxfp4)" -> "BF16 (experts MXFP4)"."""
    return number_format.upper().replace("(EXPERTS ", "(experts ")


def component_formats(weight: str, attention: str = "", expert: str = "") -> dict[str, str]:
    """The format of every component of a checkpoint published in format `weight`.

    attention, expert   format of token mixing and of routed experts where it differs; empty means as `weight`

    Quantised checkpoints (fp8, nvfp4, mxfp4, int4, int8) keep embedding, output head, router, norms and biases in 16
    bits; llama.cpp's q* files quantise the tables as well. NVFP4 mixtures keep attention in 16 bits: pass it.

    Source
    ------
    quantization_config of the published FP8, NVFP4 and MXFP4 checkpoints (lists of modules not converted).
    """
    kept = weight if weight in WHOLE_MODEL_FORMATS else "bf16"
    formats = dict.fromkeys(COMPONENTS, kept)
    formats |= {"attention": attention or weight, "dense_mlp": weight, "experts": expert or weight}
    for each in formats.values():
        byte_per_weight(each)
    return formats
