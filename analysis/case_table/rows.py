"""Rows of a case table read into cases: names looked up, blanks filled as documented, what is not understood said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analysis.case_table.cells import count_of, number_of, text_of
from analysis.case_table.parallelism import Parallelism, read_parallelism
from analysis.engine import OFFLINE, Case
from analysis.engine.engine_names import LLAMA_CPP, TENSORRT_LLM, engine_family
from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError

SERVING_LENGTHS, LLAMA_CPP_LENGTHS = (1024.0, 256.0), (512.0, 128.0)
_OPEN_LOAD = re.compile(r"server|interactive|requests?\s*/|req/s|rps|rate|/s\b", re.IGNORECASE)
_WHOLE_RATE = "output_tps_total"  # the metric of throughput benchmarks
_WITH_FP8_CACHE = frozenset({"fp8", "fp4", "nvfp4"})
_INTERACTIVE = "an open load (requests at a rate) needs the queueing model, which is not part of this version"


@dataclass(frozen=True, kw_only=True)
class ReadRow:
    """One row: its case, or why there is none; what was assumed; and measured speed of one user where one is given.

    pools   copies of the decode plan where prompts are computed elsewhere; 1 otherwise
    """

    case: Case | None = None
    reason: str = ""
    assumed: tuple[str, ...] = ()
    pools: int = 1
    speculative: str = ""
    measured_tokens_per_s: float | None = None


@dataclass(kw_only=True)
class _Reading:
    """A row on its way: the cells, and what has been assumed so far."""

    cells: Mapping[str, Any]
    assumed: list[str] = field(default_factory=list)

    def text(self, *names: str) -> str:
        """First of these columns that says something."""
        return next((text for name in names if (text := text_of(self.cells.get(name)))), "")

    def count(self, name: str) -> int | None:
        return count_of(self.cells.get(name), name)


def read_rows(rows: Sequence[Mapping[str, Any]], catalogue: Catalogue) -> list[ReadRow]:
    """Every row's case in the order given; a row that is none says why. Columns may be missing or more than known."""
    return [_read(row, catalogue) for row in rows]


def _read(cells: Mapping[str, Any], catalogue: Catalogue) -> ReadRow:
    reading = _Reading(cells=cells)
    speculative = reading.text("speculative").lower()
    measured = measured_speed(cells)
    try:
        case, pools = _case(reading, catalogue)
    except WaferlineError as problem:
        return ReadRow(reason=problem.sentence(), assumed=tuple(reading.assumed), speculative=speculative)
    return ReadRow(
        case=case,
        assumed=tuple(reading.assumed),
        pools=max(pools, 1),
        speculative=speculative,
        measured_tokens_per_s=measured,
    )


def _case(reading: _Reading, catalogue: Catalogue) -> tuple[Case, int]:
    """The case of a row and the copies of its decode plan. Raises WaferlineError for what cannot be read."""
    chip = catalogue.chips[catalogue.resolve_chip(_named(reading, "hardware")).key]
    name = _named(reading, "model")
    model, hint = catalogue.architecture(name), catalogue.resolve_model(name).format_hint
    engine = reading.text("engine")
    weight = reading.text("weight_format")
    if hint and not weight:
        reading.assumed.append(f"weights {hint}, as the model's name says")
    case = Case(
        architecture=model,
        chip=chip,
        engine=engine,
        weight_format=weight or hint,
        attention_format=reading.text("attention_weight_format"),
        expert_format=reading.text("expert_weight_format"),
        kv_format=_cache_format(reading, engine, weight or hint),
        fp8_scaling=reading.text("fp8_scaling"),
        device_count=reading.count("device_count"),
        at_wall="wall" in reading.text("system").lower(),
        **_load(reading, engine),
    )
    return _placed(case, reading)


def _named(reading: _Reading, column: str) -> str:
    name = reading.text(column)
    if not name:
        raise WaferlineError(f"no {column} is named", where=column, expected="a catalogue key or alias")
    return name


def _load(reading: _Reading, engine: str) -> dict[str, Any]:
    """Concurrency and lengths; blanks are one sequence, and lengths usual for the kind of engine."""
    stream = engine_family(engine) == LLAMA_CPP
    lengths = LLAMA_CPP_LENGTHS if stream else SERVING_LENGTHS
    found = [number_of(reading.cells.get(name), name) for name in ("input_tokens", "output_tokens")]
    for name, value, usual in zip(("input", "output"), found, lengths, strict=True):
        if value is None:
            reading.assumed.append(f"{usual:,.0f} {name} tokens")
    factor = number_of(reading.cells.get("length_factor"), "length_factor")
    return {
        "concurrency": _concurrency(reading),
        "input_tokens": lengths[0] if found[0] is None else found[0],
        "output_tokens": lengths[1] if found[1] is None else found[1],
        "length_factor": 1.0 if factor is None else factor,
        "duty_fraction": _duty(reading),
    }


