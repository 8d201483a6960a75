"""SGLang bench_one_batch and bench_one_batch_server: one static batch a line, in seconds, no client queue."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.tables.units import TIME_MS

_FITS = 0.05  # share within which a stated rate agrees with tokens over wall time
_SERVER, _ENGINE = "latency", "total_latency"  # wall time of the batch in the two tools


def _belongs(record: Record) -> bool:
    sizes = all(key in record for key in ("batch_size", "input_len", "output_len"))
    return sizes and "overall_throughput" in record and (_SERVER in record or _ENGINE in record)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "SGLang one-batch")
    return Reading(drafts=[_draft(item) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record, lengths_fixed=True)
    at = item.place
    draft.put("batch_size", record.get("batch_size"), path=f"{at}.batch_size")
    for side, key in (("isl", "input_len"), ("osl", "output_len")):
        draft.put(f"{side}_nominal", record.get(key), path=f"{at}.{key}")
        draft.derive(f"{side}_mean", as_number(record.get(key)), f"{at}.{key}: every sequence of the batch")
    wall = _SERVER if _SERVER in record else _ENGINE
    draft.put("duration_s", record.get(wall), path=f"{at}.{wall}")
    draft.put("e2e_mean_ms", record.get(wall), path=f"{at}.{wall}", unit="s", scale=TIME_MS["s"])
    draft.put("total_tps", record.get("overall_throughput"), path=f"{at}.overall_throughput (prompts and answers)")
    draft.derive("completed", draft.number("batch_size"), f"{at}.batch_size: one batch")
    draft.put("load_mode", "batch", path="one static batch, no client queue", origin="derived")
    draft.put("engine", "sglang", path="SGLang's own benchmark", origin="derived")
    draft.put("model_raw", record.get("model_path"), path=f"{at}.model_path")
    draft.put("notes", record.get("run_name"), path=f"{at}.run_name")
    for key in ("acc_length", "accept_length"):
        if (as_number(record.get(key)) or 0) > 0:  # -1 where nothing is speculated
            draft.put("spec_accept_len", record[key], path=f"{at}.{key}")
    draft.put("prefix_hit_rate", record.get("cache_hit_rate"), path=f"{at}.cache_hit_rate")
    _phases(draft, record, at)
    _output_rate(draft, record, at)
    return draft


def _phases(draft: Draft, record: Record, at: str) -> None:
    """Prefill and decode by themselves: rates of prompts, the wait for the last first token, the step's median."""
    for key in ("input_throughput", "prefill_throughput"):
        draft.put("prefill_tps", record.get(key), path=f"{at}.{key}")
    last = as_number(record.get("last_ttft"))
    if last is not None and last > 0:
        path = f"{at}.last_ttft: the batch's last sequence to get its first token"
        draft.put("ttft_max_ms", last, path=path, unit="s", scale=TIME_MS["s"])
    step = record.get("median_decode_latency")
    path = f"{at}.median_decode_latency: one step gives every sequence a token"
    draft.put("itl_p50_ms", step, path=path, unit="s", scale=TIME_MS["s"])


def _output_rate(draft: Draft, record: Record, at: str) -> None:
    """Output tokens over wall time. A stated rate of the decode phase alone is named, never stored as that."""
    batch, length, seconds = (draft.number(name) for name in ("batch_size", "osl_mean", "duration_s"))
    over_wall = batch * length / seconds if batch and length and seconds else None
    key = next((key for key in ("output_throughput", "median_decode_throughput") if key in record), "")
    stated = as_number(record.get(key))
    if stated is not None and over_wall is not None and abs(stated - over_wall) > _FITS * over_wall:
        draft.warn(
            "metric_definition",
            f"{key} = {stated:.5g} tokens/s is of the decode phase alone; batch * output length / wall time = "
            f"{over_wall:.5g} tokens/s is taken",
            "output_tps",
        )
    elif stated is not None:
        draft.put("output_tps", stated, path=f"{at}.{key}")
    draft.derive("output_tps", over_wall, "batch_size * output_len / wall time")


READER = Reader(
    key="sglang_one_batch",
    title="SGLang bench_one_batch and bench_one_batch_server (JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "device_count", "tp", "engine_version", "weight_format", "concurrency", "tpot"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine_version", "weight_format", "kv_format"),
    sample="sglang_one_batch.jsonl",
)
