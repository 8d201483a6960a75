"""llama.cpp files of mixtures whose experts are published in four bits: the name tells the format of the rest alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from data.llama_formats import BYTE_PER_WEIGHT
from data.readers.llama.widths import TOLERANCE, Stated, stated
from data.records import Architecture, Run, RunField

FOUR_BITS = {"mxfp4": 0.53125, "nvfp4": 0.5625, "int4": 0.5625}  # bytes a weight takes in a file; int4 goes as q4_0
RESTS = ("f16", "q8_0")  # what everything beside the experts is kept in


def expert_weights(architecture: Architecture) -> int:
    """Weights of all routed experts, all layers."""
    count = 0
    for block in architecture.blocks:
        mlp = block.mlp
        width = mlp.latent_width or architecture.hidden
        count += block.layers * mlp.experts * mlp.matrices * mlp.expert_width * width
    return count


def with_native_experts(run: Run, architectures: Mapping[str, Architecture]) -> Run:
    """The run with a weight format such as "f16 (experts mxfp4)" where that makes up the file's size.

    Changes only runs whose format was read off the size, because it contradicts the name: llama.cpp calls a file F16
    if what is beside the experts is.
    """
    field, architecture = run.fields.get("weight_format"), architectures.get(str(run.values.get("model_id")))
    if run.source_format != "llama_bench" or architecture is None or field is None or field.origin != "derived":
        return run
    said, experts = stated(json.loads(run.native)), architecture.native_expert_format
    rest = _rest(said, architecture)
    if not rest:
        return run
    made = _made_byte(said, rest, architecture)
    how = f"{said.arithmetic}; experts in {experts.upper()} as published and the rest in {rest.upper()}: {made:,.0f} B"
    found = RunField(raw=field.raw, unit="", origin="derived", path=f"model_size / model_n_params: {how}")
    values = {**run.values, "weight_format": f"{rest} (experts {experts})"}
    return replace(run, values=values, fields={**run.fields, "weight_format": found})


def _rest(said: Stated, architecture: Architecture) -> str:
    """The format beside native experts that comes nearest to the file's size; empty if none comes near."""
    if said.size_byte is None or architecture.native_expert_format not in FOUR_BITS or not expert_weights(architecture):
        return ""
    size = said.size_byte
    names = dict.fromkeys((said.named, *RESTS) if said.named in BYTE_PER_WEIGHT else RESTS)
    off = {name: abs(_made_byte(said, name, architecture) / size - 1.0) for name in names if name not in FOUR_BITS}
    best = min(off, key=off.__getitem__)
    return best if off[best] <= TOLERANCE else ""


def _made_byte(said: Stated, rest: str, architecture: Architecture) -> float:
    """Bytes of the file with experts in their native format and everything else in `rest`."""
    experts = expert_weights(architecture)
    others = (said.weight_count or 0.0) - experts
    return experts * FOUR_BITS[architecture.native_expert_format] + others * BYTE_PER_WEIGHT[rest]
