"""Columns whose header leaves the meaning open: what is proven, what to propose, what to ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from data.errors import ReadError
from data.readers.intake.fields import FIELDS
from data.readers.intake.result import Answers, Question
from data.readers.tables.evidence import SHOWN, Known, distance, expectations, few, users
from data.readers.tables.headers import Column, Role
from data.readers.tables.units import time_unit

CLOSE = 0.10  # agreement within which one column's meaning follows from others
LIKELY = 0.35  # disagreement up to which an expectation still carries a proposal


def apply_answers(columns: list[Column], answers: Answers) -> None:
    """Give columns the meaning the person said: `field`, `field in unit`, or `ignore`. Raises ReadError if bad."""
    labels = {column.label: column for column in columns}
    for key, value in answers.items():
        if not key.startswith("column:"):
            continue
        column = labels.get(key.removeprefix("column:"))
        if column is None:
            raise ReadError("an answer is for a column that is not there", found=key, expected=", ".join(labels))
        column.role, column.said = _said(column, value), True


def _said(column: Column, value: str) -> Role:
    name, _, unit_text = (part.strip() for part in value.partition(" in "))
    if name == "ignore":
        return Role()
    names = [one for one in column.role.candidates if one == name or one.startswith(f"{name}_")] or [name]
    if len(names) != 1 or names[0] not in FIELDS:
        raise ReadError(
            f"the answer for column {column.label!r} is no field",
            found=value,
            expected=" or ".join(column.role.candidates) or "a canonical field, or ignore",
        )
    unit = time_unit(unit_text) if unit_text else column.role.unit
    if unit is None:
        raise ReadError(
            f"the unit for column {column.label!r} is not known", found=unit_text, expected="ns, us, ms, s or min"
        )
    return replace(column.role, target=names[0], candidates=(), unit=unit)


def settle(columns: list[Column], known: Known) -> list[Question]:
    """Decide columns that other columns prove; questions with proposals for the rest."""
    mark_rivals(columns)
    named = [column for column in columns if column.role.candidates]
    _widen_twins(named)
    questions: list[Question] = []
    proposed: dict[str, Column] = {}
    for column in named:
        if _proven_total(column, columns, known):
            column.role = replace(column.role, target="output_tps", candidates=())
            continue
        choice, because = _propose(column, known, proposed)
        column.proposed, proposed[choice] = choice, column
        questions.append(
            Question(
                field=f"column:{column.label}",
                text=_text(column, named),
                proposal=choice,
                because=because,
                blocking=True,
                choices=(*column.role.candidates, "ignore"),
            )
        )
    return questions


def mark_rivals(columns: list[Column]) -> None:
    """Two columns that both claim one measured field are both open: neither may overwrite the other."""
    for column in columns:
        same = [one for one in columns if one.role.target == column.role.target and one.role.measures]
        if column.role.target and not column.said and len(same) > 1 and column.role.target in FIELDS:
            prefix = column.role.target.split("_")[0]
            stats = tuple(f"{prefix}_{stat}_ms" for stat in ("mean", "p50", "p95", "p99"))
            options = stats if stats[0] in FIELDS else ("output_tps", "total_tps", "request_rps")
            for one in same:
                one.role = replace(one.role, target="", candidates=options)


def _widen_twins(named: list[Column]) -> None:
    """Latency columns of one name may be several statistics of one metric."""
    names = [column.name for column in named]
    for column in named:
        if names.count(column.name) > 1 and column.role.assumed and "e2e_mean_ms" in column.role.candidates:
            extra = ("e2e_p50_ms", "e2e_p95_ms", "e2e_p99_ms")
            column.role = replace(column.role, candidates=(*column.role.candidates, *extra))


def _text(column: Column, named: list[Column]) -> str:
    shown = ", ".join(cell.raw for cell in column.cells[:SHOWN])
    choices = " or ".join(column.role.candidates)
    twins = [one for one in named if one.name == column.name and one is not column]
    if twins:
        others = "; ".join(f"col {one.index + 1}: {', '.join(cell.raw for cell in one.cells[:SHOWN])}" for one in twins)
        return (
            f"{len(twins) + 1} columns are called {column.name!r} (col {column.index + 1}: {shown}; {others}). "
            f"Which is column {column.index + 1}: {choices}?"
        )
    return f"What does column {column.name!r} ({shown}) hold: {choices}?"


def _propose(column: Column, known: Known, proposed: Mapping[str, Column]) -> tuple[str, str]:
    """(field, reason) for an open column: what other figures lead one to expect, else the customary reading."""
    best: tuple[float, str, str] | None = None
    for name in column.role.candidates:
        for one in expectations(name, users(known)):
            off = distance(column.numbers(), one.values)
            if off is not None and (best is None or off < best[0]):
                reason = f"{one.how} gives {few(one.values)}, this column holds {few(column.numbers())}"
                best = (off, name, reason)
    if best and best[0] <= LIKELY and best[1] not in proposed:
        return best[1], best[2]
    free = [name for name in column.role.candidates if name not in proposed] or list(column.role.candidates)
    if "_ms" in free[0]:
        return _ladder(column, free, proposed)
    return free[0], "this is how the name is mostly used; nothing else in the file proves it"


def _ladder(column: Column, free: list[str], proposed: Mapping[str, Column]) -> tuple[str, str]:
    """Of two like latency columns the lower is taken for the median, the higher for the tail."""
    lower = [name for name, one in proposed.items() if one.name == column.name]
    if lower:
        tail = next((name for name in free if "_p95_" in name), free[-1])
        return tail, f"its values lie above those of the other column of this name, taken as {lower[0]}"
    first = next((name for name in free if "_p50_" in name), free[0])
    return first, "a latency without more words is mostly the whole request's; nothing in the file proves it"


def _proven_total(column: Column, columns: list[Column], known: Known) -> bool:
    """True for "tok/s (total)" beside a per-user column that multiplies to it in most rows."""
    each, count = known.get("output_tps_per_user"), users(known).get("users")
    if "output_tps" not in column.role.candidates or not each or not count or "total" not in column.name.lower():
        return False
    pairs = [(u * e, n) for u, e, n in zip(count, each, column.numbers(), strict=True) if u and e and n]
    good = sum(abs(product - number) <= CLOSE * number for product, number in pairs)
    alone = sum("output_tps" in one.role.candidates or one.role.target == "output_tps" for one in columns) == 1
    return alone and good * 2 > len(pairs)
