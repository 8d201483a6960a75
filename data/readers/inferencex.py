"""InferenceX (InferenceMAX) aggregates and its files with latencies in seconds under names without a unit."""

from __future__ import annotations

import re

from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.intake.statistics import MS_PER_S, statistic_of

_AGGREGATE = {
    "hw": "hardware",
    "hardware": "hardware",
    "model": "model_raw",
    "framework": "engine",
    "precision": "weight_format",
    "conc": "concurrency",
    "isl": "isl_nominal",
    "osl": "osl_nominal",
    "tp": "tp",
    "pp": "pp",
    "ep": "ep",
    "spec_decoding": "spec_decoding",
    "spec_method": "spec_decoding",
    "mtp": "spec_decoding",
}
_SERVED = {
    "model_id": "model_raw",
    "num_prompts": "num_requests",
    "completed": "completed",
    "failed": "failed",
    "duration": "duration_s",
    "max_concurrency": "concurrency",
    "burstiness": "burstiness",
    "total_input_tokens": "total_input_tokens",
    "total_output_tokens": "total_output_tokens",
    "request_throughput": "request_rps",
    "request_goodput": "goodput_rps",
    "input_throughput": "input_tps",
    "output_throughput": "output_tps",
    "total_token_throughput": "total_tps",
}
_TIME = re.compile(r"(mean|median|std|min|max|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2el|intvty)")


def _aggregate(record: Record) -> bool:
    inner = record.get("metrics")
    return ("hw" in record or "hardware" in record) and (
        "tput_per_gpu" in record or (isinstance(inner, dict) and "tput_per_gpu" in inner)
    )


def _belongs(record: Record) -> bool:
    served = "model_id" in record and "num_prompts" in record and any(_TIME.fullmatch(str(key)) for key in record)
    return _aggregate(record) or served


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "InferenceX")
    return Reading(drafts=[_draft(item) for item in items], questions=[], skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    inner = record.get("metrics")
    flat = {**record, **inner} if isinstance(inner, dict) else record
    for key, name in (_AGGREGATE if _aggregate(record) else _SERVED).items():
        draft.put(name, flat.get(key), path=f"{item.place}.{key}")
    for key, value in flat.items():
        _put_time(draft, str(key), value, item.place)
    if _aggregate(record):
        _engine_version(draft, flat, item.place)
        _put_devices(draft, flat, item.place)
    else:
        put_rate(draft, record.get("request_rate"), f"{item.place}.request_rate")
        _start(draft, record, item.place)
    return draft


def _put_time(draft: Draft, key: str, value: object, place: str) -> None:
    """A latency in seconds; `intvty` is 1 / TPOT: its 99th percentile is the slow tail, its spread means nothing."""
    match = _TIME.fullmatch(key)
    stat = statistic_of(match[1]) if match else None
    if match is None or stat is None:
        return
    metric = {"e2el": "e2e", "intvty": "tpot"}.get(match[2], match[2])
    name = f"{metric}_{stat}_ms"
    if name not in FIELDS:
        return
    if match[2] != "intvty":
        draft.put(name, value, path=f"{place}.{key}", scale=MS_PER_S, unit="s")
    elif (speed := as_number(value)) and stat not in ("std", "min", "max"):
        draft.derive(name, MS_PER_S / speed, f"1000 / {key}")


def _engine_version(draft: Draft, record: Record, place: str) -> None:
    """The tag of the container image that served."""
    image = str(record.get("image") or "")
    name, colon, tag = image.rpartition(":")
    if colon and "/" not in tag and name:
        version = tag[1:] if re.match(r"v\d", tag) else tag
        draft.put("engine_version", version, path=f"{place}.image", origin="converted", shown=image)


def _put_devices(draft: Draft, record: Record, place: str) -> None:
    """Devices, and the system's rates from rates per device: output per decode device where prefill is apart."""
    prefill, decode = _role(record, "prefill"), _role(record, "decode")
    apart = str(record.get("disagg", "")).lower() == "true" and prefill > 0 and decode > 0
    if apart:
        draft.put("disagg_prefill_count", prefill, path=f"{place}.num_prefill_gpu or prefill workers * tp")
        draft.put("disagg_decode_count", decode, path=f"{place}.num_decode_gpu or decode workers * tp")
        everything, inputs, outputs = prefill + decode, prefill, decode
    else:
        degrees = [as_number(record.get(key)) or 1 for key in ("tp", "pp", "pcp_size")]
        alone = degrees[0] * degrees[1] * degrees[2] if as_number(record.get("tp")) else 0
        everything = inputs = outputs = max(prefill, decode) or alone
    if not everything:
        return
    how = "prefill + decode devices" if apart else "tp * pp, or devices named"
    draft.derive("device_count", everything, how)
    for key, name, count, whose in (
        ("tput_per_gpu", "total_tps", everything, "devices"),
        ("output_tput_per_gpu", "output_tps", outputs, "decode devices" if apart else "devices"),
        ("input_tput_per_gpu", "input_tps", inputs, "prefill devices" if apart else "devices"),
    ):
        rate = as_number(record.get(key))
        if rate is not None:
            draft.put(name, rate * count, path=f"{place}.{key} * {count:g} {whose}", origin="converted",
                      unit="tokens/s per device", shown=str(record[key]))  # fmt: skip


def _role(record: Record, role: str) -> float:
    """Devices of one role; 0 where the record names none."""
    stated = as_number(record.get(f"num_{role}_gpu"))
    workers = as_number(record.get(f"{role}_num_workers")) or 0
    degrees = [as_number(record.get(f"{role}_{key}")) or 1 for key in ("tp", "pp", "pcp_size")]
    return stated or workers * degrees[0] * degrees[1] * degrees[2]


def _start(draft: Draft, record: Record, place: str) -> None:
    """`YYYYMMDD-HHMMSS` of the client's clock as an ISO time."""
    match = re.fullmatch(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)", str(record.get("date", "")))
    if match:
        year, month, day, hour, minute, second = match.groups()
        text = f"{year}-{month}-{day}T{hour}:{minute}:{second}"
        draft.put("started_at", text, path=f"{place}.date", origin="converted", shown=str(record["date"]))


READER = Reader(
    key="inferencex",
    title="InferenceX aggregate or latencies in seconds (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("failed", "isl_mean", "osl_mean", "duration_s", "kv_format", "power_w"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="inferencex.json",
)
