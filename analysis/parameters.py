"""The free parameters of the model by machine form, as numbers; dated values live in data/catalogue/parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, TypeVar

from data.catalogue.achievable_files import product_shares
from data.catalogue.parameter_files import ParameterSet, load_parameters

_Form = TypeVar("_Form")


@dataclass(frozen=True, kw_only=True)
class Serving:
    """Kernel-by-kernel serving; names and units as in gpu-serving.yaml, which says what each one means."""

    operator_s: float
    engine_factor: float
    amd_operator_factor: float
    lone_share: float
    expert_operators: float
    weight_only_expert_operators: float
    router_operators: float
    latent_operators: float
    indexer_operators: float
    linear_operators: float
    compressor_operators: float
    stream_operators: float
    block_fp8_operators: float
    nvfp4_operators: float
    sequence_s: float
    bandwidth_fraction: float
    cache_bandwidth_fraction: float
    expert_bandwidth_fraction: float
    weight_only_expert_bandwidth_fraction: float
    weight_only_8_bit_bandwidth_fraction: float
    peak_fraction_16_bit: float
    peak_fraction_fp8: float
    peak_fraction_fp4: float
    peak_fraction_attention: float
    allreduce_s: float
    allreduce_blackwell_s: float
    allreduce_pcie_s: float
    allreduce_growth: float
    allreduce_growth_pcie: float
    link_fraction: float
    delaying_fraction: float
    front_tensorrt_s: float
    front_vllm_s: float
    front_sglang_s: float
    first_steps: float
    waiting: float
    waiting_sglang: float
    hop_s: float
    node_link_byte_per_s: float
    node_device_count: float
    state_byte: float
    activation_byte: float
    offline_saturation: float
    offline_sequence_s: float
    offline_cache_bandwidth_fraction: float
    offline_expert_bandwidth_fraction: float
    offline_link_fraction: float
    offline_peak_fraction_attention: float
    offline_peak_fraction_16_bit: float
    offline_peak_fraction_fp4: float
    offline_peak_fraction_fp8: float
    offline_peak_fraction_block_fp8: float
    offline_prefill_tokens: float
    no_saturation: float


@dataclass(frozen=True, kw_only=True)
class Streamed:
    """One stream from memory: llama.cpp by kind of device, and dataflow machines; as in streamed-layers.yaml."""

    cuda_weight_fraction: float
    cuda_quantised_factor: float
    cuda_layer_s: float
    cuda_prefill_fraction: float
    metal_weight_fraction: float
    metal_quantised_factor: float
    metal_layer_s: float
    metal_prefill_fraction: float
    metal_k_quant_flop: float
    datacentre_weight_fraction: float
    datacentre_quantised_factor: float
    datacentre_layer_s: float
    datacentre_prefill_fraction: float
    gb10_weight_fraction: float
    gb10_quantised_factor: float
    gb10_layer_s: float
    gb10_prefill_fraction: float
    cache_factor: float
    quantised_below_byte: float
    dataflow_weight_fraction: float
    dataflow_layer_s: float
    dataflow_prefill_fraction: float


@dataclass(frozen=True, kw_only=True)
class Mesh:
    """A wafer whose layers are regions; as in wafer-mesh.yaml."""

    fixed_s: float
    crossing_s: float
    mac_s: float
    reuse: float
    hop_s: float
    prefill_element_s: float
    prefill_core_flop_per_s: float
    fitted_context_tokens: float


@dataclass(frozen=True, kw_only=True)
class FixedLayers:
    """Machines with a constant time per layer; as in fixed-layers.yaml."""

    groq_layer_s: float
    dmatrix_layer_s: float


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Memory that machines other than GPU servers leave to weights and cache; as in memory-fit.yaml."""

    single_stream_fraction: float
    single_stream_overhead_byte: float
    single_stream_chunk_tokens: float
    on_chip_fraction: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Keys of the chips and models among the runs that a form was fitted to."""

    chips: frozenset[str]
    models: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A profile fitted to own runs: its name, and the chips and models of its runs by the part of the model it fits."""

    name: str
    seen: Mapping[str, Measured]


_FILES = {"serving": "gpu-serving", "streamed": "streamed-layers", "mesh": "wafer-mesh"}


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Everything the engine may be told to believe; replace a part to ask "what if".

    achieved   share of the dense peak that large matrix products reach, by chip key and number format
    intervals  factors on a prediction between which 80 % of left-out runs lie, by regime and quantity
    fitted     the profile that changed some of them, None for the shipped values
    """

    serving: Serving
    streamed: Streamed
    mesh: Mesh
    fixed_layers: FixedLayers
    memory: Memory
    dated: str
    measured: Mapping[str, Measured] = field(default_factory=dict)  # by form: serving, streamed, mesh
    achieved: Mapping[tuple[str, str], float] = field(default_factory=dict)
    intervals: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    fitted: Fitted | None = None


def from_sets(sets: Mapping[str, ParameterSet]) -> Parameters:
    """Parameters out of the files' values. Raises UnknownNameError for a file that lacks one."""
    return Parameters(
        serving=_form(Serving, sets["gpu-serving"]),
        streamed=_form(Streamed, sets["streamed-layers"]),
        mesh=_form(Mesh, sets["wafer-mesh"]),
        fixed_layers=_form(FixedLayers, sets["fixed-layers"]),
        memory=_form(Memory, sets["memory-fit"]),
        dated=max(each.dated for each in sets.values()),
        measured={form: _measured(sets[key]) for form, key in _FILES.items()},
        achieved=product_shares(),
        intervals=_intervals(sets["intervals"]),
    )


def _measured(values: ParameterSet) -> Measured:
    return Measured(chips=values.measured_chips, models=values.measured_models)


def _intervals(values: ParameterSet) -> dict[tuple[str, str], tuple[float, float]]:
    """Pairs out of names such as "low_batch_tpot_low" and "low_batch_tpot_high"."""
    low = [name.removesuffix("_low") for name in values.values if name.endswith("_low")]
    pairs = {name: (values.value(f"{name}_low"), values.value(f"{name}_high")) for name in low}
    keys = {name: name.rpartition("_") for name in pairs}
    return {(keys[name][0], keys[name][2]): pair for name, pair in pairs.items()}


def _form(kind: type[_Form], values: ParameterSet) -> _Form:
    names: list[Any] = list(fields(kind))  # type: ignore[arg-type]
    return kind(**{each.name: values.value(each.name) for each in names})


@lru_cache(maxsize=1)
def starting_parameters() -> Parameters:
    """The values shipped in data/catalogue/parameters."""
    return from_sets(load_parameters())


def ideal(parameters: Parameters) -> Parameters:
    """The same with every share of a peak at one and every fixed time at zero: the operator roofline."""
    return replace(
        parameters,
        serving=_ideal(parameters.serving),
        streamed=_ideal(parameters.streamed),
        mesh=replace(_ideal(parameters.mesh), prefill_core_flop_per_s=parameters.mesh.prefill_core_flop_per_s),
    )


_UNBOUNDED = 1e30  # links and batches that never limit


def _ideal(form: _Form) -> _Form:
    """Fixed times and operator counts to zero, shares to one, by the last word of the name."""
    names = [each.name for each in fields(form)]  # type: ignore[arg-type]
    values: dict[str, float] = {}
    for name in names:
        if name.endswith("_s") and "_per_" not in name:
            values[name] = 0.0
        elif "fraction" in name or name.endswith("_factor"):
            values[name] = 1.0
    if "link_fraction" in values:
        values["link_fraction"] = _UNBOUNDED
    return type(form)(**{name: values.get(name, getattr(form, name)) for name in names})
