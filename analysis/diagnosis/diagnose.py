"""All detectors over a sweep or a series; what another finding explains is left out, the surest comes first."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.diagnosis import load_causes, load_trends, outcomes, over_time
from analysis.diagnosis.finding import Finding, Kind
from analysis.diagnosis.observed import Series, Sweep, filled

SWEEP = (
    load_causes.tokenizer_mismatch, load_causes.client_bound, load_causes.kv_preemption, load_trends.falls_with_load,
    load_trends.saturates, load_trends.below_peak, load_trends.fluctuates,
)  # fmt: skip
SERIES = (over_time.kv_preemption, over_time.throttling, over_time.prefix_warm_up, over_time.fluctuates)
# A finding -> symptoms that follow from it and are not told apart.
EXPLAINS: dict[Kind, tuple[Kind, ...]] = {
    "tokenizer_mismatch": ("below_peak",),
    "client_bound": ("saturates", "falls_with_load"),
    "kv_preemption": ("falls_with_load", "saturates", "fluctuates", "throttling"),
    "falls_with_load": ("saturates",),
    "fluctuates": ("falls_with_load", "saturates"),
    "throttling": ("fluctuates",),
    "prefix_warm_up": ("fluctuates",),
}


def diagnose_sweep(sweep: Sweep) -> tuple[Finding, ...]:
    """What is wrong with a sweep, the most telling first; empty where nothing is."""
    whole = filled(sweep)
    return _told(outcomes.ended(whole), [found for detect in SWEEP if (found := detect(whole)) is not None])


def diagnose_series(series: Series) -> tuple[Finding, ...]:
    """What is wrong with a series, the most telling first; empty where nothing is."""
    whole = filled(series)
    return _told(outcomes.ended(whole), [found for detect in SERIES if (found := detect(whole)) is not None])


def _told(ended: Sequence[Finding], found: Sequence[Finding]) -> tuple[Finding, ...]:
    """How runs ended comes first, but for a few failed requests among many and for requests cut off."""
    explained = {kind for each in found for kind in EXPLAINS.get(each.kind, ())}
    first = [each for each in ended if each.kind != "cut_off" and each.strength >= 1]
    last = [each for each in ended if each not in first]
    return (*first, *(each for each in found if each.kind not in explained), *last)
