"""optimum-benchmark: reports in JSON, bare or with their configuration, and the one-row CSV with dotted columns."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.delimited import rows_of, wrong_width
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.intake.statistics import MS_PER_S, put_statistics
from data.readers.llmd.results import part

MAX_COLUMNS = 5_000
_PHASES = ("prefill", "decode")
_SHAPES = {"batch_size": "batch_size", "sequence_length": "isl_mean", "max_new_tokens": "osl_mean"}


def _report(record: Record) -> Record:
    """The measurements of a record, bare or under `report`; empty if it is something else."""
    inner = part(record, "report") or record
    decode = part(inner, "decode")
    return inner if isinstance(inner.get("prefill"), dict) and {"latency", "throughput"} & set(decode) else {}


def _columns(content: Content) -> list[str]:
    line = next((line for line in content.lines[:5] if line.strip()), "")
    if content.values or "decode.throughput.value" not in line:
        return []
    return [name.strip().strip('"') for name in line.split(",")]


def _recognise(content: Content) -> bool:
    return bool(_columns(content)) or any(isinstance(one.value, dict) and _report(one.value) for one in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = list[Located](), list(content.unparsed)
    if names := _columns(content):
        items, left = _rows(content, names)
    for item in content.records:
        if isinstance(item.value, dict) and _report(item.value):
            items.append(item)
        else:
            left.append(Skipped(line=item.line, why=f"{item.place} is no optimum-benchmark report"))
    drafts = [_draft(item) for item in items]
    left.append(Skipped(line=1, why="prefill.latency fills no field: it is the prefill time of a whole batch, no TTFT"))
    versions = {draft.text("source_tool_version") for draft in drafts} - {""}
    version = versions.pop() if len(versions) == 1 else ""
    return Reading(drafts=drafts, questions=[], skipped=left, notices=[], tool_version=version)


def _rows(content: Content, names: list[str]) -> tuple[list[Located], list[Skipped]]:
    """Rows of the CSV with their dotted columns folded into objects."""
    items, left = list[Located](), list[Skipped]()
    start = next(number for number, line in enumerate(content.lines) if line.strip())
    for line, cells in rows_of(content.lines[start + 1 :], ",", start + 2):
        if len(cells) == len(names) and len(names) <= MAX_COLUMNS:
            items.append(Located(value=_folded(zip(names, cells, strict=True)), place=f"row {line}", line=line))
        else:
            left.append(wrong_width(line, cells, names))
    return items, left


def _folded(pairs: zip[tuple[str, str]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, cell in pairs:
        inner = found
        *outer, last = name.split(".")
        for part_name in outer[:10]:
            step = inner.setdefault(part_name, {})
            inner = step if isinstance(step, dict) else {}
        inner[last] = cell if cell != "" else None
    return found


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    report, where = _report(record), item.place + (".report" if "report" in record else "")
    draft = Draft(place=item.place, line=item.line, native=_without_values(report))
    draft.put("load_mode", "batch", path="optimum-benchmark runs one batch at a time", origin="derived")
    for phase, metric in (("generate", "e2e"), ("per_token", "itl")):
        latency = part(report, phase, "latency")
        scale = MS_PER_S if latency.get("unit", "s") == "s" else 1.0
        put_statistics(draft, metric, latency, f"{where}.{phase}.latency", scale=scale, unit=str(latency.get("unit")))
    for phase, name in zip(_PHASES, ("prefill_tps", "output_tps"), strict=True):
        rate = part(report, phase, "throughput")
        if rate.get("unit") == "tokens/s":
            draft.put(name, rate.get("value"), path=f"{where}.{phase}.throughput.value (whole batch)")
    config = part(record, "config")
    if config:
        _put_config(draft, config, f"{item.place}.config")
    return draft


def _without_values(report: Record) -> dict[str, object]:
    """The report without its lists of single measurements."""
    kept: dict[str, object] = {}
    for key, value in report.items():
        kept[key] = _without_values(value) if isinstance(value, dict) else value if key != "values" else None
    return kept


def _put_config(draft: Draft, config: Record, where: str) -> None:
    backend, scenario, machine = part(config, "backend"), part(config, "scenario"), part(config, "environment")
    draft.put("model_raw", backend.get("model"), path=f"{where}.backend.model")
    draft.put("engine", backend.get("name"), path=f"{where}.backend.name")
    draft.put("engine_version", backend.get("version"), path=f"{where}.backend.version")
    draft.put("source_tool_version", machine.get("optimum_benchmark_version"),
              path=f"{where}.environment.optimum_benchmark_version")  # fmt: skip
    for key in ("quantization_scheme", "torch_dtype", "dtype"):
        if "weight_format" not in draft.values:
            draft.put("weight_format", backend.get(key), path=f"{where}.backend.{key}")
    for key, name in _SHAPES.items():
        shapes = {**part(scenario, "input_shapes"), **part(scenario, "generate_kwargs")}
        if as_number(shapes.get(key)):
            draft.put(name, shapes.get(key), path=f"{where}.scenario: {key}")
    _put_devices(draft, backend, machine, where)


def _put_devices(draft: Draft, backend: Record, machine: Record, where: str) -> None:
    cards = machine.get("gpu")
    if str(backend.get("device")) == "cpu":
        draft.put("hardware", str(machine.get("cpu") or "").strip() or None, path=f"{where}.environment.cpu")
    elif isinstance(cards, list) and cards:
        draft.put("hardware", " + ".join(dict.fromkeys(str(card) for card in cards)), path=f"{where}.environment.gpu")
        used = str(backend.get("device_ids") or "").split(",")
        draft.derive("device_count", len([one for one in used if one.strip()]) or None, f"{where}.backend.device_ids")
    elif isinstance(cards, str):
        draft.put("hardware", cards.strip("[]' "), path=f"{where}.environment.gpu")


READER = Reader(
    key="optimum_benchmark",
    title="optimum-benchmark report (JSON, CSV)",
    recognise=_recognise,
    read=_read,
    lacks=("ttft", "concurrency", "failed", "model_raw, hardware, batch_size and lengths in the bare report"),
    asks=("model_raw", "hardware", "device_count", "weight_format", "isl_mean", "osl_mean"),
    sample="optimum_benchmark.json",
)
