"""inference-perf: lifecycle reports of one stage or of all, and the server's view that its Prometheus report holds."""

from __future__ import annotations

import re

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.offers import implied_tpot_ms, offer_tpot
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Reader, Reading, Skipped
from data.readers.intake.statistics import MS_PER_S, put_lengths, put_statistics
from data.readers.intake.yaml_documents import documents

TWO_EVENTS = 1.4  # implied over stated TPOT beyond which a token made several stream events
FEW = 1.0 / TWO_EVENTS
BEHIND = 0.05  # share of the requested rate that may be missing before it is worth a warning
SAME_LENGTHS = 0.5  # spread (90th - 10th percentile) over mean within which means may be held against each other
_POOL = "meaning:pool"
_METRICS = {
    "request_latency": "e2e",
    "time_to_first_token": "ttft",
    "time_per_output_token": "tpot",
    "inter_token_latency": "itl",
}
_RATES = {
    "input_tokens_per_sec": "input_tps",
    "output_tokens_per_sec": "output_tps",
    "total_tokens_per_sec": "total_tps",
    "requests_per_sec": "request_rps",
}
_HEAD = re.compile(r"^load_summary:", re.M)


def _belongs(record: object) -> bool:
    return isinstance(record, dict) and "load_summary" in record and isinstance(record.get("successes"), dict)


def _recognise(content: Content) -> bool:
    if content.values:
        return any(_belongs(item.value) for item in content.records)
    return _HEAD.search(content.text) is not None and re.search(r"^successes:", content.text, re.M) is not None


def _part(record: Record, *names: str) -> Record:
    """A nested object, empty where it is missing or something else."""
    for name in names:
        inner = record.get(name)
        record = inner if isinstance(inner, dict) else {}
    return record


def _read(content: Content, answers: Answers) -> Reading:
    drafts, pools, left = list[Draft](), list[Draft](), list(content.unparsed)
    for item in documents(content):
        if not _belongs(item.value) or not isinstance(item.value, dict):
            left.append(Skipped(line=item.line, why=f"{item.place} is no inference-perf report"))
        elif not item.value["load_summary"] and "latency" not in item.value["successes"]:
            drafts.append(_server(item, item.value))
        else:
            pooled = not {"requested_rate", "concurrency"} & set(_part(item.value, "load_summary"))
            (pools if pooled else drafts).append(_lifecycle(item, item.value))
    if not drafts and not pools:
        raise ReadError("no inference-perf report in the file")
    questions = _pool_question(answers) if pools and not drafts else []
    if drafts:
        left += [Skipped(line=one.line, why=f"{one.place} pools the stages that the file holds too") for one in pools]
    drafts = drafts or pools
    doubtful = [draft for draft in drafts if any(kind == "stream_events" for kind, _, _ in draft.notices)]
    questions += offer_tpot(doubtful, answers, "the stated TPOT contradicts E2E, TTFT and the lengths")
    return Reading(drafts=drafts, questions=questions, skipped=left, notices=[])


def _pool_question(answers: Answers) -> list[Question]:
    """A report without a requested load pools stages of different load: left out unless the person wants it."""
    if answers.get(_POOL) == "take":
        return []
    return [
        Question(
            field=_POOL,
            text="This report names no load: it pools the requests of all stages (or of one adapter), so that its "
            "means and percentiles are over different loads. Bring the stage_N files instead, or answer take.",
            proposal="take",
            because="load_summary holds no requested_rate",
            blocking=True,
        )
    ]


def _lifecycle(item: Located, record: Record) -> Draft:
    draft = Draft(place=item.place, line=item.line, native=record)
    good, load, place = _part(record, "successes"), _part(record, "load_summary"), item.place
    draft.put("num_requests", load.get("count"), path=f"{place}.load_summary.count")
    draft.put("completed", good.get("count"), path=f"{place}.successes.count")
    draft.put("failed", _part(record, "failures").get("count"), path=f"{place}.failures.count")
    if "concurrency" in load:
        draft.put("concurrency", load["concurrency"], path=f"{place}.load_summary.concurrency")
    else:
        put_rate(draft, load.get("requested_rate"), f"{place}.load_summary.requested_rate")
        _load_kept_up(draft, load)
    for key, metric in _METRICS.items():
        where = f"{place}.successes.latency.{key}"
        put_statistics(draft, metric, _part(good, "latency").get(key), where, scale=MS_PER_S, unit="s")
    for key, name in _RATES.items():
        draft.put(name, _part(good, "throughput").get(key), path=f"{place}.successes.throughput.{key}")
    for key, side in (("prompt_tokens", "isl"), ("prompt_len", "isl"), ("output_len", "osl"), ("output_tokens", "osl")):
        put_lengths(draft, side, good.get(key), f"{place}.successes.{key}")
    _totals(draft, record, place)
    _streaming(draft, good)
    return draft


