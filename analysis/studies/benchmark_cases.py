"""Uploaded runs as questions to the engine: what each served, on what, how fast; or why it cannot be compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.engine import Case
from analysis.engine.engine_names import LLAMA_CPP, engine_family
from analysis.models.bandwidth import read_per_step
from analysis.models.roofline import arithmetic_intensity
from analysis.models.serving import request_time
from analysis.step_operators import operators_of
from analysis.study import Slot, counted
from analysis.weight_formats import as_printed
from analysis.workload import Workload, met_weights, read_cache
from data.catalogue.edited import is_another_machine
from data.errors import WaferlineError
from data.readers.intake.answers import AS_PUBLISHED
from data.records import Architecture, Chip, Run

MS_PER_S = 1e3
ENDED = {"oom": "it ran out of memory", "failed": "every request failed", "invalid": "its tool calls it invalid"}
GROUP_LIMIT = 6  # machines and models that get a colour of their own


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A run that can be compared with the model.

    users                        sequences in flight
    input_tokens, output_tokens  means over requests; 0 input where only decoding was timed
    step_s                       mean time per output token
    """

    run: Run
    architecture: Architecture
    chip: Chip
    device_count: int
    users: float
    input_tokens: float
    output_tokens: float
    step_s: float

    @property
    def machine(self) -> str:
        """Count and chip: "8 × H200"."""
        return counted(self.chip, self.device_count)

    @property
    def group(self) -> tuple[int, str, str]:
        """Runs of one group share machine and model, and so a colour."""
        return self.device_count, self.chip.key, self.architecture.key


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A run that is kept but not compared, and why."""

    run: Run
    reason: str


def _number(run: Run, *names: str) -> float | None:
    """The first of these fields that holds a positive number."""
    for name in names:
        value = run.values.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
    return None


def _text(run: Run, name: str) -> str:
    value = run.values.get(name)
    return value if isinstance(value, str) else ""


def device_count_of(run: Run) -> int | None:
    """Devices of the run: as said, or the product of the parallel degrees that are."""
    said = _number(run, "device_count")
    if said is not None:
        return int(said)
    degrees = [_number(run, name) for name in ("tp", "pp", "dp")]
    known = [degree for degree in degrees if degree is not None]
    return int(math.prod(known)) if degrees[0] is not None else None


def reason_left_out(run: Run, models: Mapping[str, Architecture], chips: Mapping[str, Chip]) -> str:
    """Why a run cannot be compared, in words; empty if it can."""
    checks = (
        (run.outcome in ENDED, ENDED.get(run.outcome, "")),
        (_text(run, "model_id") not in models, "the model is not one of the catalogue"),
        (_text(run, "hardware_key") not in chips, "the device is not known"),
        (device_count_of(run) is None, "the number of devices is not known"),
        (_number(run, "tpot_mean_ms") is None, "it has no mean time per output token"),
        (_users(run) is None, "the requests in flight are not known"),
        (_number(run, "osl_mean", "osl_nominal") is None, "the length of the outputs is not known"),
    )
    return next((reason for missing, reason in checks if missing), "")


def _users(run: Run) -> float | None:
    """Sequences in flight: the limit asked for, or under an arrival rate the mean that was observed or follows."""
    if run.values.get("load_mode") == "rate":
        return _number(run, "concurrency_mean") or _in_flight(run)
    return _number(run, "concurrency", "concurrency_mean", "batch_size") or _in_flight(run)


def _in_flight(run: Run) -> float | None:
    """Mean requests in a system that answers them at a rate, each taking a time: Little's law."""
    rate, taken = _number(run, "request_rps"), _number(run, "e2e_mean_ms")
    first, token = _number(run, "ttft_mean_ms"), _number(run, "tpot_mean_ms")
    generated = _number(run, "osl_mean", "osl_nominal")
    if taken is None and first and token and generated:
        taken = float(request_time(first, token, generated))
    return None if rate is None or taken is None else max(1.0, rate * taken / MS_PER_S)


def comparable(
    runs: Iterable[Run], models: Mapping[str, Architecture], chips: Mapping[str, Chip]
) -> tuple[list[Measured], list[LeftOut]]:
    """Runs that can be compared, and the others with the reason; `models` and `chips` by catalogue key."""
    measured, left_out = [], []
    for run in runs:
        if reason := reason_left_out(run, models, chips):
            left_out.append(LeftOut(run=run, reason=reason))
            continue
        measured.append(
            Measured(
                run=run,
                architecture=models[_text(run, "model_id")],
                chip=chips[_text(run, "hardware_key")],
                device_count=device_count_of(run) or 1,
                users=_users(run) or 1.0,
                input_tokens=_number(run, "isl_mean", "isl_nominal", "depth_tokens") or 0.0,
                output_tokens=_number(run, "osl_mean", "osl_nominal") or 1.0,
                step_s=(_number(run, "tpot_mean_ms") or math.nan) / MS_PER_S,
            )
        )
    return measured, left_out