def _duty(reading: _Reading) -> float:
    """Share of all hours in which the machine serves; 1 where nothing is said."""
    value = number_of(reading.cells.get("duty_fraction"), "duty_fraction")
    if value is not None and not 0 < value <= 1:
        raise WaferlineError("not a share of the time", where="duty_fraction", found=value, expected="above 0, up to 1")
    return 1.0 if value is None else value


def _concurrency(reading: _Reading) -> float | str:
    text = reading.text("concurrency", "concurrency_or_batch")
    if not text and reading.text("metric") == _WHOLE_RATE and engine_family(reading.text("engine")) != LLAMA_CPP:
        reading.assumed.append("a machine kept full, since the row gives a rate of the whole system and no load")
        return OFFLINE
    if not text:
        reading.assumed.append("1 sequence in flight")
        return 1.0
    if text.lower() == OFFLINE:
        return OFFLINE
    if _OPEN_LOAD.search(text):
        raise WaferlineError(_INTERACTIVE, where="concurrency", found=text)
    value = number_of(text, "concurrency")
    if value is not None and "-" in text:
        reading.assumed.append(f"{value:g} sequences in flight, the middle of {text}")
    return 1.0 if value is None else value


def _cache_format(reading: _Reading, engine: str, weight: str) -> str:
    """The stated format of the cache; where a machine is kept full, as TensorRT-LLM's quantised checkpoints have it."""
    stated, load = reading.text("kv_format"), reading.text("concurrency", "concurrency_or_batch")
    full = load.lower() in ("", OFFLINE) and reading.text("metric") == _WHOLE_RATE
    quantised = weight.strip().lower() in _WITH_FP8_CACHE
    if stated or not (full and quantised and engine_family(engine) == TENSORRT_LLM):
        return stated
    reading.assumed.append("cache in FP8, as quantised checkpoints for TensorRT-LLM say")
    return "fp8"


def _placed(case: Case, reading: _Reading) -> tuple[Case, int]:
    """The case with its degrees: from columns, else from the `parallelism` text."""
    plan = read_parallelism(reading.text("parallelism"))
    reading.assumed.extend(plan.said)
    columns = {name: reading.count(name) for name in ("tp", "pp", "ep", "dp")}
    stated: dict[str, Any] = {name: columns[name] or getattr(plan, name) for name in columns}
    placed = replace(
        case,
        **stated,
        region_cores=plan.region_cores,
        prefill_cores=plan.prefill_cores,
        prefill_elsewhere=plan.pools > 0,
    )
    placed = _groups(placed)
    if plan.pools:
        return _one_pool(placed, plan.pools), plan.pools
    return _in_devices(placed, plan, reading), 1


def _groups(case: Case) -> Case:
    """Attention groups are counted inside tp; where a text counts them beside it ("tp1 dp8"), tp is multiplied."""
    tp, pp, dp = case.tp or 1, case.pp or 1, case.dp or 1
    beside = dp > 1 and (dp > tp or case.device_count == tp * dp * pp)
    return replace(case, tp=tp * dp) if beside else case


def _one_pool(case: Case, copies: int) -> Case:
    """One copy of the decode plan with its share of the sequences."""
    count = (case.tp or 1) * (case.pp or 1)
    concurrency = case.concurrency if isinstance(case.concurrency, str) else max(float(case.concurrency) / copies, 1.0)
    return replace(case, device_count=count, concurrency=concurrency)


def _in_devices(case: Case, plan: Parallelism, reading: _Reading) -> Case:
    """tp in devices: where a text counts cores or dies of a device, the devices share the layer."""
    count, tp = case.device_count, case.tp
    if not (count and tp and tp * (case.pp or 1) > count and (plan.parts or tp % count == 0)):
        return case
    reading.assumed.append(f"tp {tp} counts parts of a device: tp {count} in devices")
    ep = min(case.ep, count) if case.ep else None
    return replace(case, tp=count, ep=ep, parts=True)


def measured_speed(cells: Mapping[str, Any]) -> float | None:
    """Measured tokens per second of one user, from a row's own columns; None where it gives none."""
    metric, value, tpot = text_of(cells.get("metric")), _measured(cells, "value"), _measured(cells, "tpot_ms")
    if value and metric == "decode_tps_per_user":
        return value
    if value and metric == "tpot_ms":
        return 1000.0 / value
    return 1000.0 / tpot if tpot else None


def _measured(cells: Mapping[str, Any], name: str) -> float | None:
    """A measured number above zero; None for anything else, since a measurement never decides a prediction."""
    try:
        value = number_of(cells.get(name), name)
    except WaferlineError:
        return None
    return value if value and value > 0 else None
