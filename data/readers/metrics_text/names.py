"""Names under which serving engines publish the same quantity, old and new, and what each of them really measures."""

from __future__ import annotations

import re
from functools import lru_cache

# What a family measures. An old name stands for what was measured under it: "time per output token" was the gap
# between tokens until engines renamed it and added a histogram of one value a request.
_FAMILIES = {
    "time_to_first_token_seconds": "ttft",
    "inter_token_latency_seconds": "itl",
    "time_per_output_token_seconds": "old_itl",
    "request_time_per_output_token_seconds": "tpot",
    "e2e_request_latency_seconds": "e2e",
    "request_duration": "e2e",
    "request_prompt_tokens": "isl",
    "prompt_tokens_histogram": "isl",
    "request_input_length": "isl",
    "request_generation_tokens": "osl",
    "generation_tokens_histogram": "osl",
    "request_generated_tokens": "osl",
    "prompt_tokens": "prompt_tokens",
    "generation_tokens": "generation_tokens",
    "request_success": "success",
    "request_failure": "failure",
    "num_requests": "requests",
    "num_aborted_requests": "failure",
    "prefix_cache_queries": "cache_queries",
    "gpu_prefix_cache_queries": "cache_queries",
    "prefix_cache_hits": "cache_hits",
    "gpu_prefix_cache_hits": "cache_hits",
    "cache_config_info": "cache_config",
    "num_preemptions": "preemptions",
    "num_requests_running": "running",
    "num_running_reqs": "running",
    "batch_current_size": "running",
    "num_requests_waiting": "waiting",
    "num_queue_reqs": "waiting",
    "queue_size": "waiting",
    "kv_cache_usage_perc": "cache_used",
    "gpu_cache_usage_perc": "cache_used",
    "token_usage": "cache_used",
}
# A state at one moment, not a count since the start.
GAUGES = frozenset({"running", "waiting", "cache_used", "cache_config"})
ENGINES = {"vllm": "vllm", "sglang": "sglang", "tgi": "tgi", "trtllm": "tensorrt-llm", "lmdeploy": "lmdeploy"}
_NAME = re.compile(r"(vllm|sglang|tgi|trtllm|lmdeploy)[:_](.+?)(_bucket|_sum|_count|_total)?")


@lru_cache(maxsize=4096)
def family_of(name: str) -> tuple[str, str, str] | None:
    """(engine, what is measured, part: "bucket", "sum", "count" or "") of a series; None if it does not matter here."""
    match = _NAME.fullmatch(name) if len(name) < 200 else None
    if match is None:
        return None
    what, part = _FAMILIES.get(match[2]), (match[3] or "")
    if what is None and part and match[2] + part in _FAMILIES:
        what, part = _FAMILIES[match[2] + part], ""
    return (ENGINES[match[1]], what, part.strip("_").removesuffix("total")) if what else None
