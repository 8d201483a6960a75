"""Tables that name a metric in one column and its value in another, turned into one column a metric."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.readers.tables.grid import Row
from data.readers.tables.headers import role_of

VALUE = "value"
_METRIC = re.compile(r"metrics?|measure(ment)?s?|kpis?|metrik|messgrosse|indicator|quantity|指标", re.I)
_VALUE = re.compile(r"values?|wert|results?|ergebnis|valeur|valor|值|数值", re.I)
_UNIT = re.compile(r"units?|einheit|unite|unidad|单位", re.I)
_SHARE = 0.5  # of the cells under "metric" that must be measurements; others may be settings


def metric_column(names: Sequence[str], rows: Sequence[Row], columns: Sequence[int]) -> int | None:
    """The column whose every cell names a measurement, or None."""
    for index in columns:
        if rows and not role_of(names[index]).measures and all(role_of(row.cells[index]).measures for row in rows):
            return index
    return None


def gathered(names: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    """The table with a column a metric, if it has columns "metric" and "value" and others that tell runs apart."""
    metric, value, unit = (_column(names, pattern) for pattern in (_METRIC, _VALUE, _UNIT))
    if metric is None or value is None or len(names) < (3 if unit is None else 4):
        return names, rows
    measured = [role_of(row.cells[metric]).measures for row in rows]
    if sum(measured) < _SHARE * len(rows) or len({row.cells[metric] for row in rows}) < 2:
        return names, rows
    return spread(names, rows, metric, value, unit)


def _column(names: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    found = [index for index, name in enumerate(names) if pattern.fullmatch(name.strip())]
    return found[0] if len(found) == 1 else None


def spread(
    names: Sequence[str], rows: Sequence[Row], metric: int, value: int, unit: int | None
) -> tuple[list[str], list[Row]]:
    """One row for all rows that agree in every other column, one column a metric; a unit stands behind its name."""
    kept = [index for index in range(len(names)) if index not in (metric, value, unit)]
    groups: dict[tuple[str, ...], dict[str, Row]] = {}
    metrics: dict[str, None] = {}
    for row in rows:
        name = row.cells[metric] + (f" ({row.cells[unit]})" if unit is not None and row.cells[unit] else "")
        metrics.setdefault(name)
        groups.setdefault(tuple(row.cells[index] for index in kept), {}).setdefault(name, row)
    found = []
    for cells, of_metric in groups.items():
        first = next(iter(of_metric.values()))
        rows_of = [of_metric.get(name) for name in metrics]
        figures = [("", "") if one is None else (one.cells[value], one.place(value)) for one in rows_of]
        found.append(
            Row(
                line=first.line,
                cells=(*cells, *(cell for cell, _ in figures)),
                places=(*(first.place(index) for index in kept), *(place for _, place in figures)),
                carried=tuple((kept.index(index), line) for index, line in first.carried if index in kept),
                section=first.section,
            )
        )
    return [*(names[index] for index in kept), *metrics], found
