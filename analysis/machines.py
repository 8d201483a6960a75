"""What kind of machine a chip makes, and which peak a study may count on."""

from __future__ import annotations

from analysis.engine.formats import NumberFormat, computes_four_bits
from data.records import Chip

NARROWER_FIRST = {
    "fp4": ("peak_fp4_flop_per_s", "peak_fp8_flop_per_s", "peak_bf16_flop_per_s", "peak_fp16_flop_per_s"),
    "fp8": ("peak_fp8_flop_per_s", "peak_bf16_flop_per_s", "peak_fp16_flop_per_s"),
    "bf16": ("peak_bf16_flop_per_s", "peak_fp16_flop_per_s"),
}


def places_layers(chip: Chip) -> bool:
    """True for wafers, which hold whole layers in place."""
    return chip.execution == "mesh"


def divides_freely(chip: Chip) -> bool:
    """True for SRAM chips whose compiler spreads a layer over as many of them as it takes."""
    return chip.execution == "deterministic"


def arithmetic_class(chip: Chip, weights: NumberFormat) -> str:
    """The rate at which a chip multiplies weights of a format: "bf16", "fp8" or "fp4"; others widen to 16 bits."""
    if weights.name == "nvfp4" or (weights.name == "mxfp4" and computes_four_bits(chip)):
        return "fp4"
    return "fp8" if weights.name == "fp8" else "bf16"


def dense_peak(chip: Chip, wanted: str) -> tuple[float | None, str]:
    """Dense peak for an arithmetic class, and the class whose figure it is; the next wider one where that is missing.

    (None, "") if the catalogue gives no matrix peak at all.
    """
    for name in NARROWER_FIRST[wanted]:
        value = getattr(chip, name)
        if value is not None:
            return float(value), name.removeprefix("peak_").removesuffix("_flop_per_s")
    return None, ""
