"""trtllm-bench reports (JSON): engine, world, requests, performance and, when streamed, first and further tokens."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.intake.statistics import put_statistics
from data.readers.llmd.results import part

S_PER_MS = 0.001
MS_PER_NS = 1e-6
NANO_SEEN = 1e4  # median over mean that no distribution of latencies has
_STATED = {
    ("engine", "model"): "model_raw",
    ("engine", "version"): "engine_version",
    ("machine", "name"): "hardware",
    ("world_info", "tp_size"): "tp",
    ("world_info", "pp_size"): "pp",
    ("world_info", "ep_size"): "ep",
    ("world_info", "world_size"): "device_count",
    ("request_info", "num_requests"): "num_requests",
    ("request_info", "avg_num_concurrent_requests"): "concurrency_mean",
    ("request_info", "avg_input_length"): "isl_mean",
    ("request_info", "avg_output_length"): "osl_mean",
    ("performance", "request_throughput_req_s"): "request_rps",
    ("performance", "system_output_throughput_tok_s"): "output_tps",
    ("performance", "system_total_throughput_tok_s"): "total_tps",
    ("performance", "output_throughput_tok_s"): "output_tps",
    ("performance", "total_token_throughput_tok_s"): "total_tps",
    ("performance", "avg_request_latency_ms"): "e2e_mean_ms",
    ("streaming_metrics", "avg_ttft_ms"): "ttft_mean_ms",
    ("streaming_metrics", "avg_tpot_ms"): "tpot_mean_ms",
    ("energy", "total_energy_j"): "energy_j",
    ("decoding_stats", "mode"): "spec_decoding",
}
_PERCENTILES = {
    ("performance", "request_latency_percentiles_ms"): "e2e",
    ("streaming_metrics", "ttft_percentiles"): "ttft",
    ("streaming_metrics", "tpot_percentiles"): "tpot",
}


def _belongs(record: Record) -> bool:
    return all(isinstance(record.get(key), dict) for key in ("engine", "world_info", "performance"))


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "trtllm-bench")
    drafts = [_draft(item) for item in items]
    versions = {draft.text("engine_version") for draft in drafts} - {""}
    version = versions.pop() if len(versions) == 1 else ""
    return Reading(drafts=drafts, questions=[], skipped=left, notices=[], tool_version=version)


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    draft.put("engine", "tensorrt-llm", path="trtllm-bench runs TensorRT-LLM alone", origin="derived")
    for (section, key), name in _STATED.items():
        draft.put(name, part(record, section).get(key), path=f"{item.place}.{section}.{key}")
    for (section, key), metric in _PERCENTILES.items():
        _percentiles(draft, metric, part(record, section, key), f"{item.place}.{section}.{key}")
    performance, where = part(record, "performance"), f"{item.place}.performance"
    draft.put("duration_s", performance.get("total_latency_ms"), path=f"{where}.total_latency_ms", scale=S_PER_MS,
              unit="ms")  # fmt: skip
    length = part(record, "decoding_stats", "acceptance_length_percentiles").get("average")
    draft.put("spec_accept_len", length, path=f"{item.place}.decoding_stats.acceptance_length_percentiles.average")
    _formats(draft, part(record, "engine"), f"{item.place}.engine")
    _devices(draft, performance)
    _power(draft, part(record, "energy"), f"{item.place}.energy")
    lengths = part(record, "dataset")
    if as_number(lengths.get("max_osl")) and lengths.get("max_osl") == lengths.get("avg_osl"):
        draft.lengths_fixed = True
    return draft


def _percentiles(draft: Draft, metric: str, stats: Record, where: str) -> None:
    """Percentiles in ms; where they are beyond a thousand times the mean they were left in nanoseconds."""
    mean, middle = draft.number(f"{metric}_mean_ms"), as_number(stats.get("p50"))
    nano = bool(mean and middle and middle > NANO_SEEN * mean)
    if nano:
        draft.warn("unit_doubt", f"{where} was read as ns: its p50 {middle:g} is far above the mean {mean:g} ms",
                   f"{metric}_p50_ms")  # fmt: skip
    rest = {key: value for key, value in stats.items() if key != "average"} if mean else stats
    put_statistics(draft, metric, rest, where, scale=MS_PER_NS if nano else 1.0, unit="ns" if nano else "ms")


def _formats(draft: Draft, engine: Record, where: str) -> None:
    """Number formats; without a quantization the checkpoint's own type holds the weights."""
    for key in ("quantization", "dtype"):
        if "weight_format" not in draft.values and str(engine.get(key)).lower() not in ("none", ""):
            draft.put("weight_format", engine.get(key), path=f"{where}.{key}")
    if str(engine.get("kv_cache_dtype")).lower() not in ("none", "auto"):
        draft.put("kv_format", engine.get("kv_cache_dtype"), path=f"{where}.kv_cache_dtype")


def _devices(draft: Draft, performance: Record) -> None:
    """Devices where the report names no world size: from the rate per device, else from the degrees."""
    whole, each = draft.number("output_tps"), as_number(performance.get("output_throughput_per_gpu_tok_s"))
    if whole and each:
        draft.derive("device_count", round(whole / each), "system output / output per GPU")
    tp, pp = draft.number("tp"), draft.number("pp")
    if tp and pp:
        draft.derive("device_count", tp * pp, "tp * pp")


def _power(draft: Draft, energy: Record, where: str) -> None:
    if as_number(energy.get("average_gpu_power")):
        draft.put("power_w", energy.get("average_gpu_power"), path=f"{where}.average_gpu_power")
        draft.put("power_scope", "gpu", path=f"{where}.average_gpu_power", origin="converted")


READER = Reader(
    key="trtllm_bench",
    title="trtllm-bench report (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("failed", "itl", "concurrency", "hardware before machine was written"),
    asks=("model_raw", "hardware", "device_count", "engine_version", "weight_format", "kv_format"),
    sample="trtllm_bench.json",
)
