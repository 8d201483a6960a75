"""Rows of an understood table as drafts of runs, every figure with its cell, unit and origin."""

from __future__ import annotations

import re
from dataclasses import replace

from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft, Origin
from data.readers.intake.fields import FIELDS
from data.readers.intake.names import split_devices, split_format, split_label, split_version
from data.readers.tables.grid import Row
from data.readers.tables.headers import Column
from data.readers.tables.numbers import Cell
from data.readers.tables.pivot import ROW_LABEL
from data.readers.tables.units import factor_into, plain_factor, time_unit

_PERCENT = 100.0
_TWO_LENGTHS = re.compile(r"(\d+)\s*(?:/|\+|,|:|x|in\s*/)\s*(\d+)(?:\s*out)?", re.I)


def draft_of(row: Row, position: int, columns: list[Column]) -> tuple[Draft, str]:
    """(draft, "") or (draft, why the row is no run)."""
    draft = Draft(place=f"row {row.line}", line=row.line)
    draft.native = {column.label: column.cells[position].raw for column in columns}
    carried = dict(row.carried)
    for column in columns:
        known = set(draft.values)
        _take(draft, column, column.cells[position], f"{row.place(column.index)}, column {column.label!r}", position)
        if column.index in carried:
            _mark_carried(draft, set(draft.values) - known, carried[column.index])
    if row.section is not None:
        _under_title(draft, *row.section)
    _names(draft)
    _lengths(draft)
    measured = [column.cells[position] for column in columns if column.role.measures]
    outcomes = {cell.kind for cell in measured}
    if draft.outcome is None and "oom" in outcomes:
        draft.outcome = "oom"
        draft.warn("oom", "the configuration ran out of memory: kept as an outcome, without figures")
    elif draft.outcome is None and "failed" in outcomes and "number" not in outcomes:
        draft.outcome = "failed"
    if draft.outcome is None and "number" not in outcomes:
        raw = ", ".join(repr(cell.raw) for cell in measured[:4])
        return draft, f"no measurement in the row (found {raw}): missing, without a reason"
    return draft, ""


def _take(draft: Draft, column: Column, cell: Cell, path: str, position: int) -> None:
    """Put one cell where its column's role says."""
    target = column.role.target
    if column.name == ROW_LABEL:
        for name, text in split_label(cell.raw).items():
            draft.put(name, text, path=path, shown=cell.raw)
    elif target == "DEVICE":
        _device(draft, cell, path)
    elif target == "BOTH_LENGTHS":
        two = _TWO_LENGTHS.fullmatch(cell.raw)
        for side, length in zip(("isl", "osl"), two.groups() if two else (cell.value, cell.value), strict=True):
            draft.put(f"{side}_nominal", length, path=path, shown=cell.raw)
    elif target in ("SUCCESS", "FAILURE") and cell.value is not None:
        _share(draft, target, cell, "%" in column.name)
    elif target == "STATUS":
        draft.outcome = "oom" if cell.kind == "oom" else "failed" if cell.kind == "failed" else None
    elif target.startswith("output_tps_per_") and cell.value is not None:
        draft.side[target] = cell.value * column.role.factor
    elif target in FIELDS and target not in draft.values:
        _figure(draft, column, cell, path, position)


def _mark_carried(draft: Draft, names: set[str], line: int) -> None:
    """Say of values that their cell is empty and the one above it, on `line`, holds for it."""
    for name in names:
        before = draft.fields[name]
        path = f"{before.path}: empty, carried down from row {line}"
        draft.fields[name] = replace(before, origin="assumed", path=path)


def _under_title(draft: Draft, line: int, text: str) -> None:
    """The title of this part of the table: kept as a note, and device and model that no column gives out of it."""
    path = f"row {line}, title of this part of the table"
    draft.put("notes", text if "notes" not in draft.values else None, path=path)
    for name, part in split_label(re.sub(r"\s+(?:on|auf|@|sur|en)\s+", " / ", text)).items():
        if name not in draft.values and name != "weight_format":
            count, device = split_devices(part) if name == "hardware" else (None, part)
            draft.put(name, device, path=path, shown=text, origin="assumed")
            draft.put("device_count", count, path=path, shown=text, origin="assumed")


