"""The canonical fields of a run: name, kind and unit; what no list here names is kept in the native record only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FieldKind = Literal["number", "count", "text"]

LATENCIES = ("ttft", "tpot", "itl", "e2e")
STATISTICS = ("mean", "std", "min", "p50", "p75", "p90", "p95", "p99", "p999", "max")


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """One canonical field; `unit` is the customary unit that the name carries, empty for names and counts."""

    name: str
    kind: FieldKind
    unit: str
    meaning: str


def _number(name: str, unit: str, meaning: str) -> FieldSpec:
    return FieldSpec(name=name, kind="number", unit=unit, meaning=meaning)


def _count(name: str, meaning: str) -> FieldSpec:
    return FieldSpec(name=name, kind="count", unit="", meaning=meaning)


def _text(name: str, meaning: str) -> FieldSpec:
    return FieldSpec(name=name, kind="text", unit="", meaning=meaning)


def _latencies() -> list[FieldSpec]:
    words = {
        "ttft": "request sent to first streamed token",
        "tpot": "(end-to-end - first token) / (output tokens - 1), one value a request",
        "itl": "gap between two streamed chunks, all requests pooled",
        "e2e": "request sent to last token",
    }
    return [_number(f"{name}_{stat}_ms", "ms", f"{stat}: {words[name]}") for name in LATENCIES for stat in STATISTICS]


_SPECS = [
    _text("source_tool_version", "version of the tool that wrote the file"),
    _text("engine", "serving program"),
    _text("engine_version", "its version"),
    _text("model_raw", "model name as the file or the person gives it"),
    _text("model_id", "catalogue key of the model"),
    _text("hardware", "device name as the file or the person gives it"),
    _text("hardware_key", "catalogue key of the device"),
    _count("device_count", "devices in all"),
    _count("node_count", "hosts"),
    _count("tp", "tensor parallel degree"),
    _count("pp", "pipeline parallel degree"),
    _count("ep", "expert parallel degree"),
    _count("dp", "data parallel degree"),
    _count("disagg_prefill_count", "devices that only prefill"),
    _count("disagg_decode_count", "devices that only decode"),
    _text("weight_format", "number format of the weights"),
    _text("kv_format", "number format of the KV cache"),
    _text("spec_decoding", "speculative decoding method"),
    _number("spec_accept_len", "", "tokens accepted in one verification"),
    _text("prefix_cache", "on or off"),
    _number("prefix_hit_rate", "", "share of prompt tokens found in the prefix cache, 0 to 1"),
    _text("load_mode", "concurrency, rate, batch or offline"),
    _number("concurrency", "", "limit on requests in flight that was asked for"),
    _number("concurrency_mean", "", "requests in flight observed, mean"),
    _number("concurrency_peak", "", "requests in flight observed, peak"),
    _number("request_rate", "1/s", "arrival rate asked for; null means unlimited"),
    _number("burstiness", "", "shape of the arrival gaps; 1 is Poisson"),
    _count("batch_size", "sequences computed together; not a client's concurrency"),
    _text("dataset", "where the prompts came from"),
    _number("isl_mean", "tokens", "input length, mean"),
    _number("isl_std", "tokens", "input length, standard deviation"),
    _number("osl_mean", "tokens", "output length, mean"),
    _number("osl_std", "tokens", "output length, standard deviation"),
    _number("isl_nominal", "tokens", "input length asked for"),
    _number("osl_nominal", "tokens", "output length asked for"),
    _number("depth_tokens", "tokens", "context already in the cache before the timed part"),
    _count("num_requests", "requests sent"),
    _count("completed", "requests answered in full"),
    _count("failed", "requests that failed"),
    _count("incomplete", "requests cut off by the end of the test"),
    _number("total_input_tokens", "tokens", "prompt tokens of completed requests"),
    _number("total_output_tokens", "tokens", "generated tokens of completed requests"),
    _number("duration_s", "s", "wall time of the measured part"),
    _number("request_rps", "1/s", "completed requests / wall time"),
    _number("input_tps", "tokens/s", "prompt tokens / wall time"),
    _number("output_tps", "tokens/s", "generated tokens of completed requests / wall time, whole system"),
    _number("output_tps_std", "tokens/s", "its standard deviation over repetitions"),
    _number("output_tps_peak", "tokens/s", "largest generated tokens in one second"),
    _number("prefill_tps", "tokens/s", "prompt tokens / prefill time alone"),
    _number("prefill_tps_std", "tokens/s", "its standard deviation over repetitions"),
    _number("total_tps", "tokens/s", "(prompt + generated tokens) / wall time"),
    _number("goodput_rps", "1/s", "completed requests within the objective / wall time"),
    _text("slo", "the objective behind goodput_rps"),
    *_latencies(),
    _number("power_w", "W", "mean power"),
    _text("power_scope", "what the power covers: gpu or node"),
    _number("energy_j", "J", "energy of the measured part"),
    _number("cost_per_hour", "", "price of the hardware for an hour"),
    _text("cost_currency", "currency of cost_per_hour"),
    _text("started_at", "local start time, ISO, no zone unless the file gives one"),
    _text("notes", "free text of the file or the person"),
]

FIELDS: dict[str, FieldSpec] = {spec.name: spec for spec in _SPECS}

TOKEN_RATES = ("output_tps", "total_tps", "input_tps", "prefill_tps")


def latency_names(metric: str | None = None) -> list[str]:
    """Canonical names of every latency statistic, or of one metric's."""
    return [f"{name}_{stat}_ms" for name in LATENCIES if metric in (None, name) for stat in STATISTICS]
