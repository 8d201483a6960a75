"""GuideLLM's two CSV layouts turned into the shape of its JSON: one flat header (0.3), three header rows (0.4 on)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.json_values import as_number
from data.readers.intake.result import Skipped

Header = tuple[str, str, str]  # group, metric with status and unit, statistic; the flat layout fills the second
Row = tuple[int, list[str]]

MAX_CELL_CHARACTERS = 10_000_000
_LIST = ("min", "p001", "p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "max")  # of the percentile cells
_STATUSES = ("successful", "errored", "incomplete", "total")
_FLAT = re.compile(
    r"^(Successful|Errored|Incomplete|Total) (.+?) "
    r"(mean|median|std dev|\[min, 0\.1, 1, 5, 10, 25, 75, 90, 95, 99, max\])$"
)
_FLAT_COUNT = re.compile(r"^(Successful|Errored|Incomplete|Total) Requests$", re.I)
_DOCUMENTS = (  # cells that hold JSON
    ("run info", "backend"),
    ("run info", "profile"),
    ("runtime info", "metadata"),
    ("runtime info", "arguments"),
)
_GROUPED = {
    ("request latency", "sec"): "request_latency",
    ("time to first token", "ms"): "time_to_first_token_ms",
    ("time per output token", "ms"): "time_per_output_token_ms",
    ("inter token latency", "ms"): "inter_token_latency_ms",
    ("server throughput", "requests/sec"): "requests_per_second",
    ("server throughput", "concurrency"): "request_concurrency",
    ("token metrics", "input tokens"): "prompt_token_count",
    ("token metrics", "output tokens"): "output_token_count",
    ("token throughput", "input tokens/sec"): "prompt_tokens_per_second",
    ("token throughput", "output tokens/sec"): "output_tokens_per_second",
    ("token throughput", "total tokens/sec"): "tokens_per_second",
}


def is_grouped(content: Content) -> bool:
    """True for three header rows."""
    lines = content.lines[:3]
    return len(lines) == 3 and lines[0].startswith(("Run Info,", '"Run Info",')) and "Request Latency" in lines[0]


def is_flat(content: Content) -> bool:
    """True for one header row with a status before each metric."""
    return bool(content.lines) and "Successful Request latency mean" in content.lines[0]


def benchmarks_of(content: Content) -> tuple[list[tuple[int, dict[str, Any]]], list[Skipped]]:
    """(line, benchmark in the shape of the JSON report) of every row, and rows whose cells do not fit the header."""
    rows = list(_rows(content))
    depth = 3 if is_grouped(content) else 1
    if len(rows) < depth:
        raise ReadError("the table breaks off in its header")
    headers = _headers([cells for _, cells in rows[:depth]])
    good, skipped = list[tuple[int, dict[str, Any]]](), list[Skipped]()
    for line, cells in rows[depth:]:
        if len(cells) != len(headers):
            skipped.append(Skipped(line=line, why=f"{len(cells)} cells under {len(headers)} headers: left out whole"))
        else:
            good.append((line, _benchmark(headers, cells)))
    return good, skipped


def _rows(content: Content) -> Iterator[Row]:
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    table, line = csv.reader(io.StringIO(content.text, newline="")), 1
    try:
        for cells in table:
            if any(cells):
                yield line, cells
            line = table.line_num + 1
    except csv.Error as error:
        raise ReadError("the table breaks off", where=f"line {line}", found=str(error)) from error


def _headers(rows: Sequence[list[str]]) -> list[Header]:
    if len(rows) == 1:
        return [("", name.strip(), "") for name in rows[0]]
    width = len(rows[0])
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    return [(padded[0][n].strip(), padded[1][n].strip(), padded[2][n].strip()) for n in range(width)]


def _benchmark(headers: Sequence[Header], cells: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"metrics": {}, "request_totals": {}}
    for header, cell in zip(headers, cells, strict=True):
        if header[0]:
            _grouped_cell(found, header, cell)
        else:
            _flat_cell(found, header[1], cell)
    return found


def _grouped_cell(found: dict[str, Any], header: Header, cell: str) -> None:
    group, name, statistic = (part.lower() for part in header)
    status = next((one for one in _STATUSES if name.startswith(one)), "")
    metric = _GROUPED.get((group, name.removeprefix(status).strip()))
    if metric and status:
        _statistic(found, metric, status, statistic, cell)
    elif group == "request counts":
        found["request_totals"][name] = as_number(cell)
    elif group == "timings" and name in ("duration", "start time"):
        found["duration" if name == "duration" else "start_time"] = as_number(cell) if name == "duration" else cell
    elif (group, name) == ("benchmark", "strategy"):
        found["strategy"] = cell
    elif (group, name) in _DOCUMENTS:
        found[name] = _json(cell)


def _flat_cell(found: dict[str, Any], name: str, cell: str) -> None:
    match = _FLAT.match(name)
    if match:
        metric = match[2].lower().replace(" ", "_")
        _statistic(found, metric, match[1].lower(), match[3], cell)
    elif count := _FLAT_COUNT.match(name):
        found["request_totals"][count[1].lower()] = as_number(cell)
    elif name == "Duration":
        found["duration"] = as_number(cell)
    elif name == "Start Time":
        found["start_time"] = cell
    elif name in ("Name", "Strategy"):
        found["strategy"] = cell
    elif name in ("Args", "Worker", "Request Loader", "Backend", "Profile"):
        found[name.lower().replace(" ", "_")] = _json(cell)
    elif name == "Generator Data":
        found["generator_data"] = cell


def _statistic(found: dict[str, Any], metric: str, status: str, statistic: str, cell: str) -> None:
    target = found["metrics"].setdefault(metric, {}).setdefault(status, {})
    if statistic == "percentiles" or statistic.startswith("[min"):
        values = _json(cell)
        if isinstance(values, list) and len(values) == len(_LIST):
            ranked = dict(zip(_LIST, values, strict=True))
            target |= {"min": ranked.pop("min"), "max": ranked.pop("max"), "percentiles": ranked}
    elif statistic in ("mean", "median", "std dev"):
        target[statistic.replace(" ", "_")] = as_number(cell)


def _json(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None
