"""llmperf summaries, its records of single requests, and the maps by concurrency that a variant writes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.offers import offer_tpot
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.intake.statistics import MS_PER_S, put_lengths, put_samples, put_statistics

SECONDS_A_MINUTE = 60.0
_STATED = {
    "model": "model_raw",
    "mean_input_tokens": "isl_nominal",
    "mean_output_tokens": "osl_nominal",
    "num_concurrent_requests": "concurrency",
    "results_num_requests_started": "num_requests",
    "results_num_completed_requests": "completed",
    "results_number_errors": "failed",
    "results_mean_output_throughput_token_per_s": "output_tps",
}
_TIMES = {"results_ttft_s_": "ttft", "results_end_to_end_latency_s_": "e2e"}
_LENGTHS = {"results_number_input_tokens_": "isl", "results_number_output_tokens_": "osl"}
_VARIANT = {
    "concurrency": "concurrency",
    "input_token_length": "isl_nominal",
    "output_token_length": "osl_nominal",
    "first-time-to-token_mean_in_ms": "ttft_mean_ms",
    "throughput_token_per_s": "output_tps",
}
_LEFT = {
    "results_inter_token_latency_s_mean": "end-to-end time over all tokens with the first token inside: neither TPOT "
    "nor ITL",
    "latency_ms_per_token": "the file does not show whether the first token is inside: TPOT stays missing",
}
_SINGLE = ("ttft_s", "end_to_end_latency_s", "number_output_tokens")


def _is_summary(record: object) -> bool:
    if not isinstance(record, dict):
        return False
    told = "results_ttft_s_mean" in record or "results_ttft_s_quantiles_p50" in record
    return told or ("first-time-to-token_mean_in_ms" in record and "throughput_token_per_s" in record)


def _is_single(record: object) -> bool:
    return isinstance(record, dict) and (all(key in record for key in _SINGLE) or "error_code" in record)


def _summaries(content: Content) -> list[Located]:
    """Summaries at the top of the file, and those under the keys of a map by concurrency."""
    found = []
    for item in content.records:
        if _is_summary(item.value):
            found.append(item)
        elif isinstance(item.value, dict):
            inner = item.value.items()
            found += [Located(value=v, place=f"{item.place}.{k}", line=item.line) for k, v in inner if _is_summary(v)]
    return found


def _recognise(content: Content) -> bool:
    first = content.records[0].value if content.records else None
    return bool(_summaries(content)) or (isinstance(first, dict) and all(key in first for key in _SINGLE))


def _read(content: Content, answers: Answers) -> Reading:
    items = _summaries(content)
    drafts = [_draft(item) for item in items] or [_pooled(content)]
    left = list(content.unparsed)
    records = [item.value for item in items if isinstance(item.value, dict)]
    for key, why in _LEFT.items():
        if any(key in record for record in records):
            left.append(Skipped(line=1, why=f"{key} fills no field: {why}"))
    why = "llmperf states no TPOT of its own"
    return Reading(drafts=drafts, questions=offer_tpot(drafts, answers, why), skipped=left, notices=[])


def _draft(item: Located) -> Draft:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    for key, value in record.items():
        if key in _STATED or key in _VARIANT:
            draft.put(_STATED.get(key) or _VARIANT[key], value, path=f"{item.place}.{key}")
    for prefix, metric in _TIMES.items():
        put_statistics(draft, metric, _below(record, prefix), f"{item.place}.{prefix}", scale=MS_PER_S, unit="s")
    for prefix, side in _LENGTHS.items():
        put_lengths(draft, side, _below(record, prefix), f"{item.place}.{prefix}")
    if (spread := draft.number("osl_std")) is not None:
        draft.lengths_fixed = spread == 0
    key = "results_num_completed_requests_per_min"
    draft.put("request_rps", record.get(key), path=f"{item.place}.{key}", scale=1 / SECONDS_A_MINUTE, unit="1/min")
    _duration(draft)
    _start(draft, record.get("timestamp"), f"{item.place}.timestamp (when the summary was written)")
    return draft


def _below(record: Record, prefix: str) -> Mapping[str, object]:
    """The figures whose keys begin with `prefix`, by the rest of the key."""
    return {str(key).removeprefix(prefix): value for key, value in record.items() if str(key).startswith(prefix)}


def _duration(draft: Draft) -> None:
    done, rate = draft.number("completed"), draft.number("request_rps")
    if done and rate:
        draft.derive("duration_s", done / rate, "completed / completed per second")


def _start(draft: Draft, raw: object, path: str) -> None:
    seconds = as_number(raw)
    if seconds is None or not 0 < seconds < 1e11:
        return
    moment = datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    draft.put("started_at", moment, path=path, origin="converted", shown=str(raw))


def _pooled(content: Content) -> Draft:
    """One run from records of single requests: TPOT is each request's own, statistics are over requests."""
    records = [item.value for item in content.records if isinstance(item.value, dict) and _is_single(item.value)]
    good = [record for record in records if record.get("error_code") is None]
    rows = [[as_number(record.get(key)) for key in _SINGLE] for record in good]
    whole = [(a, b, n) for a, b, n in rows if a is not None and b is not None and n is not None]
    if not whole:
        raise ReadError("no request of the file was answered", found=f"{len(records)} requests, all with errors")
    draft = Draft(place="$", line=1, native={"requests": len(records)})
    draft.put("num_requests", len(records), path="records of the file")
    draft.put("completed", len(good), path="records without error_code")
    _mean(draft, "isl_mean", [as_number(record.get("number_input_tokens")) for record in good])
    _mean(draft, "osl_mean", [n for _, _, n in whole])
    put_samples(draft, "ttft", [MS_PER_S * a for a, _, _ in whole], "ttft_s")
    put_samples(draft, "e2e", [MS_PER_S * b for _, b, _ in whole], "end_to_end_latency_s")
    tpot = [MS_PER_S * (b - a) / (n - 1) for a, b, n in whole if n > 1 and b >= a]
    put_samples(draft, "tpot", tpot, "(end_to_end_latency_s - ttft_s) / (number_output_tokens - 1)")
    draft.lengths_fixed = len({n for _, _, n in whole}) == 1
    return draft


def _mean(draft: Draft, name: str, values: list[float | None]) -> None:
    known = [value for value in values if value is not None]
    if known:
        draft.put(name, sum(known) / len(known), path=f"mean of {len(known)} requests", origin="derived")


READER = Reader(
    key="llmperf",
    title="llmperf summary, records, map by concurrency (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine_version", "weight_format", "kv_format", "tpot", "itl", "power_w"),
    asks=("model_raw", "hardware", "device_count", "engine", "weight_format"),
    sample="llmperf.json",
)
