"""From a case to its numbers: names read, defaults filled and said, what cannot be served refused in words."""

from __future__ import annotations

import math
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
from analysis.engine.formats import Formats, formats_of
from analysis.engine.inputs import FIXED, KERNELS, MESH, NONE, STREAMED
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


def resolve(case: Case, parameters: Parameters) -> Resolved:
    """The numbers of one case; a case that cannot be served comes back with its refusal."""
    resolved = Resolved()
    try:
        formats = formats_of(
            case.architecture, case.chip, case.weight_format, case.attention_format, case.expert_format,
            case.kv_format, case.fp8_scaling, gguf=engine_family(case.engine) == LLAMA_CPP,
        )  # fmt: skip
        _load(case, resolved)
    except WaferlineError as problem:
        resolved.refusal = str(problem)
        return resolved
    resolved.assumed += formats.assumed
    _device(case, formats, resolved, parameters)
    resolved.refusal = resolved.refusal or _missing(case, resolved)
    return resolved


def _load(case: Case, resolved: Resolved) -> None:
    """Sequences in flight and lengths. Raises WaferlineError for a load that is no number."""
    offline = isinstance(case.concurrency, str)
    if offline and str(case.concurrency).lower() != OFFLINE:
        raise WaferlineError("this kind of load is not computed", found=case.concurrency, expected="a number, offline")
    concurrency = 1.0 if offline else float(case.concurrency)
    for name, value in (("concurrency", concurrency), ("length factor", case.length_factor)):
        if not (math.isfinite(value) and value > 0):
            raise WaferlineError(f"{name} is not above zero", found=value)
    beside = ("bytes beside the model", case.beside_byte)
    for name, value in (("input tokens", case.input_tokens), ("output tokens", case.output_tokens), beside):
        if not (math.isfinite(value) and value >= 0):
            raise WaferlineError(f"{name} is negative or no number", found=value)
    for name in ("device_count", "tp", "pp", "ep", "dp", "region_cores", "prefill_cores", "new_tokens"):
        count = getattr(case, name)
        if count is not None and count < 1:
            raise WaferlineError(f"{name.replace('_', ' ')} is below one", found=count)
    resolved.numbers |= {
        "offline": float(offline),
        "elsewhere": float(case.prefill_elsewhere),
        "concurrency": concurrency,
        "input_tokens": case.input_tokens * case.length_factor,
        "output_tokens": case.output_tokens * case.length_factor,
        "new_tokens": float(case.new_tokens),
        "beside": case.beside_byte,
        "beside_spread": float(case.beside_spread),
    }


def _device(case: Case, formats: Formats, resolved: Resolved, parameters: Parameters) -> None:
    chip, family, serving = case.chip, engine_family(case.engine), parameters.serving
    form = form_of(chip, family)
    offline = bool(resolved.numbers["offline"])
    peaks, fall_backs = rates(chip, formats, parameters, offline=offline)
    joined, guesses = links(chip, serving)
    numbers = resolved.numbers
    numbers |= {"form": form, "bandwidth": chip.bandwidth_byte_per_s or math.nan}
    numbers |= {"memory": chip.usable_memory_byte or math.nan} | peaks | joined | _widths(formats) | _degrees(case)
    numbers |= operator_counts(chip, formats, serving, offline=offline) | memory_left(chip, form, parameters)
    numbers |= kernel_numbers(chip, family, serving, offline=offline)
    if form == STREAMED:
        numbers |= streamed_numbers(chip, formats, parameters)
    if form == FIXED:
        numbers |= {"layer_s": fixed_layer(chip, parameters)}
    resolved.assumed += fall_backs + (guesses if case.tp not in (None, 1) else [])
    if math.isnan(numbers["memory"]):
        resolved.assumed.append(f"memory of {chip.name} not known: whether it fits is not checked")
    if not chip.available:
        resolved.assumed.append(f"{chip.name} is not on sale: its figures are promises")
    if form == KERNELS and family == GENERAL:
        resolved.assumed.append("general serving form: the engine is not one of the fitted ones")
    resolved.fitted = form in (STREAMED, MESH, FIXED) or (
        chip.generation in _FITTED_GENERATIONS and chip.kind == "gpu" and family != GENERAL
    )


def _widths(formats: Formats) -> dict[str, float]:
    return {
        "byte_attention": formats.attention.byte,
        "byte_dense": formats.dense.byte,
        "byte_expert": formats.expert.byte,
        "byte_table": formats.table.byte,
        "byte_cache": formats.cache.byte,
    }


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
