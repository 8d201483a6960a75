"""Scrapes of a server that never existed, to show what a timeline looks like."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta

NAME = "made-up scrapes"
SCRAPES, EVERY_S, SLOWER_FROM = 300, 12, 265


def made_up_scrapes() -> bytes:
    """An hour of scrapes, one every 12 s: steady but for noise, 6 % slower after 53 minutes; always the same."""
    chance, start = random.Random(11), datetime(2026, 1, 15, 9, 0, tzinfo=UTC)  # noqa: S311 - an example, no secret
    totals = dict.fromkeys(("output", "prompt", "gap_s", "gaps", "first_s", "firsts", "done"), 0.0)
    lines: list[str] = []
    for number in range(SCRAPES):
        running = 12 + round(3 * math.sin(number / 14)) + chance.randrange(2)
        slower = 1.06 if number >= SLOWER_FROM else 1.0
        gap = 0.021 * (1 + 0.02 * (running - 12)) * slower * math.exp(chance.gauss(0, 0.02))
        tokens = running * EVERY_S / gap
        requests = tokens / 400
        first = 0.18 * (1 + 0.03 * running) * math.exp(chance.gauss(0, 0.05))
        grown = (tokens, requests * 900, tokens * gap, tokens, first * requests, requests, requests)
        totals = {name: totals[name] + by for name, by in zip(totals, grown, strict=True)}
        lines += _scrape(start + timedelta(seconds=number * EVERY_S), totals, running, chance)
    return "\n".join([*lines, ""]).encode()


def _scrape(moment: datetime, totals: dict[str, float], running: int, chance: random.Random) -> list[str]:
    tags = '{engine="0",model_name="zai-org/GLM-4.6-FP8"}'
    state = {"num_requests_running": running, "num_requests_waiting": max(0, running - 14),
             "kv_cache_usage_perc": round(0.031 * running + 0.01 * chance.random(), 4)}  # fmt: skip
    counts = {
        "generation_tokens_total": totals["output"], "prompt_tokens_total": totals["prompt"],
        "inter_token_latency_seconds_sum": totals["gap_s"], "inter_token_latency_seconds_count": totals["gaps"],
        "time_to_first_token_seconds_sum": totals["first_s"], "time_to_first_token_seconds_count": totals["firsts"],
        "request_prompt_tokens_sum": totals["prompt"], "request_prompt_tokens_count": totals["done"],
        "request_generation_tokens_sum": totals["output"], "request_generation_tokens_count": totals["done"],
        "request_success_total": totals["done"],
    }  # fmt: skip
    values = {**state, **{name: f"{value:.6f}" for name, value in counts.items()}}
    head = f"# scraped {moment.strftime('%Y-%m-%dT%H:%M:%SZ')}"
    return [head, *(f"vllm:{name}{tags} {value}" for name, value in values.items())]
