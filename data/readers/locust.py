"""Locust: statistics as CSV or JSON, and the history of which only the last totals are results."""

from __future__ import annotations

from collections.abc import Sequence

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.delimited import LeftOut, rows_of, wrong_width
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.intake.statistics import put_statistics
from data.readers.load_tests.histogram import entry_draft
from data.readers.load_tests.samples import put_attempts

_TOTALS = ("Aggregated", "Total")
_STATS = {
    "median response time": "median",
    "average response time": "mean",
    "min response time": "min",
    "max response time": "max",
}
_COUNTS = {"sent": ("request count", "# requests"), "failed": ("failure count", "# failures"), "rate": ("requests/s",)}
_HISTORY = {
    "total median response time": "median",
    "total average response time": "mean",
    "total min response time": "min",
    "total max response time": "max",
}
Rows = list[tuple[int, dict[str, str]]]


def _names(content: Content) -> list[str]:
    line = next((line for line in content.lines[:3] if line.strip()), "")
    return [name.strip().strip('"').lower() for name in line[:5_000].split(",")]


def _kind(content: Content) -> str:
    """One of "stats", "history", "failures", "exceptions", or "" for anything else."""
    names = set(_names(content)) if not content.values else set()
    if {"name", "median response time"} <= names and names & {"request count", "# requests"}:
        return "stats"
    if {"timestamp", "user count", "total request count"} <= names:
        return "history"
    if {"method", "name", "error", "occurrences"} <= names:
        return "failures"
    return "exceptions" if {"count", "message", "traceback", "nodes"} <= names else ""


def _is_entry(record: Record) -> bool:
    return all(key in record for key in ("num_requests", "num_failures", "total_response_time", "response_times"))


def _recognise(content: Content) -> bool:
    return _kind(content) != "" or any(isinstance(one.value, dict) and _is_entry(one.value) for one in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    kind = _kind(content)
    if not kind:
        items, left_out = pick(content, _is_entry, "Locust")
        return Reading(drafts=[entry_draft(item) for item in items], questions=[], skipped=left_out, notices=[])
    left = LeftOut()
    rows = _rows(content, left)
    if kind in ("failures", "exceptions"):
        count = sum(as_number(row.get("occurrences") or row.get("count")) or 0 for _, row in rows)
        raise ReadError(f"this is Locust's list of {kind}, not its results", found=f"{count:g} {kind}",
                        remedy="Bring the file that ends in _stats.csv.")  # fmt: skip
    if not rows:
        raise ReadError("the Locust table holds no row of results")
    drafts = _history(rows, left) if kind == "history" else _stats(rows, left)
    return Reading(drafts=drafts, questions=[], skipped=left.listed(), notices=[])


def _rows(content: Content, left: LeftOut) -> Rows:
    start = next((n for n, line in enumerate(content.lines) if line.strip()), 0)
    names, rows = _names(content), Rows()
    for line, cells in rows_of(content.lines[start + 1 :], ",", start + 2):
        if len(cells) == len(names):
            rows.append((line, {name: cell.strip() for name, cell in zip(names, cells, strict=True)}))
        else:
            left.add(wrong_width(line, cells, names))
    return rows


def _stats(rows: Rows, left: LeftOut) -> list[Draft]:
    """The run of all requests together; rows of single addresses are parts of it."""
    whole = [(line, row) for line, row in rows if row["name"] in _TOTALS and not row.get("type")]
    for line, row in rows:
        if whole and (line, row) not in whole:
            left.add(Skipped(line=line, why=f"{row['name']}: a part of the Aggregated row"))
    drafts = []
    for line, row in whole or rows:
        draft = Draft(place=f"row {line}", line=line, native=row)
        figures = {_STATS.get(name, name): cell for name, cell in row.items() if name != "100%"}  # the maximum, rounded
        put_statistics(draft, "e2e", figures, f"row {line}")
        _rounded(draft)
        counts = {key: _first(row, names) for key, names in _COUNTS.items()}
        put_attempts(draft, counts["sent"], counts["failed"], counts["rate"], f"row {line}")
        drafts.append(draft)
    return drafts


def _rounded(draft: Draft) -> None:
    """Leave out percentiles that rounding has lifted above the exact maximum."""
    largest = draft.number("e2e_max_ms")
    for name in [one for one in draft.values if one.startswith("e2e_p")]:
        value = draft.number(name)
        if largest is not None and value is not None and value > largest:
            draft.drop(name)
            text = f"{name} = {value:g} is rounded above the maximum {largest:.6g}: left out"
            draft.warn("rounded", text, name, "e2e_max_ms")


def _first(row: dict[str, str], names: Sequence[str]) -> float | None:
    return next((as_number(row[name]) for name in names if name in row), None)


def _history(rows: Rows, left: LeftOut) -> list[Draft]:
    """The last totals; the percentiles of a history are those of its last seconds and no results."""
    whole = [(line, row) for line, row in rows if row["name"] in _TOTALS] or rows
    line, row = whole[-1]
    draft = Draft(place=f"row {line}", line=line, native=row)
    put_statistics(draft, "e2e", {stat: row.get(name) for name, stat in _HISTORY.items()}, f"row {line}: totals")
    times = [value for _, one in whole if (value := as_number(one.get("timestamp"))) is not None]
    seconds = max(times) - min(times) if times else 0.0
    sent, failed = as_number(row.get("total request count")), as_number(row.get("total failure count"))
    users = max((as_number(one.get("user count")) or 0.0 for _, one in whole), default=0.0)
    draft.put("concurrency_peak", users or None, path="largest User Count", origin="derived")
    draft.derive("duration_s", seconds or None, "last - first Timestamp")
    put_attempts(draft, sent, failed, sent / seconds if sent and seconds else None, f"row {line}")
    for at, _ in rows:
        if at != line:
            left.add(Skipped(line=at, why="an earlier or partial count of the same run"))
    return [draft]


READER = Reader(
    key="locust",
    title="Locust statistics (CSV, JSON) and history (CSV)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "engine", "weight_format", "isl_mean", "osl_mean", "output_tps", "ttft", "tpot"),
    asks=("model_raw", "hardware", "device_count", "engine", "weight_format", "isl_mean", "osl_mean"),
    sample="locust.csv",
)
