"""One GuideLLM benchmark, of any version, as a draft: counts by status, latencies of successful requests, rates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from data.readers.guidellm_report.distributions import all_equal, distribution, mean, put_distribution
from data.readers.guidellm_report.settings import put_settings
from data.readers.guidellm_report.token_times import put_token_times
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number

_COUNTS = {"successful": "completed", "errored": "failed", "incomplete": "incomplete", "total": "num_requests"}
_RATES = {
    "requests_per_second": "request_rps",
    "output_tokens_per_second": "output_tps",
    "prompt_tokens_per_second": "input_tps",
    "tokens_per_second": "total_tps",
    "request_concurrency": "concurrency_mean",
}
_LENGTHS = {"prompt_token_count": "isl", "output_token_count": "osl"}
_TOTALS = {"isl": "total_input_tokens", "osl": "total_output_tokens"}


def is_benchmark(value: object) -> bool:
    """True for one entry of a report's `benchmarks`: metrics by status, latency among them."""
    if not isinstance(value, Mapping):
        return False
    metrics = value.get("metrics")
    latency = metrics.get("request_latency") if isinstance(metrics, Mapping) else None
    return isinstance(latency, Mapping) and "successful" in latency


def benchmark_draft(benchmark: Mapping[str, Any], report: Mapping[str, Any], place: str, line: int = 0) -> Draft:
    """The run of one benchmark; `report` is the whole file, for what holds for all of its benchmarks."""
    draft = Draft(place=place, line=line, native=_native(benchmark, report))
    version = _mapping(report.get("metadata")).get("guidellm_version")
    draft.put("source_tool_version", version, path="metadata.guidellm_version")
    _counts(draft, benchmark, place)
    _times(draft, benchmark, place)
    for metric, side in _LENGTHS.items():
        found, at = distribution(benchmark, metric), f"{place}.metrics.{metric}.successful"
        draft.put(f"{side}_mean", found.get("mean"), path=f"{at}.mean")
        draft.put(f"{side}_std", found.get("std_dev"), path=f"{at}.std_dev")
        draft.put(_TOTALS[side], found.get("total_sum"), path=f"{at}.total_sum")
    draft.lengths_fixed = all_equal(distribution(benchmark, "output_token_count"))
    for metric, name in _RATES.items():
        draft.put(name, mean(distribution(benchmark, metric)), path=f"{place}.metrics.{metric}.successful.mean")
    peak = distribution(benchmark, "request_concurrency").get("max")
    draft.put("concurrency_peak", peak, path=f"{place}.metrics.request_concurrency.successful.max")
    goodput = _mapping(benchmark.get("metrics")).get("request_goodput")
    draft.put("goodput_rps", as_number(goodput), path=f"{place}.metrics.request_goodput")
    _latencies(draft, benchmark, place)
    put_token_times(draft, benchmark, place)
    put_settings(draft, benchmark, report, place)
    _cut_off(draft, benchmark)
    return draft


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _counts(draft: Draft, benchmark: Mapping[str, Any], place: str) -> None:
    metrics = _mapping(benchmark.get("metrics"))
    inside = _mapping(metrics.get("request_totals"))
    totals, at = (inside, ".metrics.request_totals") if inside else (benchmark.get("request_totals"), ".request_totals")
    for status, name in _COUNTS.items():
        draft.put(name, _mapping(totals).get(status), path=f"{place}{at}.{status}")


def _times(draft: Draft, benchmark: Mapping[str, Any], place: str) -> None:
    draft.put("duration_s", benchmark.get("duration"), path=f"{place}.duration", unit="s")
    start = benchmark.get("start_time")
    if isinstance(start, str):
        draft.put("started_at", start.replace(" ", "T", 1), path=f"{place}.start_time", shown=start)
        return
    seconds = as_number(start)
    if seconds is None:
        return
    end = as_number(benchmark.get("end_time"))
    if end is not None:
        draft.derive("duration_s", end - seconds, f"{place}: end_time - start_time")
    try:
        moment = datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return
    draft.put("started_at", moment, path=f"{place}.start_time", origin="converted", shown=str(start))


def _latencies(draft: Draft, benchmark: Mapping[str, Any], place: str) -> None:
    """TTFT in ms, request latency in s: the report mixes units between metrics."""
    at = f"{place}.metrics.time_to_first_token_ms.successful"
    put_distribution(draft, "ttft", distribution(benchmark, "time_to_first_token_ms"), place=at, unit="ms")
    at = f"{place}.metrics.request_latency.successful"
    put_distribution(draft, "e2e", distribution(benchmark, "request_latency"), place=at, unit="s", scale=1000.0)


def _cut_off(draft: Draft, benchmark: Mapping[str, Any]) -> None:
    """Rates of successful requests leave out the tokens of those cut off at the time limit: name both."""
    kept, everything = draft.number("output_tps"), mean(distribution(benchmark, "output_tokens_per_second", "total"))
    if draft.number("incomplete") and kept is not None and everything is not None and everything > kept:
        draft.warn(
            "cut_off",
            f"output {kept:.5g} tokens/s counts completed requests only; with the "
            f"{draft.number('incomplete'):g} requests cut off at the end it is {everything:.5g} tokens/s",
            "output_tps",
            "incomplete",
        )


def _native(benchmark: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, object]:
    """Means of every metric by status under their native names; prompts and answers stay in the file."""
    kept: dict[str, object] = {}
    for name, by_status in _mapping(benchmark.get("metrics")).items():
        if isinstance(by_status, Mapping) and isinstance(by_status.get("successful"), Mapping):
            found = {status: _mapping(by_status.get(status)).get("mean") for status in _COUNTS}
            kept[str(name)] = {status: value for status, value in found.items() if value is not None}
    config = _mapping(benchmark.get("config")) or _mapping(benchmark.get("args"))
    return {"metadata": report.get("metadata"), "strategy": config.get("strategy"), "metrics": kept}
