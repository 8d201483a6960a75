"""The engines of a report's stack, one per component, and the run's devices and degrees that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.records import Record
from data.readers.llmd.results import part

_DEGREES = ("tp", "pp", "ep", "dp")


@dataclass(frozen=True, kw_only=True)
class Engine:
    """One serving component: its program, model and devices. `where` is its place in the report."""

    where: str
    role: str
    tool: str
    version: str
    model: str
    weights: str
    hardware: str
    count: float | None
    replicas: float
    degrees: Record


def engines_of(record: Record) -> list[Engine]:
    """Every inference engine of the report; empty if it names none."""
    return _old(record) if "metrics" in record else _new(record)


def _rows(value: object) -> list[Record]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def _old(record: Record) -> list[Engine]:
    """Version 0.1: accelerators, roles and engines in lists of equal length."""
    scenario = part(record, "scenario")
    host, model = part(scenario, "host"), part(scenario, "model")
    accelerators, engines = _rows(host.get("accelerator")), _rows(part(scenario, "platform").get("engine"))
    roles = host.get("type") if isinstance(host.get("type"), list) else []
    found = []
    named = 1 if model.get("name") else 0
    for n in range(max(len(accelerators), len(engines), named)):
        device = accelerators[n] if n < len(accelerators) else {}
        engine = engines[n] if n < len(engines) else {}
        found.append(
            Engine(
                where=f"scenario.host.accelerator[{n}]",
                role=_text(roles[n]) if isinstance(roles, list) and n < len(roles) else "",
                tool=_text(engine.get("name")),
                version=_text(engine.get("version")),
                model=_text(model.get("name")),
                weights=_text(model.get("quantization")) or _text(part(engine, "args").get("--dtype")),
                hardware=_text(device.get("model")),
                count=as_number(device.get("count")),
                replicas=1,
                degrees=part(device, "parallelism"),
            )
        )
    return found


def _new(record: Record) -> list[Engine]:
    """Version 0.2: components of kind inference_engine."""
    found = []
    for n, component in enumerate(_rows(part(record, "scenario").get("stack"))):
        plain, device = part(component, "standardized"), part(component, "standardized", "accelerator")
        if plain.get("kind") != "inference_engine":
            continue
        args = part(component, "native", "args")
        found.append(
            Engine(
                where=f"scenario.stack[{n}].standardized",
                role=_text(plain.get("role")),
                tool=_text(plain.get("tool")),
                version=_text(plain.get("tool_version")),
                model=_text(part(plain, "model").get("name")),
                weights=_text(args.get("--quantization")),
                hardware=_text(device.get("model")),
                count=as_number(device.get("count")),
                replicas=as_number(plain.get("replicas")) or 1,
                degrees=part(device, "parallelism"),
            )
        )
    return found


def _same(values: Iterable[str]) -> str:
    """The values without repeats and blanks, joined."""
    return " + ".join(dict.fromkeys(value for value in values if value))


def put_stack(draft: Draft, engines: Sequence[Engine], place: str) -> None:
    """Model, engine, devices and degrees; degrees that differ between components are named in the notes only."""
    if not engines:
        return
    where = f"{place}.{engines[0].where}" + (" and others" if len(engines) > 1 else "")
    draft.put("engine", _same(one.tool for one in engines), path=f"{where}: engine")
    draft.put("engine_version", _same(one.version for one in engines), path=f"{where}: version")
    draft.put("model_raw", _same(one.model for one in engines), path=f"{where}: model")
    draft.put("weight_format", _same(one.weights for one in engines), path=f"{where}: quantization or dtype")
    draft.put("hardware", _same(one.hardware for one in engines), path=f"{where}: accelerator.model")
    _counts(draft, engines, where)
    for degree in _DEGREES:
        stated = {as_number(one.degrees.get(degree)) for one in engines}
        if len(stated) == 1:
            draft.put(degree, stated.pop(), path=f"{where}: parallelism.{degree}")
        elif None not in stated:
            shown = ", ".join(f"{one.role or 'component'} {one.degrees.get(degree)}" for one in engines)
            draft.warn("mixed_degrees", f"{degree} differs between components ({shown}): left open", degree)


def _counts(draft: Draft, engines: Sequence[Engine], where: str) -> None:
    counts = [one.count for one in engines]
    known = [count for count in counts if count is not None]
    if not known or len(known) < len(counts):
        return
    needed = sum((as_number(one.degrees.get("tp")) or 1) * (as_number(one.degrees.get("pp")) or 1) * one.replicas
                 for one in engines)  # fmt: skip
    short = sum(known) < needed
    draft.put("device_count", sum(known), path=f"{where}: accelerator.count, all components",
              origin="assumed" if short else "stated")  # fmt: skip
    if short:
        draft.warn(
            "device_count",
            f"{sum(known):g} accelerators are named in all, but tp * pp * replicas = {needed:g}: the count may be of "
            "one replica",
            "device_count",
        )
    for role in ("prefill", "decode"):
        of_role = [one.count for one in engines if one.role == role and one.count is not None]
        if of_role and len({one.role for one in engines}) > 1:
            draft.put(f"disagg_{role}_count", sum(of_role), path=f"{where}: accelerator.count of role {role}")
