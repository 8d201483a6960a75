"""Metrics of AIPerf and GenAI-Perf as canonical fields. Their "inter token latency" is a TPOT, one value a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from data.readers.intake.draft import Draft, Origin
from data.readers.intake.fields import latency_names
from data.readers.intake.json_values import as_number
from data.readers.tables.units import TIME_MS, time_unit

_DISTRIBUTIONS = {
    "time_to_first_token": "ttft",
    "inter_token_latency": "tpot",
    "inter_chunk_latency": "itl",
    "request_latency": "e2e",
}
_LENGTHS = {
    "output_sequence_length": "osl",
    "num_output_token": "osl",
    "input_sequence_length": "isl",
    "num_input_token": "isl",
}
_SINGLE = {
    "output_token_throughput": "output_tps",
    "total_token_throughput": "total_tps",
    "input_token_throughput": "input_tps",
    "request_throughput": "request_rps",
    "request_goodput": "goodput_rps",
    "goodput": "goodput_rps",
    "request_count": "completed",
    "error_request_count": "failed",
    "completed_request_count": "num_requests",
    "completed_requests": "num_requests",
    "benchmark_duration": "duration_s",
    "total_isl": "total_input_tokens",
    "total_input_sequence_length": "total_input_tokens",
    "total_osl": "total_output_tokens",
    "total_output_sequence_length": "total_output_tokens",
    "effective_concurrency": "concurrency_mean",
}
_STATISTICS = {
    "avg": "mean",
    "std": "std",
    "min": "min",
    "max": "max",
    "p99.9": "p999",
    "p999": "p999",
    "median": "p50",
}
_UNIT = re.compile(r"^(.*?)\s*(?:\(([^()]*)\))?\s*$")
_KNOWN = frozenset(latency_names())


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric: its unit as written, its statistics by the tool's names (avg, p50, ...), its place in the file."""

    unit: str
    place: str
    statistics: Mapping[str, object] = field(default_factory=dict)

    def number(self, statistic: str = "avg") -> float | None:
        """The statistic as a finite number, in the metric's own unit."""
        return as_number(self.statistics.get(statistic))


Metrics = Mapping[str, Metric]


def key_of(label: str) -> tuple[str, str]:
    """(metric key, unit) of a CSV label: "Time to First Token (ms)" is time_to_first_token in ms."""
    match = _UNIT.match(label.strip())
    name, unit = (match[1], match[2] or "") if match else (label, "")
    return re.sub(r"[\s\-]+", "_", name.strip().lower()), unit.strip()


def put_metrics(draft: Draft, metrics: Metrics, origin: Origin = "stated") -> None:
    """Every metric that has a canonical field; error-adjusted twins are left in the native record."""
    for key, metric in metrics.items():
        if family := _DISTRIBUTIONS.get(key):
            _distribution(draft, family, metric, origin)
        elif side := _LENGTHS.get(key.removesuffix("s")) or _LENGTHS.get(key):
            for statistic in ("avg", "std"):
                name = f"{side}_{_STATISTICS[statistic]}"
                draft.put(name, metric.statistics.get(statistic), path=f"{metric.place}.{statistic}", origin=origin)
        elif target := _SINGLE.get(key):
            _single(draft, target, metric, origin)
    spread = metrics.get("output_sequence_length")
    if spread is not None and spread.number("min") is not None:
        draft.lengths_fixed = spread.number("min") == spread.number("max")


def _distribution(draft: Draft, family: str, metric: Metric, origin: Origin) -> None:
    factor = _milliseconds(metric)
    if factor is None:
        draft.warn("rejected_value", f"{metric.place} is in {metric.unit!r}, which is no unit of time: left out")
        return
    for statistic, raw in metric.statistics.items():
        name = f"{family}_{_STATISTICS.get(statistic, statistic)}_ms"
        if name in _KNOWN:
            path = f"{metric.place}.{statistic}"
            draft.put(name, raw, path=path, unit=metric.unit, scale=factor, origin=origin)


def _milliseconds(metric: Metric) -> float | None:
    return TIME_MS.get(time_unit(metric.unit) or "")


def _single(draft: Draft, target: str, metric: Metric, origin: Origin) -> None:
    """A figure with one value, and the peak of the concurrency, which has a distribution."""
    scale = 1.0
    if target == "duration_s":
        scale = (_milliseconds(metric) or TIME_MS["s"]) / TIME_MS["s"]
    elif re.search(r"(/|per )\s*min", metric.unit):
        scale = 1 / 60
    statistic = "avg" if "avg" in metric.statistics else "value"
    path = f"{metric.place}.{statistic}"
    draft.put(target, metric.statistics.get(statistic), path=path, unit=metric.unit, scale=scale, origin=origin)
    if target == "concurrency_mean":
        draft.put("concurrency_peak", metric.statistics.get("max"), path=f"{metric.place}.max", origin=origin)
