"""AIPerf's records of single requests, pooled into one run: counts, lengths, rates and distributions."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from data.readers.intake.delimited import LeftOut
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Skipped
from data.readers.nvidia.metrics import Metric, put_metrics
from data.readers.nvidia.report import note_no_streaming
from data.readers.nvidia.token_counts import compare_counts

_PERCENTILES = (50, 75, 90, 95, 99)
_NANOSECONDS = 1e9
MAX_METRICS = 500
_PLACE = "records: metrics"


def is_request(record: Record) -> bool:
    """True for one line of the records: who and when under `metadata`, figures or an error beside it."""
    metadata = record.get("metadata")
    timed = isinstance(metadata, dict) and "request_start_ns" in metadata
    return timed and (isinstance(record.get("metrics"), dict) or record.get("error") is not None)


@dataclass(kw_only=True)
class _Tally:
    """What is kept of the requests read so far: counts, earliest start, latest end, every metric's values."""

    measured: int = 0
    done: int = 0
    cancelled: int = 0
    first_ns: float = math.inf
    last_ns: float = -math.inf
    values: dict[str, array[float]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Count one request of the measured phase."""
        metadata = record["metadata"]
        cancelled = metadata.get("was_cancelled") is True
        self.measured += 1
        self.cancelled += cancelled
        start, end = as_number(metadata.get("request_start_ns")), as_number(metadata.get("request_end_ns"))
        self.first_ns = min(self.first_ns, math.inf if start is None else start)
        self.last_ns = max(self.last_ns, -math.inf if end is None else end)
        if cancelled or record.get("error") is not None or not isinstance(record.get("metrics"), dict):
            return
        self.done += 1
        for key, one in record["metrics"].items():
            if isinstance(one, Mapping) and (key in self.values or len(self.values) < MAX_METRICS):
                self.units.setdefault(key, str(one.get("unit", "")))
                self.values.setdefault(key, array("d")).extend(_numbers(one.get("value")))

    def metrics(self) -> dict[str, Metric]:
        """Every metric over the requests; one with a list in each request (gaps) is pooled."""
        return {
            key: Metric(unit=self.units[key], place=f"{_PLACE}.{key}", statistics=_statistics(found))
            for key, found in self.values.items()
            if found
        }


def pool(items: Iterable[Located], answers: Answers) -> tuple[Draft, list[Question], list[Skipped]]:
    """One run out of all measured requests, held one at a time; warm-up requests are left out and listed."""
    tally, skipped = _Tally(), LeftOut()
    for item in items:
        record: Record = item.value if isinstance(item.value, dict) else {}
        if not is_request(record):
            skipped.add(Skipped(line=item.line, why=f"{item.place} is no AIPerf request record"))
            continue
        phase = record["metadata"].get("phase_kind") or record["metadata"].get("benchmark_phase") or "profiling"
        if phase == "profiling":
            tally.add(record)
        else:
            skipped.add(Skipped(line=item.line, why=f"{item.place} is a request of the phase {phase}"))
    draft = Draft(place="all records", line=1, native={"requests": tally.measured})
    _counts(draft, tally)
    _times(draft, tally)
    metrics = tally.metrics()
    put_metrics(draft, metrics, "derived")
    _rates(draft, metrics)
    questions = compare_counts(draft, metrics, answers)
    note_no_streaming(draft)
    return draft, questions, skipped.listed()


def _counts(draft: Draft, tally: _Tally) -> None:
    draft.put("num_requests", tally.measured, path="records, counted", origin="derived")
    draft.put("completed", tally.done, path="records without error, counted", origin="derived")
    failed = tally.measured - tally.done - tally.cancelled
    draft.put("failed", failed, path="records with an error, counted", origin="derived")
    if tally.cancelled:
        draft.put("incomplete", tally.cancelled, path="records with was_cancelled, counted", origin="derived")


def _times(draft: Draft, tally: _Tally) -> None:
    """Start of the first request and the time until the last one's end."""
    if not (math.isfinite(tally.first_ns) and math.isfinite(tally.last_ns)):
        return
    try:
        first = datetime.fromtimestamp(tally.first_ns / _NANOSECONDS, UTC)
    except (ValueError, OverflowError, OSError):
        return
    path = "records: earliest metadata.request_start_ns"
    draft.put("started_at", first.isoformat(), path=path, origin="converted", shown=f"{tally.first_ns:.0f}")
    seconds = (tally.last_ns - tally.first_ns) / _NANOSECONDS
    draft.derive("duration_s", seconds, "latest request_end_ns - earliest request_start_ns")


def _numbers(value: Any) -> list[float]:
    many = value if isinstance(value, list) else [value]
    return [number for one in many if not isinstance(one, str) and (number := as_number(one)) is not None]


def _statistics(values: Sequence[float]) -> dict[str, object]:
    """Mean, population standard deviation, extremes and percentiles by linear interpolation, as AIPerf does."""
    given = np.asarray(values, dtype=float)
    found: dict[str, object] = {"avg": float(given.mean()), "std": float(given.std())}
    found |= {"min": float(given.min()), "max": float(given.max()), "sum": float(given.sum())}
    ranks = np.percentile(given, _PERCENTILES)
    return found | {f"p{rank}": float(value) for rank, value in zip(_PERCENTILES, ranks, strict=True)}


def _rates(draft: Draft, metrics: Mapping[str, Metric]) -> None:
    """Token totals and rates over the wall time."""
    seconds = draft.number("duration_s")
    totals = {"input": "input_sequence_length", "output": "output_sequence_length"}
    for side, key in totals.items():
        total = metrics[key].number("sum") if key in metrics else None
        draft.derive(f"total_{side}_tokens", total, f"{_PLACE}.{key}, summed")
        if total is not None and seconds:
            draft.derive(f"{side}_tps", total / seconds, f"total_{side}_tokens / duration")
    inputs, outputs = draft.number("input_tps"), draft.number("output_tps")
    if inputs is not None and outputs is not None:
        draft.derive("total_tps", inputs + outputs, "input + output tokens/s")
