"""What a chip contributes to a case: rates for the formats used, links, memory left, and the form that serves it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from analysis.engine.engine_names import LLAMA_CPP, SGLANG, TENSORRT_LLM
from analysis.engine.formats import FOUR_BIT_FLOATS, Formats, NumberFormat, computes_four_bits
from analysis.engine.inputs import FIXED, KERNELS, MESH, NONE, STREAMED
from analysis.models.memory_fit import (
    GPU_OVERHEAD_BYTE,
    GPU_USABLE_FRACTION,
    PREFILL_CHUNK_TOKENS,
    SRAM_USABLE_FRACTION,
)
from analysis.parameters import Parameters, Serving
from data.records import Chip

_FORM_OF_EXECUTION = {"kernels": KERNELS, "mesh": MESH, "deterministic": FIXED, "dataflow": STREAMED}
_STREAMING_KINDS = frozenset({"cpu"})
# Medians over H100, H200, B200 and B300 of the shares in achievable.csv, and B200's of 4-bit products.
TYPICAL_SHARE = {"bf16": 0.765, "fp8": 0.638, "fp8-block": 0.6475, "nvfp4": 0.502}
FEW_SEQUENCES = 4.0  # below it a step is bound by latency: its errors are those of low batches
PCIE_NODE_DEVICES = 1  # a scale-up domain of one device: the link is the host's


def form_of(chip: Chip, family: str) -> float:
    """Which form serves this chip under this engine: llama.cpp, Apple and CPUs stream, whatever their kernels."""
    form = _FORM_OF_EXECUTION[chip.execution]
    streams = family == LLAMA_CPP or chip.kind in _STREAMING_KINDS or chip.generation.startswith("apple")
    if form == KERNELS and streams:
        return STREAMED
    if form == FIXED and _fixed_layer_name(chip) is None:
        return NONE
    return form


def _fixed_layer_name(chip: Chip) -> str | None:
    return {"groq": "groq_layer_s", "corsair": "dmatrix_layer_s"}.get(chip.generation)


def rates(chip: Chip, formats: Formats, parameters: Parameters, *, offline: bool) -> tuple[dict[str, float], list[str]]:
    """Peaks and reached shares by part of the model, and the fall-backs in words."""
    serving = parameters.serving
    sixteen = chip.peak_bf16_flop_per_s or chip.peak_fp16_flop_per_s
    parts = {"attention": formats.attention, "dense": formats.dense, "expert": formats.expert}
    wide = serving.offline_peak_fraction_16_bit if offline else serving.peak_fraction_16_bit
    numbers = {"peak_16": sixteen or math.inf, "reach_16": wide}
    numbers |= {"kernel_16": kernel_share(chip, "bf16", parameters.achieved)}
    said: list[str] = [] if sixteen else ["no 16-bit peak is known: bandwidth and latency only where 16 bits are used"]
    for part, number_format in parts.items():
        peak, reach, note = _rate(chip, number_format, serving, block=formats.block_scaled, offline=offline)
        numbers |= {f"peak_{part}": peak, f"reach_{part}": reach}
        counted = computed_format(chip, number_format, block=formats.block_scaled)
        numbers |= {f"kernel_{part}": kernel_share(chip, counted, parameters.achieved)}
        said += [note] if note and note not in said else []
    return numbers, said


def _rate(
    chip: Chip, number_format: NumberFormat, serving: Serving, *, block: bool, offline: bool
) -> tuple[float, float, str]:
    """Peak, reached share and fall-back note of one format on one chip."""
    sixteen = chip.peak_bf16_flop_per_s or chip.peak_fp16_flop_per_s or math.inf
    eight, four, wide = serving.peak_fraction_fp8, serving.peak_fraction_fp4, serving.peak_fraction_16_bit
    if offline:
        eight = serving.offline_peak_fraction_block_fp8 if block else serving.offline_peak_fraction_fp8
        four, wide = serving.offline_peak_fraction_fp4, serving.offline_peak_fraction_16_bit
    name = number_format.name
    if name in FOUR_BIT_FLOATS and computes_four_bits(chip):
        return chip.peak_fp4_flop_per_s or math.inf, four, ""
    if name == "fp8" and chip.peak_fp8_flop_per_s:
        return chip.peak_fp8_flop_per_s, eight, ""
    if name == "fp8":
        return sixteen, wide, "no FP8 arithmetic: computed at the 16-bit rate"
    if name == "nvfp4":
        return sixteen, wide, "no FP4 arithmetic: weights widened to 16 bits"
    return sixteen, wide, ""


def computed_format(chip: Chip, number_format: NumberFormat, *, block: bool) -> str:
    """The format in which a chip multiplies weights of this format."""
    if number_format.name in FOUR_BIT_FLOATS and computes_four_bits(chip):
        return "nvfp4"
    if number_format.name == "fp8" and chip.peak_fp8_flop_per_s:
        return "fp8-block" if block else "fp8"
    return "bf16"


def kernel_share(chip: Chip, computed: str, achieved: Mapping[tuple[str, str], float]) -> float:
    """How well matrix products use the peak of this chip against a typical one; as in 16 bits where not measured."""
    for name in (computed, "bf16"):
        if (chip.key, name) in achieved:
            return achieved[chip.key, name] / TYPICAL_SHARE[name]
    return 1.0


def operator_counts(chip: Chip, formats: Formats, serving: Serving, *, offline: bool) -> dict[str, float]:
    """Extra operators of quantised products, and what a routed-expert block counts and reaches."""
    expert = formats.expert.name
    reach = serving.offline_expert_bandwidth_fraction if offline else serving.expert_bandwidth_fraction
    widened = expert in ("int4", *FOUR_BIT_FLOATS) and not (expert in FOUR_BIT_FLOATS and computes_four_bits(chip))
    return {
        "quantise_attention": _quantise(chip, formats.attention, serving, block=formats.block_scaled),
        "quantise_dense": _quantise(chip, formats.dense, serving, block=formats.block_scaled),
        "quantise_expert": 2 * _quantise(chip, formats.expert, serving, block=formats.block_scaled, fused_fp4=True),
        "wide_attention": _weights_reach(chip, formats.attention, serving),
        "wide_dense": _weights_reach(chip, formats.dense, serving),
        "expert_operators": serving.weight_only_expert_operators if widened else serving.expert_operators,
        "expert_reach": serving.weight_only_expert_bandwidth_fraction if widened and not offline else reach,
    }


def _weights_reach(chip: Chip, number_format: NumberFormat, serving: Serving) -> float:
    """Share of bandwidth reached on weights that are multiplied as they are, or widened first."""
    name = number_format.name
    if name == "int8":
        return serving.weight_only_8_bit_bandwidth_fraction
    widened = name == "int4" or (name in FOUR_BIT_FLOATS and not computes_four_bits(chip))
    return serving.weight_only_expert_bandwidth_fraction if widened else serving.bandwidth_fraction


def _quantise(
    chip: Chip, number_format: NumberFormat, serving: Serving, *, block: bool, fused_fp4: bool = False
) -> float:
    if number_format.name == "nvfp4" and computes_four_bits(chip) and not fused_fp4:
        return serving.nvfp4_operators
    if number_format.name == "fp8" and block and chip.peak_fp8_flop_per_s:
        return serving.block_fp8_operators
    return 0.0


def links(chip: Chip, serving: Serving) -> tuple[dict[str, float], list[str]]:
    """Link bandwidth, how many devices it joins, and collective latency; guesses in words."""
    said: list[str] = []
    blackwell = chip.generation.startswith(("blackwell", "rubin"))
    reached = chip.scale_up_device_count or 0
    over_host = reached <= PCIE_NODE_DEVICES and chip.link_bandwidth_byte_per_s is not None
    if not reached and chip.link_bandwidth_byte_per_s is not None:
        said.append(f"{serving.node_device_count:.0f} devices to a node: the catalogue does not say")
    if over_host:
        latency, growth = serving.allreduce_pcie_s, serving.allreduce_growth_pcie
    else:
        latency = serving.allreduce_blackwell_s if blackwell else serving.allreduce_s
        growth = serving.allreduce_growth
    return {
        "link": chip.link_bandwidth_byte_per_s or math.nan,
        "node_count": float(reached if not over_host and reached else serving.node_device_count),
        "pair_only": float(chip.link_pair_only),
        "allreduce": latency,
        "allreduce_growth": growth,
    }, said


def memory_left(chip: Chip, form: float, parameters: Parameters) -> dict[str, float]:
    """What of the memory weights and cache may take under this form."""
    if form == MESH:
        return {"usable": SRAM_USABLE_FRACTION, "overhead": 0.0, "chunk": 0.0}
    if form in (FIXED, NONE) or chip.execution == "dataflow":
        return {"usable": parameters.memory.on_chip_fraction, "overhead": 0.0, "chunk": 0.0}
    if form == STREAMED:
        return {
            "usable": parameters.memory.single_stream_fraction,
            "overhead": parameters.memory.single_stream_overhead_byte,
            "chunk": parameters.memory.single_stream_chunk_tokens,
        }
    return {"usable": GPU_USABLE_FRACTION, "overhead": GPU_OVERHEAD_BYTE, "chunk": PREFILL_CHUNK_TOKENS}


def streamed_numbers(chip: Chip, formats: Formats, parameters: Parameters) -> dict[str, float]:
    """Reached bandwidth and layer time where weights stream: llama.cpp by kind of device, dataflow machines."""
    streamed = parameters.streamed
    if chip.execution == "dataflow":
        reach = streamed.dataflow_weight_fraction
        prefill = streamed.dataflow_prefill_fraction
        layer = streamed.dataflow_layer_s
        numbers = {"weight_reach": reach, "cache_reach": reach, "layer_s": layer, "prefill_reach": prefill}
        return numbers | {"widening": 0.0}
    kind = llama_cpp_kind(chip)
    factor: float = getattr(streamed, f"{kind}_quantised_factor")
    reach = getattr(streamed, f"{kind}_weight_fraction")
    quantised = formats.dense.byte < streamed.quantised_below_byte
    return {
        "weight_reach": reach * (factor if quantised else 1.0),
        "cache_reach": reach * streamed.cache_factor,
        "layer_s": getattr(streamed, f"{kind}_layer_s"),
        "widening": streamed.metal_k_quant_flop if kind == "metal" and "_k" in formats.dense.name else 0.0,
        "prefill_reach": getattr(streamed, f"{kind}_prefill_fraction"),
    }


def llama_cpp_kind(chip: Chip) -> str:
    """Which of the fitted kinds of device a chip counts as."""
    if chip.generation.startswith("apple"):
        return "metal"
    if chip.key == "dgx-spark-gb10":
        return "gb10"
    return "datacentre" if chip.memory_type.upper().startswith("HBM") else "cuda"


def kernel_numbers(chip: Chip, family: str, serving: Serving, *, offline: bool) -> dict[str, float]:
    """What the engine contributes: operator time against TensorRT-LLM, and when host time saturates."""
    fronts = {TENSORRT_LLM: serving.front_tensorrt_s, SGLANG: serving.front_sglang_s}
    return {
        "vendor_factor": serving.amd_operator_factor if chip.vendor == "AMD" else 1.0,
        "engine_factor": 1.0 if family == TENSORRT_LLM else serving.engine_factor,
        "front_s": fronts.get(family, serving.front_vllm_s),
        "waiting": serving.waiting_sglang if family == SGLANG else serving.waiting,
        "saturation": serving.offline_saturation if offline else serving.no_saturation,
        "sequence_s": serving.offline_sequence_s if offline else serving.sequence_s,
        "cache_reach": serving.offline_cache_bandwidth_fraction if offline else serving.cache_bandwidth_fraction,
        "link_reach": serving.offline_link_fraction if offline else serving.link_fraction,
        "reach_core": serving.offline_peak_fraction_attention if offline else serving.peak_fraction_attention,
    }


def fixed_layer(chip: Chip, parameters: Parameters) -> float:
    """Time of a layer where the compiler fixes it. [s]"""
    name = _fixed_layer_name(chip)
    return math.nan if name is None else float(getattr(parameters.fixed_layers, name))
