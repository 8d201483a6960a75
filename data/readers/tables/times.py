"""Units of time that neither header nor cell gives: taken from a remark, proposed from hard constraints, asked."""

from __future__ import annotations

from collections.abc import Sequence

from data.errors import ReadError
from data.readers.intake.result import Answers, Question
from data.readers.tables.evidence import Expectation, Known, expectations, users
from data.readers.tables.headers import Column
from data.readers.tables.units import TIME_MS, note_unit, time_unit

_TRIED = ("ms", "s", "us", "ns")
_FACTOR = 3.0  # a proposed unit must bring the column within this factor of what other columns give


def settle_units(
    columns: list[Column], remarks: Sequence[tuple[int, str]], lines: Sequence[int], known: Known, answers: Answers
) -> list[Question]:
    """Give every time column its unit; questions for those that nothing decides."""
    questions: list[Question] = []
    for column in columns:
        if not column.is_time:
            continue
        bare = [n for n, cell in enumerate(column.cells) if cell.kind == "number" and time_unit(cell.unit) is None]
        measured = sum(cell.kind == "number" for cell in column.cells)
        said = answers.get(f"unit:{column.label}")
        if said is not None:
            column.unit, column.unit_from = _checked(said), "unit said by the person"
        elif column.role.unit:
            column.unit = column.role.unit
        elif note := _remark(remarks):
            column.unit, column.unit_from = note
        elif bare and len(bare) == measured:
            questions.append(_ask_column(column, known))
        else:
            questions += _ask_cells(column, bare, lines, known, answers)
    return questions


def _checked(said: str) -> str:
    unit = time_unit(said)
    if unit is None:
        raise ReadError("the answer is no unit of time", found=said, expected=", ".join(TIME_MS))
    return unit


def _remark(remarks: Sequence[tuple[int, str]]) -> tuple[str, str] | None:
    for line, text in remarks:
        unit = note_unit(text)
        if unit:
            return unit, f"unit from the remark on row {line}: {text!r}"
    return None


def _ask_column(column: Column, known: Known) -> Question:
    unit, because = _column_proposal(column, known)
    column.unit, column.unit_from = unit, f"assumed: {because}"
    shown = ", ".join(cell.raw for cell in column.cells[:3])
    return Question(
        field=f"unit:{column.label}",
        text=f"In which unit are the times of column {column.name!r} ({shown})?",
        proposal=unit,
        because=because,
        blocking=True,
        choices=tuple(TIME_MS),
    )


def _column_proposal(column: Column, known: Known) -> tuple[str, str]:
    for one in _references(column, known):
        for unit in _TRIED:
            pairs = [
                (value * TIME_MS[unit], wanted)
                for value, wanted in zip(column.numbers(), one.values, strict=True)
                if value and wanted
            ]
            if pairs and all(1 / _FACTOR <= ours / wanted <= _FACTOR for ours, wanted in pairs):
                shown = f"{pairs[0][0] / TIME_MS[unit]:.4g}"
                return unit, f"{one.how} = {pairs[0][1]:.4g} ms, which {shown} can only be in {unit}"
    return "ms", "milliseconds are customary; nothing in the file proves it"


def _references(column: Column, known: Known) -> list[Expectation]:
    """Times in ms that this column must be near: the whole request's by Little's law, one token's by the rate."""
    metrics = {name.split("_")[0] for name in (column.role.target, *column.role.candidates)}
    kind = "e2e" if "e2e" in metrics else "token" if metrics & {"tpot", "itl"} else ""
    return expectations(kind, users(known)) if kind else []


def _ask_cells(column: Column, bare: list[int], lines: Sequence[int], known: Known, answers: Answers) -> list[Question]:
    """Questions for single cells without a unit in a column whose other cells have one."""
    questions = []
    for row in bare:
        key = f"unit:{column.label} (row {lines[row]})"
        if key in answers:
            column.bare[row] = (_checked(answers[key]), "unit said by the person")
            continue
        unit, because = _cell_proposal(column, row, known)
        column.bare[row] = (unit, f"assumed: {because}")
        questions.append(
            Question(
                field=key,
                text=f"{column.cells[row].raw!r} in column {column.name!r}, row {lines[row]}, has "
                "no unit. Which is it?",
                proposal=unit,
                because=because,
                blocking=True,
                choices=tuple(TIME_MS),
            )
        )
    return questions


def _cell_proposal(column: Column, row: int, known: Known) -> tuple[str, str]:
    value, first = column.cells[row].value or 0.0, (known.get("ttft_mean_ms") or [])
    least = first[row] if row < len(first) else None
    if column.role.target.startswith("e2e") and least:
        possible = [unit for unit in ("ms", "s", "min") if value * TIME_MS[unit] >= least]
        if possible and possible[0] != "ms":
            return possible[0], f"{value:g} ms would be below TTFT {least:g} ms"
    units = [unit for cell in column.cells if (unit := time_unit(cell.unit))]
    most = max(set(units), key=units.count) if units else "ms"
    return most, f"most cells of the column are in {most}"
