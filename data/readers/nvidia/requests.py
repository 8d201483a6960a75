"""AIPerf's records of single requests, pooled into one run: counts, lengths, rates and distributions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Skipped
from data.readers.nvidia.metrics import Metric, put_metrics
from data.readers.nvidia.report import note_no_streaming
from data.readers.nvidia.token_counts import compare_counts

_PERCENTILES = (50, 75, 90, 95, 99)
_NANOSECONDS = 1e9
_PLACE = "records: metrics"


def is_request(record: Record) -> bool:
    """True for one line of the records: who and when under `metadata`, figures or an error beside it."""
    metadata = record.get("metadata")
    timed = isinstance(metadata, dict) and "request_start_ns" in metadata
    return timed and (isinstance(record.get("metrics"), dict) or record.get("error") is not None)


def pool(items: Sequence[Located], answers: Answers) -> tuple[Draft, list[Question], list[Skipped]]:
    """One run out of all measured requests; warm-up requests are left out and listed."""
    measured, skipped = list[Record](), list[Skipped]()
    for item in items:
        record: Record = item.value if isinstance(item.value, dict) else {}
        phase = record["metadata"].get("phase_kind") or record["metadata"].get("benchmark_phase") or "profiling"
        if phase == "profiling":
            measured.append(record)
        else:
            skipped.append(Skipped(line=item.line, why=f"{item.place} is a request of the phase {phase}"))
    done = [one for one in measured if isinstance(one.get("metrics"), dict) and not _spoilt(one)]
    draft = Draft(place="all records", line=1, native={"requests": len(measured)})
    _counts(draft, measured, len(done))
    _times(draft, measured)
    metrics = _metrics(done)
    put_metrics(draft, metrics, "derived")
    _rates(draft, metrics)
    questions = compare_counts(draft, metrics, answers)
    note_no_streaming(draft)
    return draft, questions, skipped


def _spoilt(record: Record) -> bool:
    return record.get("error") is not None or record["metadata"].get("was_cancelled") is True


def _counts(draft: Draft, measured: Sequence[Record], done: int) -> None:
    cancelled = sum(one["metadata"].get("was_cancelled") is True for one in measured)
    draft.put("num_requests", len(measured), path="records, counted", origin="derived")
    draft.put("completed", done, path="records without error, counted", origin="derived")
    draft.put("failed", len(measured) - done - cancelled, path="records with an error, counted", origin="derived")
    if cancelled:
        draft.put("incomplete", cancelled, path="records with was_cancelled, counted", origin="derived")


def _times(draft: Draft, measured: Sequence[Record]) -> None:
    """Start of the first request and the time until the last one's end."""
    starts = _stamps(measured, "request_start_ns")
    ends = _stamps(measured, "request_end_ns")
    if not starts or not ends:
        return
    try:
        first = datetime.fromtimestamp(min(starts) / _NANOSECONDS, UTC)
    except (ValueError, OverflowError, OSError):
        return
    path = "records: earliest metadata.request_start_ns"
    draft.put("started_at", first.isoformat(), path=path, origin="converted", shown=f"{min(starts):.0f}")
    seconds = (max(ends) - min(starts)) / _NANOSECONDS
    draft.derive("duration_s", seconds, "latest request_end_ns - earliest request_start_ns")


def _stamps(measured: Sequence[Record], key: str) -> list[float]:
    found = [as_number(one["metadata"].get(key)) for one in measured]
    return [stamp for stamp in found if stamp is not None]


def _metrics(done: Iterable[Record]) -> dict[str, Metric]:
    """Every metric over the requests; a metric with a list in each request (gaps) is pooled."""
    values: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for record in done:
        for key, one in record["metrics"].items():
            if isinstance(one, Mapping):
                units.setdefault(key, str(one.get("unit", "")))
                values.setdefault(key, []).extend(_numbers(one.get("value")))
    pooled = {key: found for key, found in values.items() if found}
    return {
        key: Metric(unit=units[key], place=f"{_PLACE}.{key}", statistics=_statistics(found))
        for key, found in pooled.items()
    }


def _numbers(value: Any) -> list[float]:
    many = value if isinstance(value, list) else [value]
    return [number for one in many if not isinstance(one, str) and (number := as_number(one)) is not None]


def _statistics(values: Sequence[float]) -> dict[str, object]:
    """Mean, population standard deviation, extremes and percentiles by linear interpolation, as AIPerf does."""
    array = np.asarray(values, dtype=float)
    found: dict[str, object] = {"avg": float(array.mean()), "std": float(array.std())}
    found |= {"min": float(array.min()), "max": float(array.max()), "sum": float(array.sum())}
    ranks = np.percentile(array, _PERCENTILES)
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
