"""Rows of a long table whose figures disagree: found for all rows at once, put in words by the cell-by-cell checks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from data.readers.intake.checks import CHUNK_RATIO, INCONSISTENT
from data.readers.intake.fields import LATENCIES
from data.readers.large.columns import Columns

_LADDERS = (("min", "p50", "p75", "p90", "p95", "p99", "p999", "max"), ("min", "mean", "max"))
_MS_PER_S = 1e3
_SLACK = 1.0001


def doubtful(columns: Columns) -> np.ndarray:
    """True for every row of which intake.checks would say something."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = _rates(columns) | _order(columns)
        names = ("ttft_mean_ms", "tpot_mean_ms", "osl_mean", "e2e_mean_ms")
        first, token, length, whole = (columns.number(name) for name in names)
        found |= _differ(whole, first + np.maximum(length - 1, 0) * token)
        found |= columns.number("itl_mean_ms") / token > CHUNK_RATIO
        inflight = columns.number("request_rps") * whole / _MS_PER_S
        limit = columns.number("concurrency")
        found |= _differ(columns.number("concurrency_mean"), inflight) | (inflight > limit) & _differ(limit, inflight)
        found |= columns.number("output_tps_peak") < columns.number("output_tps")
        for side in ("isl", "osl"):
            asked, real = columns.number(f"{side}_nominal"), columns.number(f"{side}_mean")
            found |= np.abs(asked - real) > INCONSISTENT * asked
    return np.broadcast_to(np.asarray(found, dtype=bool), columns.row_count)


def _rates(columns: Columns) -> np.ndarray:
    seconds, answered = columns.number("duration_s"), columns.number("completed", "num_requests")
    length, rate, output = (columns.number(name) for name in ("osl_mean", "request_rps", "output_tps"))
    tokens = columns.number("total_output_tokens")
    tokens = np.where(np.isnan(tokens), answered * length, tokens)
    inputs, total = columns.number("input_tps"), columns.number("total_tps")
    both = np.where(np.isnan(inputs), rate * (columns.number("isl_mean") + length), inputs + output)
    far = _differ(rate, answered / seconds) | _differ(output, tokens / seconds) | _differ(total, both)
    return np.asarray(far)


def _order(columns: Columns) -> np.ndarray:
    found = np.zeros(columns.row_count, dtype=bool)
    for metric in LATENCIES:
        for ladder in _LADDERS:
            steps = [f"{metric}_{stat}_ms" for stat in ladder if f"{metric}_{stat}_ms" in columns.numbers]
            for low, high in pairwise(steps):
                found |= columns.number(low) > columns.number(high) * _SLACK
    for stat in ("mean", "p50", "p90", "p95", "p99"):
        found |= columns.number(f"ttft_{stat}_ms") > columns.number(f"e2e_{stat}_ms") * _SLACK
    return found


def _differ(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(one - other) > INCONSISTENT * np.minimum(one, other))
