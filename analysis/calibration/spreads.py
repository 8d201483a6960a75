"""Intervals by regime and quantity for the engine: pooled left-out errors, and priors where no errors are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.calibration.intervals import Interval, interval
from analysis.calibration.outcomes import Outcome

Factors = tuple[float, float]
Spreads = dict[tuple[str, str], Factors]
FIXED_LAYERS: Factors = (39.0 / 45.0, 75.0 / 45.0)  # range of the time of a layer over public speeds, against its value
FAR_WAFER_POWER = 5.0  # prior: beyond the fitted context or models, about a fifth either way


def spreads_of(outcomes: Sequence[Outcome]) -> Spreads:
    """Factors on each time and rate between which 80 % of left-out runs lie."""
    found: Spreads = {}
    for key in dict.fromkeys(each.key for each in outcomes):
        for short in dict.fromkeys(each.short for each in outcomes if each.key == key):
            pooled = pooled_interval([each for each in outcomes if each.key == key and each.short == short])
            if pooled is not None:
                found[key, short] = (min(pooled.low, 1.0), max(pooled.high, 1.0))  # a prediction lies in its interval
    return _completed(found)


def pooled_interval(outcomes: Sequence[Outcome]) -> Interval | None:
    """One interval of several outcomes of a regime, on times where the quantity is "tpot"."""
    known = [each for each in outcomes if np.isfinite(each.shown).any()]
    if not known:
        return None
    parts = [(_sided(each, each.shown), _sided(each, each.measured), each) for each in known]
    rows = [each.clean for each in known]
    return interval(
        np.concatenate([part[0][at] for part, at in zip(parts, rows, strict=True)]),
        np.concatenate([part[1][at] for part, at in zip(parts, rows, strict=True)]),
        np.concatenate([each.offset[at] for each, at in zip(known, rows, strict=True)]),
        np.concatenate([each.part[at] for each, at in zip(known, rows, strict=True)]),
    )


def _sided(outcome: Outcome, values: np.ndarray) -> np.ndarray:
    """Speeds of one stream as times."""
    return np.asarray(1.0 / values if outcome.quantity == "decode_tokens_per_s" else values)


def _completed(found: Mapping[tuple[str, str], Factors]) -> Spreads:
    """Quantities that follow from others: a rate is a request's time inverted, and so on."""
    whole = dict(found)
    for key in ("serving", "low_batch", "llama_cpp", "wafer"):
        if (key, "tpot") in whole:
            whole.setdefault((key, "e2e"), whole[key, "tpot"])
            whole.setdefault((key, "rate"), _inverse(whole[key, "e2e"]))
    if ("offline", "rate") in whole:
        whole["offline", "tpot"] = _inverse(whole["offline", "rate"])
    if ("serving", "ttft") in whole:
        whole.setdefault(("low_batch", "ttft"), whole["serving", "ttft"])
    if ("wafer", "tpot") in whole:
        low, high = whole["wafer", "tpot"]
        whole["far_wafer", "tpot"] = (low**FAR_WAFER_POWER, high**FAR_WAFER_POWER)
        whole["far_wafer", "e2e"] = whole["far_wafer", "tpot"]
        whole["far_wafer", "rate"] = _inverse(whole["far_wafer", "tpot"])
    whole["other", "tpot"], whole["other", "rate"] = FIXED_LAYERS, _inverse(FIXED_LAYERS)
    if ("far", "rate") in whole:
        whole["far", "e2e"] = _inverse(whole["far", "rate"])
    return whole


def _inverse(factors: Factors) -> Factors:
    return 1.0 / factors[1], 1.0 / factors[0]
