"""Runs as llm-d benchmark reports 0.2.1, for those that have what a report must state; what the others lack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data.readers.intake.fields import FIELDS, STATISTICS, latency_names
from data.records import Run

VERSION = "0.2.1"
NOT_STATED = "not stated"
REQUIRED = ("model_raw", "engine", "engine_version", "hardware", "device_count", "num_requests")
_LATENCIES = {
    "time_to_first_token": ("ttft", "ms"),
    "time_per_output_token": ("tpot", "ms/token"),
    "inter_token_latency": ("itl", "ms/token"),
    "request_latency": ("e2e", "ms"),
}
_RATES = {
    "input_token_rate": ("input_tps", "tokens/s"),
    "output_token_rate": ("output_tps", "tokens/s"),
    "total_token_rate": ("total_tps", "tokens/s"),
    "request_rate": ("request_rps", "queries/s"),
}
_NAMES = {"std": "stddev", "p999": "p99p9"}
_SOURCES = ("random", "sampled")


def missing(run: Run) -> list[str]:
    """Canonical fields that the report requires and the run lacks."""
    values = run.values
    lacks = [name for name in REQUIRED if values.get(name) is None]
    if values.get("isl_nominal", values.get("isl_mean")) is None:
        lacks.append("isl_mean")
    if values.get("tp") is None and values.get("device_count") != 1:
        lacks.append("tp")  # left out, a report means 1
    lacks += [
        f"{metric}_mean_ms"
        for metric, _ in _LATENCIES.values()
        if f"{metric}_mean_ms" not in values and any(name in values for name in latency_names(metric))
    ]
    measured = [name for name in values if name.endswith(("_mean_ms", "_tps", "_rps"))]
    return lacks + ([] if measured else ["a mean latency or a rate"])


def left_out(runs: Sequence[Run]) -> list[str]:
    """One line a run that is not exported, with the fields that it lacks."""
    return [f"{run.source_file} {run.run_id}: lacks {', '.join(lacks)}" for run in runs if (lacks := missing(run))]


def reports(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """One report for every run that has the required fields.

    Source: JSON schema of llmd-benchmark-report 0.2.1. What the report has no place for stands in the load's native
    configuration under `waferline`, so that reading the file back loses nothing.
    """
    return [_report(run) for run in runs if not missing(run)]


def _report(run: Run) -> dict[str, Any]:
    values = run.values
    time = {"start": values.get("started_at"), "duration": _duration(values.get("duration_s"))}
    report: dict[str, Any] = _known({
        "version": VERSION,
        "run": {"uid": run.run_id, "time": _moment(time), "description": values.get("notes")},
        "scenario": {"stack": [_engine(run)], "load": _load(run)},
        "results": {"request_performance": {"aggregate": {
            "requests": _requests(values),
            "latency": {key: _statistics(values, metric, unit) for key, (metric, unit) in _LATENCIES.items()},
            "throughput": {key: {"units": unit, "mean": values[name]}
                           for key, (name, unit) in _RATES.items() if name in values},
        }}},
    })  # fmt: skip
    return report


def _known(value: Any) -> Any:
    """The value without empty parts."""
    if not isinstance(value, dict):
        return value
    inner = {key: _known(one) if key not in ("native", "parallelism") else one for key, one in value.items()}
    return {key: one for key, one in inner.items() if one is not None and one != {}}


def _moment(time: dict[str, Any]) -> dict[str, Any]:
    start = time["start"]
    return {**time, "start": start if isinstance(start, str) and len(start) > 10 else None}


def _duration(seconds: object) -> str | None:
    return None if seconds is None else f"PT{seconds}S"


def _engine(run: Run) -> dict[str, Any]:
    values = run.values
    degrees = {name: values[name] for name in ("tp", "pp", "ep", "dp") if values.get(name) is not None}
    weights = values.get("weight_format")
    return {
        "metadata": {"schema_version": "0.0.1", "label": "engine", "cfg_id": run.run_id},
        "standardized": {
            "kind": "inference_engine", "tool": values["engine"], "tool_version": values["engine_version"],
            "role": "replica", "replicas": 1, "model": {"name": values["model_raw"]},
            "accelerator": {"model": values["hardware"], "count": values["device_count"], "parallelism": degrees},
        },
        "native": {"args": {"--quantization": weights}} if weights else {},
    }  # fmt: skip


def _load(run: Run) -> dict[str, Any]:
    values, dataset = run.values, run.values.get("dataset")
    users = values.get("concurrency")
    whole = isinstance(users, int | float) and users >= 1 and float(users).is_integer()
    lengths = {key: _length(values.get(f"{side}_nominal"), values.get(f"{side}_mean"))
               for key, side in (("input_seq_len", "isl"), ("output_seq_len", "osl"))}  # fmt: skip
    return {
        "metadata": {"schema_version": "0.0.1"},
        "standardized": {
            "tool": run.source_format, "tool_version": values.get("source_tool_version") or NOT_STATED,
            "source": dataset if dataset in _SOURCES else "unknown", **lengths,
            "rate_qps": values.get("request_rate") or None,
            "concurrency": int(users) if whole and isinstance(users, int | float) else None,
        },
        "native": {"config": {"waferline": _rest(run)}},
    }  # fmt: skip


def _length(nominal: object, mean: object) -> dict[str, Any] | None:
    if nominal is None and mean is None:
        return None
    return {"distribution": "other", "value": mean if nominal is None else nominal}


def _requests(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"total": values["num_requests"], "failures": values.get("failed"),
                             "incomplete": values.get("incomplete")}  # fmt: skip
    for key, side in (("input_length", "isl"), ("output_length", "osl")):
        if f"{side}_mean" in values:
            found[key] = {"units": "count", "mean": values[f"{side}_mean"], "stddev": values.get(f"{side}_std")}
    return found


def _statistics(values: Mapping[str, Any], metric: str, unit: str) -> dict[str, Any] | None:
    found = {_NAMES.get(stat, stat): values[name] for stat in STATISTICS
             if (name := f"{metric}_{stat}_ms") in values}  # fmt: skip
    return {"units": unit, **found} if found else None


def _rest(run: Run) -> dict[str, Any]:
    """Every canonical value once more: the report rounds none, but has no place for some and no word for unlimited."""
    kept = {name: run.values[name] for name in FIELDS if name in run.values}
    unlimited = {"request_rate": "inf"} if "request_rate" in kept and kept["request_rate"] is None else {}
    return {"outcome": run.outcome, **kept, **unlimited}