def _load_kept_up(draft: Draft, load: Record) -> None:
    asked, sent = as_number(load.get("requested_rate")), as_number(load.get("achieved_rate"))
    if asked and sent and sent < (1 - BEHIND) * asked:
        draft.warn(
            "rate_not_reached",
            f"asked for {asked:g} requests/s but only {sent:.4g} were sent a second: the load generator fell behind, "
            "so the figures belong to the lower rate",
            "request_rate",
        )


def _totals(draft: Draft, record: Record, place: str) -> None:
    good = _part(record, "successes")
    if as_number(record.get("benchmark_time_seconds")):
        draft.put("duration_s", record["benchmark_time_seconds"], path=f"{place}.benchmark_time_seconds")
    elif (done := draft.number("completed")) and (rate := draft.number("request_rps")):
        draft.derive("duration_s", done / rate, "successes.count / requests_per_sec")
    prompts = _part(good, "prompt_tokens")
    draft.put("total_input_tokens", prompts.get("total"), path=f"{place}.successes.prompt_tokens.total")
    cached, total = as_number(prompts.get("cached")), as_number(prompts.get("total"))
    if cached and total:
        draft.derive("prefix_hit_rate", cached / total, "successes.prompt_tokens: cached / total")
    tokens = _part(good, "output_tokens").get("total")
    draft.put("total_output_tokens", tokens, path=f"{place}.successes.output_tokens.total")
    goodput = _part(good, "goodput_metrics").get("request_goodput")
    draft.put("goodput_rps", goodput, path=f"{place}.successes.goodput_metrics.request_goodput")


def _streaming(draft: Draft, good: Record) -> None:
    """Say when nothing was streamed, and when stream events were counted as tokens."""
    if draft.number("e2e_mean_ms") is not None and draft.number("ttft_mean_ms") is None:
        text = "TTFT, TPOT and ITL were not measured: the answers were not streamed"
        draft.warn("not_streaming", text, "ttft_mean_ms")
    implied, stated = implied_tpot_ms(draft), draft.number("tpot_mean_ms")
    lengths = _part(good, "output_len") or _part(good, "output_tokens")
    low, high, mean = (as_number(lengths.get(key)) for key in ("p10", "p90", "mean"))
    if implied is None or not stated or low is None or high is None or not mean or high - low > SAME_LENGTHS * mean:
        return
    if FEW < implied / stated < TWO_EVENTS:
        return
    draft.lengths_fixed = False  # said here, with its cause
    draft.warn(
        "stream_events",
        f"TPOT {stated:.4g} ms and ITL do not fit the end-to-end time: (E2E - TTFT) / (tokens - 1) = {implied:.4g} ms, "
        f"{implied / stated:.2f} times as much. Stream events were counted, about {implied / stated:.1f} a token",
        "tpot_mean_ms",
        "itl_mean_ms",
        "e2e_mean_ms",
        "ttft_mean_ms",
    )


def _server(item: Located, record: Record) -> Draft:
    """The Prometheus report: rates and latencies of the server, over a window of its own."""
    draft = Draft(place=item.place, line=item.line, native=record)
    good, place = _part(record, "successes"), f"{item.place}.successes"
    draft.put("completed", good.get("count"), path=f"{place}.count (server)")
    draft.put("request_rps", good.get("rate"), path=f"{place}.rate")
    for key, side, name in (("prompt_len", "isl", "input_tps"), ("output_len", "osl", "output_tps")):
        rate, requests = as_number(_part(good, key).get("rate")), as_number(good.get("rate"))
        draft.put(name, rate, path=f"{place}.{key}.rate")
        if rate is not None and requests:
            draft.derive(f"{side}_mean", rate / requests, f"{key}.rate / rate; {key}.mean is no length")
    exact = "inter_token_latency" in good  # reports without it read the histogram that vLLM misnamed
    for key, metric in _METRICS.items():
        metric = "itl" if metric == "tpot" and not exact else metric
        put_statistics(draft, metric, good.get(key), f"{place}.{key}", scale=MS_PER_S, unit="s")
    hits = _part(good, "prefix_cache_hit_percent").get("mean")
    draft.put("prefix_hit_rate", hits, path=f"{place}.prefix_cache_hit_percent.mean", scale=0.01, unit="%")
    draft.warn(
        "server_side",
        "these are the server's figures over a window of its own, without network and without failed requests: not "
        "the client's; prompt_len.mean and output_len.mean of this report are not lengths of requests"
        + ("" if exact else "; time_per_output_token is the gap between tokens (ITL), as vLLM's old histogram was"),
        "completed",
        "request_rps",
    )
    return draft


READER = Reader(
    key="inference_perf",
    title="inference-perf lifecycle and Prometheus reports (JSON, YAML)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "device_count", "tp", "engine_version", "weight_format", "kv_format", "power_w"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="inference_perf.json",
)
