"""SGLang bench_serving: one JSON object a line, old files with medians only, new ones with the server's settings."""

from __future__ import annotations

import re

from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.fields import latency_names
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, pick, use_arrays
from data.readers.intake.result import Answers, Reader, Reading

NO_QUANTIZATION = "(no quantization named)"  # ends the place of a weight format that is a guess from the dtype
_STATED = {
    "completed": "completed",
    "duration": "duration_s",
    "num_prompts": "num_requests",
    "dataset_name": "dataset",
    "total_input_tokens": "total_input_tokens",
    "total_output_tokens": "total_output_tokens",
    "request_throughput": "request_rps",
    "input_throughput": "input_tps",
    "output_throughput": "output_tps",
    "total_throughput": "total_tps",
    "max_concurrency": "concurrency",
    "concurrency": "concurrency_mean",
    "max_concurrent_requests": "concurrency_peak",
    "max_output_tokens_per_s": "output_tps_peak",
    "accept_length": "spec_accept_len",
    "random_input_len": "isl_nominal",
    "random_output_len": "osl_nominal",
}
_SERVER = {
    "model_path": "model_raw",
    "tp_size": "tp",
    "pp_size": "pp",
    "dp_size": "dp",
    "ep_size": "ep",
    "nnodes": "node_count",
    "version": "engine_version",
    "quantization": "weight_format",
    "speculative_algorithm": "spec_decoding",
}
_LATENCY = re.compile(r"(mean|median|std|p\d+)_(ttft|tpot|itl|e2e_latency)_ms")
_KNOWN = frozenset(latency_names())
RETOKENIZED = 0.05  # share of disagreement between the server's and the client's token count worth a warning


def _belongs(record: Record) -> bool:
    counted = "total_output_tokens_retokenized" in record and "backend" in record and "model_id" not in record
    return counted and any(_LATENCY.fullmatch(str(key)) for key in record)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "SGLang serving")
    return Reading(drafts=[_draft(item) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    nominal = str(record.get("dataset_name", "")).startswith("random")
    for key, value in record.items():
        if key in _STATED and (nominal or not key.startswith("random_")):
            draft.put(_STATED[key], value, path=f"{item.place}.{key}")
        elif match := _LATENCY.fullmatch(str(key)):
            metric, stat = match[2].removesuffix("_latency"), match[1].replace("median", "p50")
            if f"{metric}_{stat}_ms" in _KNOWN:
                draft.put(f"{metric}_{stat}_ms", value, path=f"{item.place}.{key}")
    put_rate(draft, record.get("request_rate"), f"{item.place}.request_rate")
    _server(draft, record, item.place)
    _engine(draft, record, item.place)
    _tokens(draft, record)
    if nominal and (ratio := as_number(record.get("random_range_ratio"))) is not None:
        draft.lengths_fixed = ratio == 1.0
    use_arrays(draft, record)
    return draft


def _server(draft: Draft, record: Record, place: str) -> None:
    """Settings that the server told the client, where the client asked for them."""
    info = record.get("server_info")
    if not isinstance(info, dict):
        return
    for key, name in _SERVER.items():
        draft.put(name, info.get(key), path=f"{place}.server_info.{key}")
    degrees = [as_number(info.get(key)) or 1 for key in ("tp_size", "pp_size")]
    if info.get("enable_dp_attention") is not True:
        degrees.append(as_number(info.get("dp_size")) or 1)
    product = degrees[0] * degrees[1] * (degrees[2] if len(degrees) > 2 else 1)
    if "tp" in draft.values:
        draft.derive("device_count", product, "server_info: tp * pp, times dp unless attention alone is data parallel")
    if "weight_format" not in draft.values and info.get("dtype") not in (None, "auto"):
        draft.put("weight_format", info["dtype"], path=f"{place}.server_info.dtype {NO_QUANTIZATION}", origin="assumed")
    if info.get("kv_cache_dtype") not in (None, "auto"):
        draft.put("kv_format", info["kv_cache_dtype"], path=f"{place}.server_info.kv_cache_dtype")
    if isinstance(info.get("disable_radix_cache"), bool):
        draft.put(
            "prefix_cache",
            "off" if info["disable_radix_cache"] else "on",
            origin="converted",
            path=f"{place}.server_info.disable_radix_cache",
            shown=str(info["disable_radix_cache"]),
        )


def _engine(draft: Draft, record: Record, place: str) -> None:
    backend = str(record.get("backend") or "")
    engine = "sglang" if backend.startswith("sglang") else backend.removesuffix("-chat")
    if engine in ("sglang", "vllm", "trt", "lmdeploy"):
        sure = isinstance(record.get("server_info"), dict) and engine == "sglang"
        draft.put("engine", engine, path=f"{place}.backend", origin="stated" if sure else "assumed", shown=backend)


def _tokens(draft: Draft, record: Record) -> None:
    server, client = (
        as_number(record.get("total_output_tokens")),
        as_number(record.get("total_output_tokens_retokenized")),
    )
    if server and client and abs(server - client) > RETOKENIZED * min(server, client):
        draft.warn(
            "token_count",
            f"the server counted {server:g} output tokens, the client's tokenizer {client:g} "
            f"({client / server:.2f} times): rates use the server's count",
            "total_output_tokens",
            "output_tps",
        )


READER = Reader(
    key="sglang_serving",
    title="SGLang bench_serving (JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "failed", "power_w", "model_raw unless server_info", "tp unless server_info"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="sglang_serving.jsonl",
)
