"""From a case to its numbers: names read, defaults filled and said, what cannot be served refused in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from analysis.engine.case import OFFLINE, Case
from analysis.engine.device_numbers import (
    fixed_layer,
    form_of,
    kernel_numbers,
    links,
    memory_left,
    operator_counts,
    rates,
    streamed_numbers,
)
from analysis.engine.engine_names import GENERAL, LLAMA_CPP, engine_family
from analysis.engine.formats import Formats, computes_four_bits, formats_of, read_format
from analysis.engine.inputs import FIXED, KERNELS, MESH, NONE, STREAMED, UNKNOWN
from analysis.parameters import Parameters
from data.errors import WaferlineError

_FITTED_GENERATIONS = frozenset({"hopper", "blackwell"})


@dataclass(kw_only=True)
class Resolved:
    """A case's numbers, what was assumed, and why it is refused if it is."""

    numbers: dict[str, float] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    refusal: str = ""
    fitted: bool = False  # the form was fitted on chips and engines like these


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What all cases of one model, chip, engine and set of formats share.

    numbers   everything that does not depend on the load or on the degrees
    assumed   in words; `guesses` are only said where devices share layers, `remarks` come last
    """

    numbers: Mapping[str, float]
    assumed: tuple[str, ...]
    guesses: tuple[str, ...]
    remarks: tuple[str, ...]
    fitted: bool


Shared = dict[tuple[object, ...], Machine]


def resolve(case: Case, parameters: Parameters, shared: Shared | None = None) -> Resolved:
    """The numbers of one case; a case that cannot be served comes back with its refusal.

    shared   machines met before, filled here: many cases on few machines are then read once each
    """
    resolved = Resolved()
    try:
        machine = _shared_machine(case, parameters, {} if shared is None else shared)
        load = _load(case)
    except WaferlineError as problem:
        resolved.refusal = str(problem)
        return resolved
    resolved.numbers = {**machine.numbers, **load, **_degrees(case)}
    guesses = machine.guesses if case.tp not in (None, 1) else ()
    resolved.assumed = [*machine.assumed, *guesses, *machine.remarks]
    resolved.fitted = machine.fitted
    resolved.refusal = _missing(case, resolved)
    return resolved


def _shared_machine(case: Case, parameters: Parameters, shared: Shared) -> Machine:
    """The machine of a case. Raises WaferlineError for a format nobody knows."""
    key = (
        id(case.architecture), id(case.chip), case.weight_format, case.attention_format, case.expert_format,
        case.kv_format, case.fp8_scaling, case.engine, isinstance(case.concurrency, str), case.head_format,
        case.kept_fraction, case.index_byte, case.activation_format,
    )  # fmt: skip
    if key not in shared:
        shared[key] = _machine(case, parameters)
    return shared[key]


def _load(case: Case) -> dict[str, float]:
    """Sequences in flight and lengths. Raises WaferlineError for a load that is no number."""
    offline = isinstance(case.concurrency, str)
    if offline and str(case.concurrency).lower() != OFFLINE:
        raise WaferlineError("this kind of load is not computed", found=case.concurrency, expected="a number, offline")
    concurrency = 1.0 if offline else float(case.concurrency)
    _check(case, concurrency)
    return {
        "offline": float(offline),
        "elsewhere": float(case.prefill_elsewhere),
        "concurrency": concurrency,
        "input_tokens": case.input_tokens * case.length_factor,
        "output_tokens": case.output_tokens * case.length_factor,
        "new_tokens": float(case.new_tokens),
        "kept": case.kept_fraction,
        "unfused": 1.0 - case.fused_fraction,
        "launched": case.launched_fraction,
        "beside": case.beside_byte,
        "beside_spread": float(case.beside_spread),
    }


def _check(case: Case, concurrency: float) -> None:
    """Raises WaferlineError for the first number of a case that cannot be."""
    kept, place = ("share of weights kept", case.kept_fraction), ("bytes that place a weight", case.index_byte)
    for name, value in (("concurrency", concurrency), ("length factor", case.length_factor), kept):
        if not (math.isfinite(value) and value > 0):
            raise WaferlineError(f"{name} is not above zero", found=value)
    if case.kept_fraction > 1:
        raise WaferlineError("more weights than there are cannot be kept", found=case.kept_fraction, expected="up to 1")
    for name, share in (("fused", case.fused_fraction), ("launched", case.launched_fraction)):
        if not 0 <= share <= 1:
            raise WaferlineError(f"the share {name} is none", found=share, expected="0 to 1")
    beside = ("bytes beside the model", case.beside_byte)
    for name, value in (("input tokens", case.input_tokens), ("output tokens", case.output_tokens), beside, place):
        if not (math.isfinite(value) and value >= 0):
            raise WaferlineError(f"{name} is negative or no number", found=value)
    for name in ("device_count", "tp", "pp", "ep", "dp", "region_cores", "prefill_cores", "new_tokens"):
        count = getattr(case, name)
        if count is not None and not count >= 1:
            raise WaferlineError(f"{name.replace('_', ' ')} is below one", found=count)


def _machine(case: Case, parameters: Parameters) -> Machine:
    chip, family, serving = case.chip, engine_family(case.engine), parameters.serving
    formats = formats_of(
        case.architecture, chip, case.weight_format, case.attention_format, case.expert_format, case.kv_format,
        case.fp8_scaling, gguf=family == LLAMA_CPP, head=case.head_format, kept=case.kept_fraction,
        index_byte=case.index_byte,
    )  # fmt: skip
    form, offline = form_of(chip, family), isinstance(case.concurrency, str)
    peaks, fall_backs = rates(chip, formats, parameters, offline=offline)
    joined, guesses = links(chip, serving)
    numbers = {"form": form, "bandwidth": chip.bandwidth_byte_per_s or math.nan}
    numbers |= {"memory": chip.usable_memory_byte or math.nan} | peaks | joined | _widths(formats)
    numbers |= {"sent": _activation_byte(case, serving.activation_byte)}
    numbers |= operator_counts(chip, formats, serving, offline=offline) | memory_left(chip, form, parameters)
    numbers |= kernel_numbers(chip, family, serving, offline=offline)
    if form == STREAMED:
        numbers |= streamed_numbers(chip, formats, parameters)
    if form == FIXED:
        numbers |= {"layer_s": fixed_layer(chip, parameters)}
    fitted = form in (STREAMED, MESH, FIXED) or (
        chip.generation in _FITTED_GENERATIONS and chip.kind == "gpu" and family != GENERAL
    )
    return Machine(
        numbers=UNKNOWN | numbers, assumed=(*formats.assumed, *fall_backs), guesses=tuple(guesses),
        remarks=tuple(_remarks(case, form, family)), fitted=fitted,
    )  # fmt: skip


def _remarks(case: Case, form: float, family: str) -> list[str]:
    """What a reader must know of the machine itself."""
    said = []
    if case.chip.usable_memory_byte is None:
        said.append(f"memory of {case.chip.name} not known: whether it fits is not checked")
    if not case.chip.available:
        said.append(f"{case.chip.name} is not on sale: its figures are promises")
    if form == KERNELS and family == GENERAL:
        said.append("general serving form: the engine is not one of the fitted ones")
    return said


def _widths(formats: Formats) -> dict[str, float]:
    return {
        "byte_attention": formats.attention.byte,
        "byte_dense": formats.dense.byte,
        "byte_expert": formats.expert.byte,
        "byte_table": formats.table.byte,
        "byte_head": formats.head.byte,
        "byte_cache": formats.cache.byte,
    }


def _activation_byte(case: Case, usual_byte: float) -> float:
    """Bytes of one activation: in the format stated, else as usual. [B]"""
    if not case.activation_format.strip():
        return usual_byte
    return read_format(case.activation_format, computes_four_bits(case.chip)).byte


def _degrees(case: Case) -> dict[str, float]:
    known = {
        "device_count": case.device_count, "tp": case.tp, "pp": case.pp, "cores": case.chip.core_count,
        "region_cores": case.region_cores, "prefill_cores": case.prefill_cores,
    }  # fmt: skip
    numbers = {name: math.nan if value is None else float(value) for name, value in known.items()}
    return numbers | {"ep": float(case.ep or 1), "dp": float(case.dp or 1), "parts": float(case.parts)}


def _missing(case: Case, resolved: Resolved) -> str:
    """Why figures of this chip or model do not allow an answer; empty if they do."""
    numbers, name = resolved.numbers, case.chip.name
    if math.isnan(numbers["memory"]) and math.isnan(numbers["device_count"]):
        return f"the memory of {name} is not known, so the devices needed are not: say how many"
    if math.isnan(numbers["memory"]) and numbers["offline"]:
        return f"the memory of {name} is not known, so the largest batch is not"
    if numbers["form"] == NONE:
        return f"no law for the speed of {name} is known"
    if numbers["form"] == FIXED and numbers["new_tokens"] > 1:
        return "several tokens a step: no law published"
    if math.isnan(numbers["bandwidth"]):
        return f"the memory bandwidth of {name} is not known"
    if numbers["form"] == MESH and math.isnan(numbers["cores"]):
        return f"the number of cores of {name} is not known"
    wanted = (case.input_tokens + case.output_tokens) * case.length_factor
    if wanted > case.architecture.max_context_tokens > 0:
        limit = case.architecture.max_context_tokens
        return f"a context of {wanted:,.0f} tokens is above the limit of {case.architecture.name}: {limit:,}"
    return ""
