"""The CSV summaries of AIPerf and GenAI-Perf: sections with a header of their own, read by column name."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.result import Answers, Question, Reading, Skipped
from data.readers.nvidia.metrics import Metric, key_of, put_metrics
from data.readers.nvidia.report import note_no_streaming
from data.readers.nvidia.telemetry import SeenDevice, put_devices
from data.readers.nvidia.token_counts import compare_counts
from data.readers.tables.numbers import decide_marks, parse_cell

ASKS = (
    "model_raw",
    "concurrency",
    "hardware",
    "device_count",
    "tp",
    "engine",
    "engine_version",
    "weight_format",
    "kv_format",
)
_AIPERF_ALONE = re.compile(r"^\"?(?:Benchmark Duration|Inter Chunk Latency|Error Request Count)\b", re.M | re.I)
_DELIMITERS = ",;\t"
_FIRST_LINES = 20
_HEAD_CHARACTERS = 2_000
MAX_LINES = 20_000  # a summary has some hundred; more is another file

Rows = Iterator[tuple[int, list[str], list[str]]]  # line, header of the section, cells


def statistics_header(content: Content) -> tuple[str, list[str]] | None:
    """(delimiter, column names) of a summary, or None if the first line with text is no such header."""
    line = next((line for line in content.lines[:_FIRST_LINES] if line.strip(_DELIMITERS + " ")), "")
    for delimiter in _DELIMITERS:
        names = [name.strip().strip('"') for name in line[:_HEAD_CHARACTERS].split(delimiter)]
        if names[0] == "Metric" and "avg" in names[1:] and "GPU" not in names:
            return delimiter, names
    return None


def descending(names: list[str]) -> bool:
    """True if the percentiles run from high to low, as GenAI-Perf writes them and AIPerf does not."""
    ranks = [float(name[1:]) for name in names if name[:1] == "p" and name[1:].replace(".", "", 1).isdigit()]
    return len(ranks) > 1 and ranks[0] > ranks[-1]


def is_aiperf(content: Content) -> bool | None:
    """True for a summary of AIPerf, False for one of GenAI-Perf, None for anything else."""
    found = statistics_header(content)
    if found is None:
        return None
    return not descending(found[1]) or "std" in found[1] or _AIPERF_ALONE.search(content.text) is not None


def read_summary(content: Content, answers: Answers) -> Reading:
    """The one run of a summary. Raises ReadError if no row of it is a metric that Waferline knows."""
    found = statistics_header(content)
    if found is None or len(content.lines) > MAX_LINES:
        raise ReadError("no header of statistics in the file", expected="Metric,avg,min,max and percentiles")
    draft = Draft(place="$", line=1)
    metrics: dict[str, Metric] = {}
    devices, skipped = list[SeenDevice](), list[Skipped]()
    decimal = _decimal(content, found[0])
    for line, header, cells in _sections(content, found[0]):
        if len(cells) != len(header):
            skipped.append(Skipped(line=line, why=f"{len(cells)} cells under {len(header)} headers"))
        elif header[0] == "Metric" and "GPU" not in header:
            key, unit = key_of(cells[0])
            values = {name: _value(cell, decimal) for name, cell in zip(header[1:], cells[1:], strict=True)}
            metrics.setdefault(key, Metric(unit=unit, place=f"line {line}, {cells[0]!r}", statistics=_lower(values)))
        else:
            devices += _device(dict(zip(header, cells, strict=True)), decimal)
    draft.native = {key: dict(metric.statistics) | {"unit": metric.unit} for key, metric in metrics.items()}
    put_metrics(draft, metrics)
    if not draft.values:
        raise ReadError("no metric of the summary is known", found=", ".join(list(metrics)[:6]) or "no rows")
    put_devices(draft, devices, "telemetry section")
    questions: list[Question] = compare_counts(draft, metrics, answers)
    note_no_streaming(draft)
    return Reading(drafts=[draft], questions=questions, skipped=skipped, notices=[])


def _sections(content: Content, delimiter: str) -> Rows:
    """Every row with its section's header. A row of names in place of figures begins a section."""
    csv.field_size_limit(131_072)
    table = csv.reader(io.StringIO(content.text, newline=""), delimiter=delimiter)
    header: list[str] = []
    try:
        for cells in table:
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            if cells[0] in ("Metric", "Endpoint"):
                header = cells
            elif header:
                yield table.line_num, header, cells
    except csv.Error as error:
        raise ReadError("the table breaks off", where=f"line {table.line_num}", found=str(error)) from error


def _decimal(content: Content, delimiter: str) -> str:
    """The decimal mark: a point, unless the file is cut by semicolons and its cells prove a comma."""
    if delimiter == ",":
        return "."
    cells = [cell for line in content.lines for cell in line.split(delimiter)[1:]]
    return decide_marks(cells).decimal


def _value(cell: str, decimal: str) -> float | None:
    return parse_cell(cell, decimal).value


def _lower(values: dict[str, float | None]) -> dict[str, object]:
    return {name.lower(): value for name, value in values.items() if value is not None}


def _device(row: dict[str, str], decimal: str) -> list[SeenDevice]:
    """The device of a telemetry row, with its power if the row is about power."""
    identity = row.get("GPU_UUID") or row.get("GPU") or row.get("GPU_Index") or ""
    if not identity:
        return []
    key, unit = key_of(row.get("Metric", ""))
    power = _value(row.get("avg", ""), decimal) if key == "gpu_power_usage" and unit == "W" else None
    return [SeenDevice(identity=identity, name=row.get("GPU_Name", ""), power_w=power)]
