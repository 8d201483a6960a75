"""Names of an engine's metrics in queries."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from data.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True)
class EngineNames:
    """What an engine calls its metrics; empty where it has none.

    Histograms without their endings, counters and gauges whole. Names as in each engine's documentation of metrics.
    """

    prefix: str
    output: str
    prompt: str
    ttft: str
    gap: str
    request: str
    running: str
    waiting: str
    cache_used: str
    done: str
    preempted: str = ""
    hits: str = ""
    lookups: str = ""


ENGINES = MappingProxyType(
    {
        "vllm": EngineNames(
            prefix="vllm:",
            output="generation_tokens_total",
            prompt="prompt_tokens_total",
            ttft="time_to_first_token_seconds",
            gap="inter_token_latency_seconds",
            request="e2e_request_latency_seconds",
            running="num_requests_running",
            waiting="num_requests_waiting",
            cache_used="kv_cache_usage_perc",
            done="request_success_total",
            preempted="num_preemptions_total",
            hits="prefix_cache_hits_total",
            lookups="prefix_cache_queries_total",
        ),
        "sglang": EngineNames(
            prefix="sglang:",
            output="generation_tokens_total",
            prompt="prompt_tokens_total",
            ttft="time_to_first_token_seconds",
            gap="inter_token_latency_seconds",
            request="e2e_request_latency_seconds",
            running="num_running_reqs",
            waiting="num_queue_reqs",
            cache_used="token_usage",
            done="num_requests_total",
        ),
    }
)


def names_of(engine: str) -> EngineNames:
    """The names of one engine. Raises UnknownNameError for one whose names are not listed."""
    if engine not in ENGINES:
        raise UnknownNameError("engine with known metrics", engine, ENGINES)
    return ENGINES[engine]
