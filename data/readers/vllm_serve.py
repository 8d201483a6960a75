"""vLLM `bench serve` and its ancestor benchmark_serving.py: one object, an array, or one object after another."""

from __future__ import annotations

import re
from datetime import datetime

from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.fields import latency_names
from data.readers.intake.json_values import Located
from data.readers.intake.records import Record, pick, use_arrays
from data.readers.intake.result import Answers, Reader, Reading

_STATED = {
    "num_prompts": "num_requests",
    "completed": "completed",
    "failed": "failed",
    "duration": "duration_s",
    "total_input_tokens": "total_input_tokens",
    "total_output_tokens": "total_output_tokens",
    "request_throughput": "request_rps",
    "request_goodput": "goodput_rps",
    "request_goodput:": "goodput_rps",
    "output_throughput": "output_tps",
    "total_token_throughput": "total_tps",
    "burstiness": "burstiness",
    "max_concurrency": "concurrency",
    "max_output_tokens_per_s": "output_tps_peak",
    "max_concurrent_requests": "concurrency_peak",
    "spec_decode_acceptance_length": "spec_accept_len",
    "spec_decode_mean_acceptance_length": "spec_accept_len",
    "dataset_name": "dataset",
    "random_input_len": "isl_nominal",
    "random_output_len": "osl_nominal",
}
_METADATA = {  # `--metadata key=value` of the person who ran it; always text
    "version": "engine_version",
    "vllm_version": "engine_version",
    "tp": "tp",
    "tensor_parallel_size": "tp",
    "pp": "pp",
    "dp": "dp",
    "ep": "ep",
    "gpu": "hardware",
    "gpu_type": "hardware",
    "hardware": "hardware",
    "accelerator": "hardware",
    "gpus": "device_count",
    "num_gpus": "device_count",
    "gpu_count": "device_count",
    "quantization": "weight_format",
    "dtype": "weight_format",
    "kv_cache_dtype": "kv_format",
    "framework": "engine",
    "engine": "engine",
}
_LATENCY = re.compile(r"(mean|median|std|min|max|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2el)_ms")
_STATISTIC = {"median": "p50", "p99.9": "p999", "p999": "p999"}
_METRIC = {"e2el": "e2e"}
_KNOWN = frozenset(latency_names())


def _belongs(record: Record) -> bool:
    named = "model_id" in record and "num_prompts" in record and "request_throughput" in record
    return named and any(_LATENCY.fullmatch(str(key)) for key in record)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "vLLM serve")
    return Reading(drafts=[_draft(item) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    for key, value in record.items():
        if key in _STATED:
            draft.put(_STATED[key], value, path=f"{item.place}.{key}")
        elif key in _METADATA and isinstance(value, str | int):
            value = "sglang" if value == "sgl" else value
            draft.put(_METADATA[key], value, path=f"{item.place}.{key} (free key)", origin="assumed")
    put_latencies(draft, record, item.place)
    put_rate(draft, record.get("request_rate"), f"{item.place}.request_rate")
    draft.put("model_raw", record.get("model_id"), path=f"{item.place}.model_id")
    _engine(draft, record, item.place)
    _ramp(draft, record, item.place)
    put_start(draft, record.get("date"), f"{item.place}.date")
    use_arrays(draft, record)
    return draft


def put_latencies(draft: Draft, record: Record, place: str) -> None:
    """Every `<statistic>_<metric>_ms` key that has a canonical name."""
    for key, value in record.items():
        match = _LATENCY.fullmatch(str(key))
        if match is None:
            continue
        name = f"{_METRIC.get(match[2], match[2])}_{_STATISTIC.get(match[1], match[1])}_ms"
        if name in _KNOWN:
            draft.put(name, value, path=f"{place}.{key}")


def put_start(draft: Draft, raw: object, path: str) -> None:
    """`YYYYMMDD-HHMMSS` of the client's clock as an ISO time without a zone."""
    try:
        moment = datetime.strptime(str(raw), "%Y%m%d-%H%M%S")
    except ValueError:
        return
    draft.put("started_at", moment.isoformat(), path=path, origin="converted", shown=str(raw))


def _engine(draft: Draft, record: Record, place: str) -> None:
    """The engine is only hinted at by the request format the client spoke."""
    backend = str(record.get("backend") or record.get("endpoint_type") or "")
    if backend in ("vllm", "vllm-chat", "sglang", "tensorrt-llm", "tgi", "lmdeploy") and "engine" not in draft.values:
        draft.put(
            "engine",
            backend.removesuffix("-chat"),
            path=f"{place}.backend (request format)",
            origin="assumed",
            shown=backend,
        )


def _ramp(draft: Draft, record: Record, place: str) -> None:
    """A rate that rises during the run: the figures are means over many loads."""
    strategy, first, last = (record.get(f"ramp_up_{key}") for key in ("strategy", "start_rps", "end_rps"))
    if not strategy:
        return
    draft.drop("request_rate")
    draft.put("load_mode", "rate", path=f"{place}.ramp_up_strategy", origin="converted", shown=str(strategy))
    draft.warn(
        "ramp",
        f"the arrival rate rose ({strategy}) from {first} to {last} requests/s during the run: the figures are means "
        "over different loads",
        "request_rate",
    )


READER = Reader(
    key="vllm_serve",
    title="vLLM bench serve (JSON, JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine_version", "weight_format", "kv_format", "isl_nominal", "power_w"),
    asks=("hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="vllm_serve.json",
)