def _figure(draft: Draft, column: Column, cell: Cell, path: str, position: int) -> None:
    target = column.role.target
    if FIELDS[target].kind == "text":
        draft.put(target, None if cell.kind == "missing" else cell.raw, path=path)
        return
    if target == "request_rate" and cell.raw.lower() in ("inf", "infinity", "unlimited", "max"):
        put_rate(draft, "inf", path)
        return
    if cell.kind == "text":
        draft.warn("rejected_value", f"{target} is {cell.raw!r} in {path}: not a number, left out", target)
    if cell.value is None:
        return
    multiple, reasons = 1.0 if column.is_time else plain_factor(cell.unit), list[str]()
    if multiple is None:
        draft.warn("rejected_value", f"{target} is {cell.raw!r} in {path}: {cell.unit!r} is not understood", target)
        return
    unit, scale = column.role.unit or FIELDS[target].unit, column.role.factor * multiple
    if column.is_time:
        own, (bare, bare_why) = time_unit(cell.unit), column.bare.get(position, (column.unit, column.unit_from))
        unit, reasons = (own, ["unit in the cell"]) if own else (bare, [bare_why])
        scale = factor_into(unit, target) or 1.0
    if column.said or column.role.assumed:
        reasons.append("meaning said by the person" if column.said else "statistic not stated, mean assumed")
    origin: Origin = "assumed" if any("assumed" in reason for reason in reasons) else "stated"
    place = "; ".join((path, *filter(None, reasons)))
    draft.put(target, cell.value, path=place, unit=unit, scale=scale, shown=cell.raw, origin=origin)


def _device(draft: Draft, cell: Cell, path: str) -> None:
    """A device column holds a name, a count, or both."""
    count, name = split_devices(cell.raw)
    if cell.kind == "number" and cell.unit == "":
        draft.put("device_count", cell.value, path=path, shown=cell.raw)
        return
    if cell.kind == "missing":
        return
    draft.put("hardware", name, path=path, shown=cell.raw)
    if count is not None:
        draft.put("device_count", count, path=path, shown=cell.raw)


def _share(draft: Draft, target: str, cell: Cell, percent: bool) -> None:
    value = cell.value or 0.0
    share = value / _PERCENT if percent or cell.unit.startswith("%") or value > 1 else value
    draft.side["failed_share"] = 1 - share if target == "SUCCESS" else share


def _names(draft: Draft) -> None:
    """Version out of the engine's name, weight format out of the model's, failures out of their share."""
    engine, version = split_version(draft.text("engine"))
    if version and "engine_version" not in draft.values:
        path = draft.fields["engine"].path
        draft.put("engine_version", version, path=path, shown=draft.text("engine"))
        draft.put("engine", engine, path=path, shown=draft.fields["engine"].raw)
    if draft.text("engine").lower() in ("vllm", "sglang"):
        draft.values["engine"] = draft.text("engine").lower()
    _, weights = split_format(draft.text("model_raw"))
    if weights and "weight_format" not in draft.values:
        draft.put(
            "weight_format", weights, path="from the model's name", origin="assumed", shown=draft.text("model_raw")
        )
    sent, share = draft.number("num_requests"), draft.side.get("failed_share")
    if sent is not None and share is not None and 0 <= share <= 1:
        draft.derive("failed", round(sent * share), "requests * share that failed")


def _lengths(draft: Draft) -> None:
    """Lengths of a hand-made table hold for every request unless the header says that they are means."""
    for side in ("isl", "osl"):
        asked = draft.number(f"{side}_nominal")
        if asked is not None and f"{side}_mean" not in draft.values:
            draft.put(
                f"{side}_mean",
                asked,
                path=f"{draft.fields[f'{side}_nominal'].path}; taken as every request's length",
                origin="derived",
                shown=draft.fields[f"{side}_nominal"].raw,
            )
            draft.lengths_fixed = True if side == "osl" else draft.lengths_fixed
