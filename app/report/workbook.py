"""A report as a workbook: answers, a sheet of full-precision figures per page, arithmetic and sources."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from app.exhibits import Exhibit
from app.report.page_of_html import source_words
from data.errors import WaferlineError

INERT = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
_NAME_LENGTH = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_CELL_LENGTH = 32_767
Rows = Iterable[Sequence[object]]


def report_workbook(exhibits: Sequence[Exhibit], versions: dict[str, str]) -> bytes:
    """The report as .xlsx. Texts stay texts, whatever they begin with. Raises WaferlineError for an empty report."""
    if not exhibits:
        raise WaferlineError("nothing to report", remedy="Open a page that answers a question first.")
    into = io.BytesIO()
    with xlsxwriter.Workbook(into, INERT) as book:
        used: set[str] = set()
        head = book.add_format({"bold": True, "bottom": 1})

        def sheet(name: str, headers: Sequence[str], rows: Rows, widths: Sequence[int] = ()) -> None:
            _fill(book.add_worksheet(sheet_name(name, used)), headers, rows, head, widths)

        sheet("Answers", ("Page", "Question", "Answer", "For", "View"), _answers(exhibits), (16, 40, 70, 60, 40))
        for each in exhibits:
            for key, study in each.studies.items():
                name = each.title if len(each.studies) == 1 else f"{each.title} {key}"
                sheet(name, [str(column) for column in study.table.columns], _table(study.table))
        sheet("Arithmetic", ("Page", "About", "Formula", "Numbers", "Result", "Source"), _steps(exhibits))
        sheet("Assumed", ("Page", "Assumption"), _assumed(exhibits), (16, 120))
        sheet("Sources", ("Page", "Source"), _sources(exhibits), (16, 120))
        sheet("Made with", ("What", "Which"), versions.items(), (24, 30))
    return into.getvalue()


def sheet_name(wanted: str, used: set[str]) -> str:
    """A sheet's name within the format's rules, unlike those used before."""
    plain = _FORBIDDEN.sub(" ", wanted).strip("' ")[:_NAME_LENGTH] or "Sheet"
    name, number = plain, 2
    while name.lower() in used:
        ending = f" {number}"
        name, number = plain[: _NAME_LENGTH - len(ending)] + ending, number + 1
    used.add(name.lower())
    return name


def _fill(sheet: Worksheet, headers: Sequence[str], rows: Rows, head: Any, widths: Sequence[int]) -> None:
    sheet.freeze_panes(1, 0)
    for at, header in enumerate(headers):
        sheet.write_string(0, at, header, head)
        sheet.set_column(at, at, widths[at] if at < len(widths) else max(12, min(40, len(header) + 2)))
    for line, row in enumerate(rows, start=1):
        for at, value in enumerate(row):
            _write(sheet, line, at, value)


def _write(sheet: Worksheet, line: int, at: int, value: object) -> None:
    """Numbers as numbers, what is unknown as an empty cell, everything else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return
    if isinstance(value, bool):
        sheet.write_boolean(line, at, value)
    elif isinstance(value, (int, float)) and math.isfinite(value):
        sheet.write_number(line, at, value)
    else:
        sheet.write_string(line, at, str(value)[:_CELL_LENGTH])


def _table(frame: pd.DataFrame) -> Rows:
    return frame.to_numpy(dtype=object).tolist()


def _answers(exhibits: Sequence[Exhibit]) -> Rows:
    for each in exhibits:
        for study in each.studies.values():
            yield each.title, study.question, study.answer, study.conditions, each.address


def _steps(exhibits: Sequence[Exhibit]) -> Rows:
    for each in exhibits:
        for study in each.studies.values():
            for step in study.arithmetic():
                yield each.title, step.subject, step.formula, step.substituted, step.result, step.source


def _assumed(exhibits: Sequence[Exhibit]) -> Rows:
    return ((each.title, line) for each in exhibits for study in each.studies.values() for line in study.assumptions)


def _sources(exhibits: Sequence[Exhibit]) -> Rows:
    found = ((e.title, source_words(s)) for e in exhibits for study in e.studies.values() for s in study.sources)
    return list(dict.fromkeys(found))
