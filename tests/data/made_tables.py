"""Long tables made up for tests: runs of known figures, many of them under one load."""

from __future__ import annotations

import random

HEADER = (
    "model,hardware,GPUs,concurrency,input tokens,output tokens,TPOT mean (ms),TTFT mean (ms),output throughput (tok/s)"
)
MODELS = ("Llama-3.3-70B FP8", "Qwen3-32B")
DEVICES = ("H100 SXM", "H200 SXM")


def made_rows(count: int, seed: int = 11) -> list[tuple[str, str, int, int, int, int, float, float, float]]:
    """Rows in the order of HEADER; no two alike."""
    rng = random.Random(seed)  # noqa: S311 - invented figures
    rows = []
    for number in range(count):
        users, token_ms = 2 ** rng.randrange(8), round(rng.uniform(8, 40) + 1e-5 * number, 5)
        rows.append((rng.choice(MODELS), rng.choice(DEVICES), rng.choice((4, 8)), users, 1024, 256, token_ms,
                     round(rng.uniform(50, 900), 3), round(1000 * users / token_ms, 3)))  # fmt: skip
    return rows


def made_csv(rows: list[tuple[str, str, int, int, int, int, float, float, float]]) -> bytes:
    """The rows as a file."""
    return "\n".join([HEADER, *(",".join(map(str, row)) for row in rows), ""]).encode()
