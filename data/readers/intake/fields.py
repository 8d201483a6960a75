"""The canonical fields of a run: name, kind and unit; what no list here names is kept in the native record only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

FieldKind = Literal["number", "count", "text"]

LATENCIES = ("ttft", "tpot", "itl", "e2e")
STATISTICS = ("mean", "std", "min", "p50", "p75", "p90", "p95", "p99", "p999", "max")


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    """One canonical field, under its name in files and profiles; the screen shows its label instead.

    unit    the customary unit that the name carries, empty for names and counts
    label   as people say it, with its unit where the words do not carry it
    """

    name: str
    kind: FieldKind
    unit: str
    label: str
    meaning: str


def _number(name: str, unit: str, label: str, meaning: str) -> FieldSpec:
    return FieldSpec(name=name, kind="number", unit=unit, label=label, meaning=meaning)


def _count(name: str, label: str, meaning: str) -> FieldSpec:
    return FieldSpec(name=name, kind="count", unit="", label=label, meaning=meaning)


def _text(name: str, label: str, meaning: str) -> FieldSpec:
    return FieldSpec(name=name, kind="text", unit="", label=label, meaning=meaning)


def _latencies() -> list[FieldSpec]:
    words = {
        "ttft": "request sent to first streamed token",
        "tpot": "(end-to-end - first token) / (output tokens - 1), one value a request",
        "itl": "gap between two streamed chunks, all requests pooled",
        "e2e": "request sent to last token",
    }
    return [
        _number(f"{name}_{stat}_ms", "ms", f"{name.upper()} {stat}, ms", f"{stat}: {words[name]}")
        for name in LATENCIES
        for stat in STATISTICS
    ]


_SPECS = [
    _text("source_tool_version", "Tool version", "version of the tool that wrote the file"),
    _text("engine", "Serving engine", "serving program"),
    _text("engine_version", "Engine version", "its version"),
    _text("model_raw", "Model", "model name as the file or the person gives it"),
    _text("model_id", "Model in the catalogue", "catalogue key of the model"),
    _text("hardware", "Device", "device name as the file or the person gives it"),
    _text("hardware_key", "Device in the catalogue", "catalogue key of the device"),
    _count("device_count", "Devices in all", "devices in all"),
    _count("node_count", "Hosts", "hosts"),
    _count("tp", "Tensor parallel degree", "tensor parallel degree"),
    _count("pp", "Pipeline parallel degree", "pipeline parallel degree"),
    _count("ep", "Expert parallel degree", "expert parallel degree"),
    _count("dp", "Data parallel degree", "data parallel degree"),
    _count("disagg_prefill_count", "Devices that only prefill", "devices that only prefill"),
    _count("disagg_decode_count", "Devices that only decode", "devices that only decode"),
    _text("weight_format", "Weights", "number format of the weights"),
    _text("kv_format", "KV cache", "number format of the KV cache"),
    _text("spec_decoding", "Speculative decoding", "speculative decoding method"),
    _number("spec_accept_len", "", "Tokens accepted a verification", "tokens accepted in one verification"),
    _text("prefix_cache", "Prefix cache", "on or off"),
    _number("prefix_hit_rate", "", "Prefix cache hit rate", "share of prompt tokens found in the prefix cache, 0 to 1"),
    _text("load_mode", "Kind of load", "concurrency, rate, batch or offline"),
    _number("concurrency", "", "Requests in flight", "limit on requests in flight that was asked for"),
    _number("concurrency_mean", "", "Requests in flight, observed mean", "requests in flight observed, mean"),
    _number("concurrency_peak", "", "Requests in flight, observed peak", "requests in flight observed, peak"),
    _number("request_rate", "1/s", "Arrival rate asked for, 1/s", "arrival rate asked for; null means unlimited"),
    _number("burstiness", "", "Burstiness of arrivals", "shape of the arrival gaps; 1 is Poisson"),
    _count("batch_size", "Batch size", "sequences computed together; not a client's concurrency"),
    _text("dataset", "Dataset", "where the prompts came from"),
    _number("isl_mean", "tokens", "Input tokens per request", "input length, mean"),
    _number("isl_std", "tokens", "Input tokens, standard deviation", "input length, standard deviation"),
    _number("osl_mean", "tokens", "Output tokens per request", "output length, mean"),
    _number("osl_std", "tokens", "Output tokens, standard deviation", "output length, standard deviation"),
    _number("isl_nominal", "tokens", "Input tokens asked for", "input length asked for"),
    _number("osl_nominal", "tokens", "Output tokens asked for", "output length asked for"),
    _number(
        "depth_tokens", "tokens", "Depth, tokens cached before", "context already in the cache before the timed part"
    ),
    _count("num_requests", "Requests sent", "requests sent"),
    _count("completed", "Requests answered", "requests answered in full"),
    _count("failed", "Requests failed", "requests that failed"),
    _count("incomplete", "Requests cut off", "requests cut off by the end of the test"),
    _number("total_input_tokens", "tokens", "Input tokens in all", "prompt tokens of completed requests"),
    _number("total_output_tokens", "tokens", "Output tokens in all", "generated tokens of completed requests"),
    _number("duration_s", "s", "Duration, s", "wall time of the measured part"),
    _number("request_rps", "1/s", "Requests/s", "completed requests / wall time"),
    _number("input_tps", "tokens/s", "Input tokens/s", "prompt tokens / wall time"),
    _number(
        "output_tps", "tokens/s", "Output tokens/s", "generated tokens of completed requests / wall time, whole system"
    ),
    _number(
        "output_tps_std", "tokens/s", "Output tokens/s, standard deviation", "its standard deviation over repetitions"
    ),
    _number("output_tps_peak", "tokens/s", "Output tokens/s, peak", "largest generated tokens in one second"),
    _number("prefill_tps", "tokens/s", "Prefill tokens/s", "prompt tokens / prefill time alone"),
    _number(
        "prefill_tps_std", "tokens/s", "Prefill tokens/s, standard deviation", "its standard deviation over repetitions"
    ),
    _number("total_tps", "tokens/s", "Input and output tokens/s", "(prompt + generated tokens) / wall time"),
    _number(
        "goodput_rps", "1/s", "Requests/s within the objective", "completed requests within the objective / wall time"
    ),
    _text("slo", "Objective", "the objective behind goodput_rps"),
    *_latencies(),
    _number("power_w", "W", "Mean power, W", "mean power"),
    _text("power_scope", "What the power covers", "what the power covers: gpu or node"),
    _number("energy_j", "J", "Energy, J", "energy of the measured part"),
    _number("cost_per_hour", "", "Price of an hour", "price of the hardware for an hour"),
    _text("cost_currency", "Currency of the price", "currency of cost_per_hour"),
    _text("started_at", "Start", "local start time, ISO, no zone unless the file gives one"),
    _text("notes", "Notes", "free text of the file or the person"),
]

FIELDS: dict[str, FieldSpec] = {spec.name: spec for spec in _SPECS}

TOKEN_RATES = ("output_tps", "total_tps", "input_tps", "prefill_tps")


_NAMES = "|".join(sorted((name for name in FIELDS if "_" in name), key=len, reverse=True))
_NAMED = re.compile(rf"""(?<![\w'"`$.])({_NAMES})(?![\w'"`])""")


def in_words(text: str) -> str:
    """A sentence with labels in place of field names; what stands in quotation marks or in a path is the file's own."""
    return _NAMED.sub(lambda found: FIELDS[found[1]].label.removesuffix(f", {FIELDS[found[1]].unit}"), text)


def label_of(name: str) -> str:
    """How the screen calls a field; a name that is none of ours as it stands."""
    return FIELDS[name].label if name in FIELDS else name


def latency_names(metric: str | None = None) -> list[str]:
    """Canonical names of every latency statistic, or of one metric's."""
    return [f"{name}_{stat}_ms" for name in LATENCIES if metric in (None, name) for stat in STATISTICS]
