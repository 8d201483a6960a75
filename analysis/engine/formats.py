"""Number formats as people write them, and what a device makes of them: bytes, and the rate it computes at."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from analysis.models.precision import pruned_width
from analysis.weight_formats import BYTE_PER_WEIGHT, WHOLE_MODEL_FORMATS, byte_per_weight
from data.errors import UnknownNameError, WaferlineError, near_matches
from data.records import Architecture, Chip

_SPELLINGS = {
    "16-bit": "bf16", "bfloat16": "bf16", "float16": "fp16", "f16": "fp16", "half": "fp16", "float32": "fp32",
    "f32": "fp32", "32-bit": "fp32", "8-bit": "int8", "4-bit": "int4", "w4a16": "int4", "awq": "int4", "gptq": "int4",
    "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "e4m3": "fp8", "auto": "bf16", "q4_k - medium": "q4_k_m",
}  # fmt: skip
_FP4 = "fp4"
_SPLIT = re.compile(r"^(\S+) \(experts (\S+)\)$")
_BITS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:bpw|-bit)")
_INSIDE = re.compile(r"(?<![a-z0-9])(nvfp4|mxfp4|int8|int4|fp8|bf16|fp16)(?![a-z0-9])")
FOUR_BIT_FLOATS = frozenset({"nvfp4", "mxfp4"})
SIXTEEN_BITS = frozenset({"bf16", "fp16", "fp32"})


@dataclass(frozen=True, kw_only=True)
class NumberFormat:
    """One format: its name, bytes a value takes with its scales, and whether it covers tables and head as well."""

    name: str
    byte: float
    whole_model: bool = False


@dataclass(frozen=True, kw_only=True)
class Formats:
    """The formats of a case by part, and what had to be assumed to name them."""

    attention: NumberFormat
    dense: NumberFormat
    expert: NumberFormat
    table: NumberFormat
    head: NumberFormat
    cache: NumberFormat
    block_scaled: bool
    assumed: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def read_format(text: str, four_bit_arithmetic: bool) -> NumberFormat:
    """The format a text names. "fp4" is nvfp4 on chips that compute with four bits, else mxfp4.

    Raises UnknownNameError with near matches, or WaferlineError with all names where nothing is near.
    """
    plain = text.strip().lower()
    plain = _SPELLINGS.get(plain, plain)
    if plain == _FP4:
        plain = "nvfp4" if four_bit_arithmetic else "mxfp4"
    if plain not in BYTE_PER_WEIGHT and (inside := _INSIDE.search(plain)):
        plain = inside[1]
    if plain not in BYTE_PER_WEIGHT and (bits := _BITS.search(plain)):
        return NumberFormat(name=f"{bits[1]} bits a weight", byte=float(bits[1]) / 8, whole_model=True)
    if plain not in BYTE_PER_WEIGHT:
        raise _unknown(text)
    return NumberFormat(name=plain, byte=byte_per_weight(plain), whole_model=plain in WHOLE_MODEL_FORMATS)


def _unknown(text: str) -> WaferlineError:
    """An error that names the formats that look like this one, or all of them."""
    known = (*BYTE_PER_WEIGHT, *_SPELLINGS)
    if near_matches(text, known):
        return UnknownNameError("number format", text, known)
    return WaferlineError(f"no number format is called {text!r}", expected=", ".join(BYTE_PER_WEIGHT))


def computes_four_bits(chip: Chip) -> bool:
    """True if the chip multiplies four-bit floats; elsewhere such weights are widened first."""
    return chip.peak_fp4_flop_per_s is not None


def formats_of(
    architecture: Architecture,
    chip: Chip,
    weight: str,
    attention: str,
    expert: str,
    cache: str,
    scaling: str,
    *,
    gguf: bool = False,
    head: str = "",
    kept: float = 1.0,
    index_byte: float = 0.0,
) -> Formats:
    """Formats of every part of a case, blanks filled as checkpoints are published.

    gguf               a llama.cpp file: beside 4-bit float experts it keeps 8-bit integers (q8_0), not 16 bits
    head               format of embedding and head where it differs from the other tables
    kept, index_byte   share of the layers' weights that pruning leaves, each stored with its place

    Raises UnknownNameError for a format nobody knows.
    """
    four = computes_four_bits(chip)
    if split := _SPLIT.match(weight.strip().lower()):
        weight, expert = split[1], expert or split[2]
    native = read_format(architecture.native_weight_format or "bf16", four)
    dense = read_format(weight, four) if weight.strip() else native
    beside = "q8_0" if gguf and dense.name in FOUR_BIT_FLOATS else "bf16"
    table = dense if dense.whole_model else read_format(beside, four)
    attention = attention or (beside if beside != "bf16" else "")
    published, left = dense == native, (kept, index_byte)
    experts = _expert(architecture, dense, expert, four, as_published=published)
    return Formats(
        attention=_pruned(_attention(architecture, dense, attention, four, as_published=published), *left),
        dense=_pruned(dense, *left),
        expert=_pruned(experts, *left),
        table=table,
        head=read_format(head, four) if head.strip() else table,
        cache=read_format(cache or "bf16", four),
        block_scaled=_block_scaled(architecture, dense, scaling),
        assumed=_assumed(dense.name, "" if expert.strip() else _apart(architecture, dense, experts), weight, cache),
    )


def _apart(architecture: Architecture, dense: NumberFormat, experts: NumberFormat) -> str:
    """The format of the routed experts where it is another than that of the other weights; else empty."""
    return experts.name if architecture.is_mixture and experts.name != dense.name else ""


def _assumed(dense: str, apart: str, weight: str, cache: str) -> tuple[str, ...]:
    """What nobody stated: "weights bf16 with mxfp4 experts, as published"; experts that stay so in a stated format.

    apart   format of the routed experts where they are taken as published, another than `dense`; else empty
    """
    said = []
    if not weight.strip():
        said.append(
            f"weights {dense} with {apart} experts, as published"
            if apart
            else f"weights {dense}, the model's native format"
        )
    elif apart:
        said.append(f"experts stay in {apart}, as published")
    if not cache.strip():
        said.append("cache in 16 bits")
    return tuple(said)


def _pruned(number_format: NumberFormat, kept: float, index_byte: float) -> NumberFormat:
    """A format whose weights are partly left out, those that stay with their place, per weight there was."""
    if kept >= 1.0:
        return number_format
    return replace(number_format, byte=float(pruned_width(number_format.byte, kept, index_byte)))


def _attention(a: Architecture, dense: NumberFormat, text: str, four: bool, *, as_published: bool) -> NumberFormat:
    """Token mixing: stated, else as published, else 16 bits in four-bit checkpoints of mixtures."""
    if text.strip():
        return read_format(text, four)
    if as_published and a.native_attention_format:
        return read_format(a.native_attention_format, four)
    published_so = a.native_expert_format == dense.name
    if a.is_mixture and (dense.name in FOUR_BIT_FLOATS or (dense.name == "int4" and published_so)):
        return read_format("bf16", four)
    return dense


def _expert(a: Architecture, dense: NumberFormat, text: str, four: bool, *, as_published: bool) -> NumberFormat:
    if text.strip():
        return read_format(text, four)
    if as_published and a.native_expert_format:
        return read_format(a.native_expert_format, four)
    return dense


def _block_scaled(architecture: Architecture, dense: NumberFormat, scaling: str) -> bool:
    if scaling.strip():
        return scaling.strip().lower() == "block"
    return dense.name == "fp8" and architecture.fp8_block_scaled
