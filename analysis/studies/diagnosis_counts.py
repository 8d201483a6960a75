"""Tokens counted twice: what a tool's own record says by the client and by the server."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np

from analysis.diagnosis.observed import Floats
from data.records import Run


def counted_apart(runs: Sequence[Run]) -> Floats:
    """Output tokens by the client over those by the server, from the tool's own record; nan where it has not both."""
    return np.array([_counted_apart(run) for run in runs])


def _counted_apart(run: Run) -> float:
    try:
        native = json.loads(run.native)
    except ValueError:
        return math.nan
    if not isinstance(native, dict):
        return math.nan
    pairs = (
        (native.get("total_output_tokens_retokenized"), native.get("total_output_tokens")),
        (_mean(native.get("output_sequence_length")), _mean(native.get("usage_completion_tokens"))),
    )
    for client, server in pairs:
        if isinstance(client, int | float) and isinstance(server, int | float) and client > 0 and server > 0:
            return float(client) / float(server)
    return math.nan


def _mean(value: object) -> object:
    return value.get("avg") if isinstance(value, dict) else None
