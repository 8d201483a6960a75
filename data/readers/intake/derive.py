"""What follows from a run's stated fields: counts, lengths, rates, load mode, outcome; zeros that mean missing."""

from __future__ import annotations

from data.readers.intake.draft import Draft
from data.readers.intake.fields import latency_names

UNLIMITED_RATE = 1e6  # requests per second beyond which a wrapper meant "no limit"


def complete(draft: Draft) -> None:
    """Add derived counts, lengths, rates, load mode and the outcome; drop zeros that stand for missing values."""
    _counts(draft)
    _per_request(draft)
    if draft.outcome is None:
        _judge(draft)
    if draft.outcome in ("failed", "oom"):
        _drop_results(draft)
    else:
        _drop_zero_latencies(draft)
    if "load_mode" not in draft.values:
        _load_mode(draft)


def put_rate(draft: Draft, raw: object, path: str) -> None:
    """Set the arrival rate asked for: a number, or null with its raw text where the tool means no limit."""
    try:
        rate = float(str(raw))
    except ValueError:
        return
    if raw is None or rate != rate:
        return
    draft.put("request_rate", min(rate, UNLIMITED_RATE), path=path, shown=str(raw))
    if rate >= UNLIMITED_RATE:
        draft.values["request_rate"] = None


def _counts(draft: Draft) -> None:
    sent, done, cut = draft.number("num_requests"), draft.number("completed"), draft.number("incomplete") or 0
    failed = draft.number("failed")
    if failed is None and sent is not None and done is not None and sent >= done + cut:
        draft.derive("failed", sent - done - cut, "requests sent - completed" + (" - incomplete" if cut else ""))
    elif done is None and sent is not None and failed is not None:
        draft.derive("completed", sent - failed - cut, "requests sent - failed")
    elif sent is None and done is not None and failed is not None:
        draft.derive("num_requests", done + failed + cut, "completed + failed")


def _per_request(draft: Draft) -> None:
    done, seconds = draft.number("completed"), draft.number("duration_s")
    if done:
        for total, mean in (("total_input_tokens", "isl_mean"), ("total_output_tokens", "osl_mean")):
            tokens = draft.number(total)
            draft.derive(mean, None if tokens is None else tokens / done, f"{total} / completed")
    if done and seconds:
        draft.derive("request_rps", done / seconds, "completed / duration")
    tokens = draft.number("total_output_tokens")
    if tokens is not None and seconds:
        draft.derive("output_tps", tokens / seconds, "total_output_tokens / duration")


def _judge(draft: Draft) -> None:
    done, failed, cut = draft.number("completed"), draft.number("failed") or 0, draft.number("incomplete") or 0
    sent = draft.number("num_requests") or (done or 0) + failed + cut
    if done == 0:
        draft.outcome = "failed"
        draft.warn("failed_requests", "no request was completed: the file's zeros are not measurements", "completed")
    elif failed > 0:
        draft.outcome = "partial"
        draft.warn(
            "failed_requests",
            f"{failed:g} of {sent:g} requests failed ({failed / sent:.1%}): latencies and rates are those of the "
            "survivors, not comparable with a complete run",
            "failed",
            "completed",
            "num_requests",
        )
    else:
        draft.outcome = "ok"
        if cut > 0:
            draft.outcome = "partial"
            draft.warn("incomplete_requests", f"{cut:g} of {sent:g} requests were cut off at the end", "incomplete")


def _drop_results(draft: Draft) -> None:
    rates = ["request_rps", "input_tps", "output_tps", "output_tps_peak", "total_tps", "prefill_tps", "goodput_rps"]
    for name in (*latency_names(), *rates, "isl_mean", "osl_mean"):
        draft.drop(name)


def _drop_zero_latencies(draft: Draft) -> None:
    length = draft.number("osl_mean")
    for name in [name for name, value in draft.values.items() if value == 0 and name.endswith("_ms")]:
        metric, stat, _ = name.split("_")
        if stat in ("std", "min"):
            continue
        if metric == "itl" and stat == "p50" and draft.number("itl_mean_ms"):
            continue  # chunks that arrive together make a true median of zero
        draft.drop(name)
        if metric in ("tpot", "itl") and length is not None and length <= 1:
            continue  # a single output token has no time per further token
        draft.warn("rejected_value", f"{name} is 0: nothing takes no time, so it counts as not measured", name)


def _load_mode(draft: Draft) -> None:
    rate_known, rate, limit = "request_rate" in draft.values, draft.number("request_rate"), draft.number("concurrency")
    if rate:
        mode, how = "rate", "a finite request rate"
    elif limit:
        mode, how = "concurrency", "a concurrency limit and no rate"
    elif rate_known:
        mode, how = "offline", "no rate and no concurrency limit: all requests at once"
    elif draft.number("batch_size"):
        mode, how = "batch", "a batch size and no client load"
    else:
        return
    draft.put("load_mode", mode, path=how, origin="derived")
