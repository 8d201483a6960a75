"""JMeter's tables of totals: aggregate and summary reports in several languages, the dashboard's statistics.json."""

from __future__ import annotations

import re
from collections.abc import Mapping

from data.readers.intake.content import Content
from data.readers.intake.delimited import LeftOut, rows_of, wrong_width
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.result import Skipped
from data.readers.intake.statistics import put_statistics
from data.readers.load_tests.samples import put_attempts
from data.readers.tables.numbers import Cell, decide_marks, parse_cell

_ROLES = (
    ("samples", re.compile(r"#.*|samples|anzahl.*", re.I)),
    ("failures", re.compile(r".*(err|fehler|异常|错误).*%.*|.*%.*(err|fehler).*", re.I)),
    ("label", re.compile(r"label|libell.|bezeichnung|etiqueta|标签|sampler_label", re.I)),
    ("mean", re.compile(r"average|moyenne|mittelwert|durchschnitt.*|media|平均值|aggregate_report_mean", re.I)),
    ("median", re.compile(r"median|m.diane|mediana|中位数|aggregate_report_median", re.I)),
    ("percentile", re.compile(r"\D*(\d{2}(?:[.,]\d+)?)\s*%.*")),
    ("min", re.compile(r"(aggregate_report_)?(min|m.n)\.?(imum)?|最小值?", re.I)),
    ("max", re.compile(r"(aggregate_report_)?(max|m.x)\.?(imum)?|最大值?", re.I)),
    ("std", re.compile(r"std\.? ?dev\.?|.cart.type|standardabw.*|desv.*|标准偏差", re.I)),
    ("rate", re.compile(r"throughput|d.bit|durchsatz|rendimiento|吞吐量|aggregate_report_rate", re.I)),
)
_TOTAL = re.compile(r"total|gesamt|总体|合计", re.I)
_SECONDS_OF = {"": 1.0, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hour": 3600.0}
_DASHBOARD = {"meanResTime": "mean", "medianResTime": "median", "minResTime": "min", "maxResTime": "max",
              "pct1ResTime": "p90", "pct2ResTime": "p95", "pct3ResTime": "p99"}  # fmt: skip


def roles_of(line: str) -> dict[str, int]:
    """Column of every role that a header names; percentiles as "p90"."""
    found: dict[str, int] = {}
    for number, name in enumerate(line[:5_000].split(",")):
        plain = name.strip().strip('"')[:60]
        for role, pattern in _ROLES:
            match = pattern.fullmatch(plain)
            if match:
                key = f"p{match[1].replace(',', '.')}" if role == "percentile" else role
                found.setdefault(key, number)
                break
    return found


def is_aggregate(content: Content) -> bool:
    """Is the first line the header of an aggregate or summary report?"""
    line = next((line for line in content.lines[:3] if line.strip()), "")
    return {"label", "samples", "mean", "rate"} <= set(roles_of(line))


def is_dashboard(record: object) -> bool:
    """Is this object the statistics.json of a dashboard?"""
    if not isinstance(record, dict) or not record or len(record) > 10_000:
        return False
    return all(isinstance(one, dict) and "sampleCount" in one and "meanResTime" in one for one in record.values())


def aggregate_drafts(content: Content) -> tuple[list[Draft], list[Skipped]]:
    """A run for each label; the total over labels only where nothing else is there."""
    start = next(number for number, line in enumerate(content.lines) if line.strip())
    names, roles = content.lines[start].split(","), roles_of(content.lines[start])
    drafts, totals, skipped = list[Draft](), list[Draft](), LeftOut()
    rows = list(rows_of(content.lines[start + 1 :], ",", start + 2))
    decimal = decide_marks(cell for _, cells in rows for cell in cells[1:]).decimal
    for line, cells in rows:
        if len(cells) != len(names):
            skipped.add(wrong_width(line, cells, names))
            continue
        row = {role: cells[number].strip() for role, number in roles.items()}
        total = _TOTAL.fullmatch(row["label"]) is not None
        draft = _draft(row, line, decimal)
        draft.native = dict(zip(names, cells, strict=True))
        (totals if total else drafts).append(draft)
    twice = [Skipped(line=one.line, why="a total counts the rows above it twice") for one in totals if drafts]
    return drafts or totals, [*skipped.listed(), *twice]


def _draft(row: Mapping[str, str], line: int, decimal: str) -> Draft:
    draft = Draft(place=f"row {line}", line=line)
    read = {role: parse_cell(text, decimal) for role, text in row.items() if role != "label"}
    put_statistics(draft, "e2e", {role: cell.value for role, cell in read.items()}, f"row {line}")
    sent, failures, rate = read["samples"].value, read.get("failures"), read["rate"]
    share = None if failures is None else _share(failures)
    failed = None if sent is None or share is None else float(round(sent * share))
    per = _SECONDS_OF.get(rate.unit.strip("/ ").lower())
    draft.put("notes", row["label"] or None, path=f"row {line}: label")
    put_attempts(draft, sent, failed, rate.value / per if rate.value is not None and per else None, f"row {line}")
    if failed is None and failures is not None and failures.raw:
        text = f"row {line}: {failures.raw!r} failures, a share or a percentage? Without a percent sign left out"
        draft.warn("unit_doubt", text, "failed")
    return draft


def _share(cell: Cell) -> float | None:
    """Share of failures of "0.002%"; without the sign only a zero is clear."""
    if "%" in cell.raw and (cell.value or 0.0) > 100:  # a decimal comma among points, as some languages write shares
        cell = parse_cell(cell.raw, ",")
    if cell.value is None or not 0 <= cell.value <= 100:
        return None
    return cell.value / 100 if "%" in cell.raw else 0.0 if cell.value == 0 else None


def dashboard_drafts(record: Mapping[str, object]) -> tuple[list[Draft], list[Skipped]]:
    """A run for each transaction of a dashboard; its Total only where nothing else is there."""
    drafts, totals = list[Draft](), list[Draft]()
    for label, row in record.items():
        if not isinstance(row, dict):
            continue
        draft = Draft(place=f"$.{label}", line=1, native=row)
        put_statistics(draft, "e2e", {name: row.get(key) for key, name in _DASHBOARD.items()}, f"$.{label}")
        counts = [as_number(row.get(key)) for key in ("sampleCount", "errorCount", "throughput")]
        draft.put("notes", label, path=f"$.{label}")
        put_attempts(draft, counts[0], counts[1], counts[2], f"$.{label}")
        (totals if label == "Total" else drafts).append(draft)
    left = [Skipped(line=1, why="$.Total counts the transactions twice")] if drafts and totals else []
    return drafts or totals, left
