"""Times per token in GuideLLM's words. Its ITL weighs each request's (last - first) / (tokens - 1) by tokens.

The weighted mean is the mean of all gaps, so the mean is canonical ITL; where all requests are equally long every
statistic is also TPOT. `time_per_output_token_ms` divides by all tokens and, from 0.4 on, holds TTFT inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from data.readers.guidellm_report.distributions import all_equal, distribution, mean, put_distribution
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number

_PERCENTILES = (50, 75, 90, 95, 99)
_FITS = 0.03  # share within which a figure agrees with a definition


def put_token_times(draft: Draft, benchmark: Mapping[str, Any], place: str) -> None:
    """ITL as reported, TPOT where it follows without doubt; neither from `time_per_output_token_ms`."""
    gaps, at = distribution(benchmark, "inter_token_latency_ms"), f"{place}.metrics.inter_token_latency_ms.successful"
    put_distribution(draft, "itl", gaps, place=at, unit="ms")
    single = _of_requests(benchmark, draft.number("completed"))
    if all_equal(distribution(benchmark, "output_token_count")):
        put_distribution(draft, "tpot", gaps, place=at, unit="ms", derived="one value a request, all equally long")
    elif single:
        _put_requests(draft, single, f"{place}.requests.successful: inter_token_latency_ms of each")
    else:
        draft.derive("tpot_mean_ms", mean(gaps), f"{at}.mean: (last - first) / (tokens - 1), weighted by tokens")


def definition_notice(draft: Draft, benchmark: Mapping[str, Any]) -> str:
    """What the report's `time_per_output_token_ms` is, decided by arithmetic; "" if it has none."""
    stated, gap = mean(distribution(benchmark, "time_per_output_token_ms")), draft.number("itl_mean_ms")
    length, first = draft.number("osl_mean"), draft.number("ttft_mean_ms")
    if stated is None or gap is None or not length:
        return ""
    decoding = gap * (length - 1) / length
    meaning = "is divided by all tokens, the first one's time in doubt"
    if abs(stated - decoding) <= _FITS * stated:
        meaning = "is (last token - first token) / tokens, one interval short of a TPOT"
    elif first is not None and abs(stated - decoding - first / length) <= _FITS * stated:
        meaning = "is (last token - request start) / tokens, with TTFT inside"
    return (
        f"GuideLLM's time per output token ({stated:.4g} ms where its inter token latency is {gap:.4g} ms) {meaning}: "
        "not taken as TPOT. Its inter token latency is one value a request, weighted by tokens"
    )


def _of_requests(benchmark: Mapping[str, Any], completed: float | None) -> list[float]:
    """The value of each successful request; empty unless the report kept them all."""
    requests = benchmark.get("requests")
    kept = requests.get("successful") if isinstance(requests, Mapping) else None
    if not isinstance(kept, list) or not kept or len(kept) != completed:
        return []
    values = [as_number(one.get("inter_token_latency_ms")) for one in kept if isinstance(one, Mapping)]
    return [value for value in values if value is not None]


def _put_requests(draft: Draft, values: list[float], how: str) -> None:
    array = np.asarray(values, dtype=float)
    found = {"mean": array.mean(), "std": array.std(), "min": array.min(), "max": array.max()}
    found |= {f"p{rank}": value for rank, value in zip(_PERCENTILES, np.percentile(array, _PERCENTILES), strict=True)}
    for statistic, value in found.items():
        draft.derive(f"tpot_{statistic}_ms", float(value), how)
