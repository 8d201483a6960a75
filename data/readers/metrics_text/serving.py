"""The run of a serving engine that its metrics grew by: counts, lengths, latencies with quantiles from histograms."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.statistics import MS_PER_S
from data.readers.metrics_text.exposition import Growth
from data.readers.metrics_text.names import family_of

_QUANTILES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99}
_FAILED = ("abort", "error", "failed")
Buckets = Sequence[tuple[float, float]]


def quantile(share: float, buckets: Buckets) -> float | None:
    """Linear within the bucket that holds it; infinite above the largest bound, None for an empty histogram.

    buckets   (upper bound, number of values up to it), by bound
    """
    total = buckets[-1][1] if buckets else 0.0
    if total <= 0:
        return None
    below, count_below = 0.0, 0.0
    for bound, count in buckets:
        if count >= share * total:
            if math.isinf(bound):
                return math.inf
            inside = count - count_below
            return bound if inside <= 0 else below + (bound - below) * (share * total - count_below) / inside
        below, count_below = bound, count
    return math.inf


class _Families:
    """Growth gathered by what is measured, summed over engines, models and whatever else the labels tell apart."""

    def __init__(self, growth: Growth) -> None:
        self.sums: dict[tuple[str, str], float] = defaultdict(float)
        self.buckets: dict[str, dict[float, float]] = defaultdict(lambda: defaultdict(float))
        self.success: dict[str, float] = defaultdict(float)
        self.labels: dict[str, set[str]] = defaultdict(set)
        for (name, pairs), value in growth.values.items():
            family = family_of(name)
            if family is None:
                continue
            engine, what, part = family
            labels = dict(pairs)
            self._note(engine, what, labels)
            if part == "bucket":
                bound = as_number(labels.get("le"))
                self.buckets[what][math.inf if bound is None else bound] += value
            elif what == "success" and "finished_reason" in labels:
                self.success[labels["finished_reason"]] += value
            elif math.isfinite(value):
                self.sums[what, part] += value

    def _note(self, engine: str, what: str, labels: dict[str, str]) -> None:
        self.labels["engine"].add(engine)
        if "model_name" in labels:
            self.labels["model"].add(labels["model_name"])
        if what == "cache_config":
            for key in ("cache_dtype", "enable_prefix_caching"):
                self.labels[key] |= {labels[key]} if key in labels else set()

    def sorted_buckets(self, what: str) -> list[tuple[float, float]]:
        """Bounds in order with counts that never fall; the count of the histogram stands for a missing last bound."""
        counts, found, top = dict(self.buckets[what]), list[tuple[float, float]](), 0.0
        counts.setdefault(math.inf, self.sums.get((what, "count"), 0.0))
        for bound in sorted(counts):
            top = max(top, counts[bound])
            found.append((bound, top))
        return found


def serving_draft(growth: Growth) -> Draft:
    """The run behind this growth, with a warning if it is the whole life of the server."""
    draft, families = Draft(place="$", line=1), _Families(growth)
    draft.native = {f"{what} {part}".strip(): value for (what, part), value in families.sums.items()}
    for field, key in (("engine", "engine"), ("model_raw", "model")):
        draft.put(field, " + ".join(sorted(families.labels[key])) or None, path=f"label or prefix: {key}")
    _configuration(draft, families)
    _counts(draft, families)
    exact = families.sums.get(("itl", "count"), 0.0) > 0
    metrics = {"ttft": "ttft", "tpot": "tpot", "e2e": "e2e", "itl" if exact else "old_itl": "itl"}
    for what, metric in metrics.items():
        _latency(draft, families, what, metric)
    _rates(draft, growth, families)
    if growth.since_start:
        draft.warn(
            "since_start",
            "one scrape: these are averages over the whole life of the server, warm-up and other clients included, "
            "measured inside the engine without the network. A run needs a scrape before and one after it",
            "completed",
        )
    if growth.resets:
        draft.warn("counter_reset", f"{growth.resets} series fell back: the server restarted between the scrapes")
    return draft


def _configuration(draft: Draft, families: _Families) -> None:
    formats, caching = families.labels["cache_dtype"] - {"auto"}, families.labels["enable_prefix_caching"]
    if len(formats) == 1:
        draft.put("kv_format", formats.pop(), path="cache_config_info: cache_dtype")
    if len(caching) == 1:
        raw = caching.pop()
        draft.put("prefix_cache", "on" if raw == "True" else "off", origin="converted", shown=raw,
                  path="cache_config_info: enable_prefix_caching")  # fmt: skip
    queries, hits = (families.sums.get((what, ""), 0.0) for what in ("cache_queries", "cache_hits"))
    if queries > 0:
        draft.derive("prefix_hit_rate", hits / queries, "prefix cache hits / queries, in tokens")


def _counts(draft: Draft, families: _Families) -> None:
    """Requests by outcome, and tokens of completed requests; of all requests where only those are counted."""
    done = sum(count for reason, count in families.success.items() if reason not in _FAILED)
    failed = sum(count for reason, count in families.success.items() if reason in _FAILED)
    plain = families.sums.get(("success", ""))
    if families.success or plain is not None:
        draft.put("completed", done + (plain or 0.0), path="request_success")
        if ("failure", "") in families.sums or set(families.success) & set(_FAILED):
            failed += families.sums.get(("failure", ""), 0.0)
            draft.put("failed", failed, path="request_success by reason, failures and aborts")
    else:
        count = families.sums.get(("e2e", "count"), families.sums.get(("requests", "")))
        draft.put("completed", count, path="end-to-end latencies or requests counted")
    for side, counter, total in (("isl", "prompt_tokens", "total_input_tokens"),
                                 ("osl", "generation_tokens", "total_output_tokens")):  # fmt: skip
        tokens, requests = families.sums.get((side, "sum")), families.sums.get((side, "count"))
        if tokens is not None and requests:
            draft.put(total, tokens, path=f"histogram of {side}: sum")
            draft.derive(f"{side}_mean", tokens / requests, f"histogram of {side}: sum / count")
        else:
            draft.put(total, families.sums.get((counter, "")), path=f"{counter}_total, all requests")


def _latency(draft: Draft, families: _Families, what: str, metric: str) -> None:
    count, total = families.sums.get((what, "count"), 0.0), families.sums.get((what, "sum"))
    if count <= 0 or total is None:
        return
    named = "time_per_output_token_seconds, in truth the gap between tokens" if what == "old_itl" else metric
    draft.put(f"{metric}_mean_ms", MS_PER_S * total / count, path=f"{named}: sum / count", origin="derived", unit="s",
              shown=f"{total:.12g} / {count:g}")  # fmt: skip
    if not families.buckets[what]:
        return
    buckets = families.sorted_buckets(what)
    for stat, share in _QUANTILES.items():
        value = quantile(share, buckets)
        if value is not None and math.isfinite(value):
            path = f"{named}: linear within its bucket"
            draft.put(f"{metric}_{stat}_ms", MS_PER_S * value, path=path, origin="derived", unit="s")
        elif value is not None:
            largest = max((bound for bound, _ in buckets if math.isfinite(bound)), default=0.0)
            draft.warn("above_largest_bucket", f"{metric} {stat} is above the largest bound of its histogram "
                       f"(> {MS_PER_S * largest:g} ms): left out", f"{metric}_{stat}_ms")  # fmt: skip


def _rates(draft: Draft, growth: Growth, families: _Families) -> None:
    if growth.since_start or not growth.seconds:
        return
    draft.put("duration_s", growth.seconds, path="last - first scrape", origin="derived")
    if growth.first_seconds:
        moment = datetime.fromtimestamp(growth.first_seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        draft.put("started_at", moment, path="first scrape", origin="converted")
    for counter, name in (("generation_tokens", "output_tps"), ("prompt_tokens", "input_tps")):
        tokens = families.sums.get((counter, ""))
        if tokens is not None:
            draft.put(name, tokens / growth.seconds, path=f"growth of {counter}_total / time", origin="derived")