def case_of(one: Measured) -> Case:
    """The run as the engine is asked for it; decode alone where no prompt was served."""
    served = _number(one.run, "isl_mean", "isl_nominal") is not None
    return Case(
        architecture=one.architecture,
        chip=one.chip,
        device_count=one.device_count,
        engine=_text(one.run, "engine"),
        weight_format=_text(one.run, "weight_format"),
        kv_format=_text(one.run, "kv_format"),
        concurrency=one.users,
        input_tokens=one.input_tokens if served else one.input_tokens + one.output_tokens / 2,
        output_tokens=one.output_tokens if served else 0.0,
        tp=_degree(one.run, "tp"),
        pp=_degree(one.run, "pp"),
        ep=_degree(one.run, "ep"),
    )


def _degree(run: Run, name: str) -> int | None:
    value = _number(run, name)
    return None if value is None else int(value)


def workload_of(one: Measured) -> Workload:
    """What one decode step of the run works on: all sequences, half way through their outputs."""
    return Workload(
        architecture=one.architecture,
        context_tokens=one.input_tokens + one.output_tokens / 2,
        sequences=one.users,
        weight_format=_text(one.run, "weight_format"),
        cache_format=_text(one.run, "kv_format"),
        gguf=engine_family(_text(one.run, "engine")) == LLAMA_CPP,
    )


def format_words(one: Measured) -> str:
    """The weight format the comparison takes, as people write it; experts are named where theirs is another."""
    used = workload_of(one).formats(one.chip)
    other = one.architecture.is_mixture and used.expert.name != used.dense.name
    apart = f" (experts {used.expert.name})" if other else ""
    return as_printed(f"{used.dense.name}{apart}")


def is_as_published(one: Measured) -> bool:
    """True if no file says the weight format, so that the published checkpoint's is taken."""
    field = one.run.fields.get("weight_format")
    return not _text(one.run, "weight_format") or (field is not None and field.path.startswith(AS_PUBLISHED))


def read_byte_of(one: Measured, running: float = math.inf) -> float:
    """Bytes one decode step of the run must read: weights met, and cache of all sequences.

    running   sequences the memory has room for at once; the others wait and are not read
    """
    work = workload_of(one)
    work = work.at(sequences=min(work.sequences, running))
    return float(read_per_step(met_weights(work, one.chip)[0], work.sequences, read_cache(work, one.chip)))


def beyond_memory(one: Measured, running: float = math.inf) -> bool:
    """True if memory cannot deliver the run's tokens so fast even where all sequences are sent to the same experts."""
    work = workload_of(one)
    least = met_weights(work.at(sequences=1.0), one.chip)[0]
    read = read_per_step(least, min(work.sequences, running), read_cache(work, one.chip))
    return bool(read > one.step_s * one.device_count * (one.chip.bandwidth_byte_per_s or math.nan))


def places(measured: Sequence[Measured]) -> dict[tuple[int, str, str], int]:
    """Colour of every group, largest group first; groups beyond the sixth share place 6, which is grey."""
    ordered = [group for group, _ in Counter(one.group for one in measured).most_common()]
    return {group: min(at, GROUP_LIMIT) for at, group in enumerate(ordered)}


def roofline_marks(measured: Iterable[Measured], architecture: Architecture, slots: Sequence[Slot]) -> pd.DataFrame:
    """Runs of one model on the chips of the slots, as the roofline draws them: per device, decode alone.

    Columns place, intensity_flop_per_byte, rate_flop_per_s, label.
    """
    place_of = {slot.chip.key: slot.place for slot in reversed(slots) if not is_another_machine(slot.chip)}
    rows = []
    for one in measured:
        if one.architecture.key != architecture.key or one.chip.key not in place_of:
            continue
        try:
            operators = operators_of(workload_of(one), one.chip, "decode")
        except WaferlineError:  # a number format nobody knows: the Benchmarks page says so
            continue
        work, traffic = (sum(getattr(each, name) for each in operators) for name in ("work_flop", "traffic_byte"))
        rows.append({
            "place": place_of[one.chip.key],
            "intensity_flop_per_byte": float(arithmetic_intensity(work, traffic)),
            "rate_flop_per_s": work / one.step_s / one.device_count,
            "label": f"{one.machine}, {one.users:,.0f} at once, {one.run.source_file}",
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["place", "intensity_flop_per_byte", "rate_flop_per_s", "label"])
