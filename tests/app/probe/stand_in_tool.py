"""Stands in for `vllm bench serve` in tests: takes its options, measures for real, writes its result file."""

from __future__ import annotations

import argparse
import json
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean


def main() -> None:
    """Measure what the options ask for; any option that the tool does not have ends it with status 2."""
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs=2)
    for name in ("backend", "base-url", "endpoint", "model", "dataset-name", "random-input-len", "random-output-len",
                 "num-prompts", "max-concurrency", "percentile-metrics", "result-dir", "result-filename",
                 "tokenizer"):  # fmt: skip
        parser.add_argument(f"--{name}")
    for name in ("ignore-eos", "save-result"):
        parser.add_argument(f"--{name}", action="store_true")
    asked = parser.parse_args()
    started = time.perf_counter()
    with ThreadPoolExecutor(int(asked.max_concurrency)) as pool:
        times = list(pool.map(lambda number: _request(asked, number), range(int(asked.num_prompts))))
    seconds = time.perf_counter() - started
    tokens = int(asked.random_output_len)
    first = [1e3 * (each[0]) for each in times]
    gaps = [1e3 * (each[-1] - each[0]) / (tokens - 1) for each in times]
    result = {
        "backend": asked.backend, "model_id": asked.model, "num_prompts": len(times), "completed": len(times),
        "duration": seconds, "total_input_tokens": len(times) * int(asked.random_input_len),
        "total_output_tokens": len(times) * tokens, "request_throughput": len(times) / seconds,
        "output_throughput": len(times) * tokens / seconds, "max_concurrency": int(asked.max_concurrency),
        "mean_ttft_ms": mean(first), "median_ttft_ms": sorted(first)[len(first) // 2],
        "mean_tpot_ms": mean(gaps), "median_tpot_ms": sorted(gaps)[len(gaps) // 2],
    }  # fmt: skip
    (Path(asked.result_dir) / asked.result_filename).write_text(json.dumps(result), encoding="utf-8")


def _request(asked: argparse.Namespace, number: int) -> list[float]:
    """Seconds from sending one request to each of its tokens."""
    body = {"model": asked.model, "stream": True, "max_tokens": int(asked.random_output_len), "messages": []}
    request = urllib.request.Request(asked.base_url + asked.endpoint, json.dumps(body).encode())  # noqa: S310
    started = time.perf_counter()
    found: list[float] = []
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            found.extend(time.perf_counter() - started for line in answer if line.startswith(b"data: {"))
    except OSError as problem:
        print(f"request {number} failed: {problem}", flush=True)
        sys.exit(1)
    print(f"request {number} done", flush=True)
    return found


if __name__ == "__main__":
    main()
