"""Intervals between scrapes as a table in SI units, and the quantities worth watching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from data.readers.metrics_text.timeline import Interval

MILLI = 1e-3
# Column of the table, field of an interval, factor into SI.
_COLUMNS = (
    ("output_tokens_per_s", "output_tps", 1.0),
    ("input_tokens_per_s", "input_tps", 1.0),
    ("requests_per_s", "request_rps", 1.0),
    ("ttft_s", "ttft_mean_ms", MILLI),
    ("ttft_p95_s", "ttft_p95_ms", MILLI),
    ("tpot_s", "tpot_mean_ms", MILLI),
    ("itl_s", "itl_mean_ms", MILLI),
    ("itl_p95_s", "itl_p95_ms", MILLI),
    ("e2e_s", "e2e_mean_ms", MILLI),
    ("running", "running", 1.0),
    ("waiting", "waiting", 1.0),
    ("cache_used_fraction", "cache_used", 1.0),
    ("prefix_hit_fraction", "prefix_hit_rate", 1.0),
    ("preemptions", "preemptions", 1.0),
    ("failed_requests", "failed", 1.0),
    ("input_tokens", "isl_mean", 1.0),
    ("output_tokens", "osl_mean", 1.0),
)


@dataclass(frozen=True, kw_only=True)
class Signal:
    """A quantity that is watched.

    key     column of the table
    name    as sentences say it
    worse   the direction in which it regresses
    """

    key: str
    name: str
    worse: Literal["up", "down"]


# Each alone tells of a regression at a load that stays; the load itself (requests, running) is no regression.
SIGNALS = (
    Signal(key="itl_s", name="time between tokens", worse="up"),
    Signal(key="tpot_s", name="time per output token", worse="up"),
    Signal(key="ttft_s", name="time to first token", worse="up"),
    Signal(key="output_tokens_per_s", name="output tokens/s", worse="down"),
)


def frame_of(intervals: Sequence[Interval]) -> pd.DataFrame:
    """One row per interval: `start_s`, `end_s` since 1970 and every known quantity in SI; nan where none was told."""
    rows = {name: [each.values.get(field, np.nan) for each in intervals] for name, field, _ in _COLUMNS}
    factors = {name: factor for name, _, factor in _COLUMNS}
    columns = {name: np.array(values, dtype=float) * factors[name] for name, values in rows.items()}
    times = {name: np.array([getattr(each, name) for each in intervals]) for name in ("start_s", "end_s")}
    return pd.DataFrame(times | columns | {"restarted": [each.restarted for each in intervals]})
