"""Labels of the console block "Serving Benchmark Result" and their shapes in harnesses, as canonical fields."""

from __future__ import annotations

import re

from data.readers.intake.fields import latency_names

_LABELS = {
    "successful requests": "completed",
    "failed requests": "failed",
    "benchmark duration": "duration_s",
    "total input tokens": "total_input_tokens",
    "total generated tokens": "total_output_tokens",
    "total output tokens": "total_output_tokens",
    "request throughput": "request_rps",
    "request goodput": "goodput_rps",
    "input token throughput": "input_tps",
    "output token throughput": "output_tps",
    "peak output token throughput": "output_tps_peak",
    "total token throughput": "total_tps",
    "maximum request concurrency": "concurrency",
    "max request concurrency": "concurrency",
    "max concurrency": "concurrency",
    "peak concurrent requests": "concurrency_peak",
    "concurrency": "concurrency_mean",
    "request rate configured": "request_rate",
    "traffic request rate": "request_rate",
    "acceptance length": "spec_accept_len",
    "mean acceptance length": "spec_accept_len",
    "accept length": "spec_accept_len",
}
_STATISTICS = {"mean": "mean", "median": "p50", "std": "std", "max": "max", "min": "min", "p99.9": "p999"}
_METRICS = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2e", "e2e latency": "e2e", "e2e": "e2e"}
_LATENCY = re.compile(r"(mean|median|std|min|max|p\d+(?:\.\d+)?) (ttft|tpot|itl|e2el|e2e latency|e2e)")
_UNIT = re.compile(r"\s*\((ms|s|rps|req/s|tok/s|reqs?/s|tokens?/s)\)\s*$", re.I)
_HARNESS_UNIT = re.compile(r"_(ms|s|req_s|tok_s|sec|tok_sec|req_sec)$")
_KNOWN = frozenset(latency_names())


def field_of_label(label: str) -> tuple[str, str]:
    """(canonical field, unit) of a label like "Mean TTFT (ms)"; field "" if it names none."""
    unit = _UNIT.search(label)
    return _field(_UNIT.sub("", label)), unit[1].lower() if unit else ""


def field_of_key(key: str) -> tuple[str, str]:
    """(canonical field, unit) of a harness's key like output_token_throughput_tok_s; field "" if it names none."""
    unit = _HARNESS_UNIT.search(key)
    return _field(_HARNESS_UNIT.sub("", key).replace("_", " ")), unit[1] if unit else ""


def _field(words: str) -> str:
    plain = " ".join(words.lower().replace("-", " ").split())
    match = _LATENCY.fullmatch(plain)
    if match is None:
        return _LABELS.get(plain, "")
    name = f"{_METRICS[match[2]]}_{_STATISTICS.get(match[1], match[1])}_ms"
    return name if name in _KNOWN else ""
