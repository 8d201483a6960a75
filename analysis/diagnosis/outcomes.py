"""Runs that did not end well: no memory, failed runs and requests, results called invalid, requests cut off."""

from __future__ import annotations

import numpy as np

from analysis.diagnosis.finding import Finding, Kind
from analysis.diagnosis.observed import Floats, Outcome, Series, Sweep

FEW = 0.01  # share of failed requests from which they come before what the figures show
CUT_LEAST = 0.05  # share of requests cut off at the end that is more than the last ones in flight of a long run
NO_FIGURES: tuple[Outcome, ...] = ("oom", "failed", "invalid")  # nothing of such a run counts in a speed
_ENDS: dict[Outcome, tuple[Kind, str, str]] = {
    "oom": ("out_of_memory", "ran out of memory", "ran out of memory"),
    "failed": ("runs_fail", "completed no request", "completed no request"),
    "invalid": ("invalid", "is called invalid by its tool", "are called invalid by their tool"),
}


def ended(seen: Sweep | Series) -> tuple[Finding, ...]:
    """Runs without figures, by how they ended, then failed requests of the others, then requests cut off."""
    found = [*(_no_figures(seen, outcome) for outcome in NO_FIGURES), _requests_fail(seen), _cut_off(seen)]
    return tuple(each for each in found if each is not None)


def at_load(seen: Sweep | Series, at: int) -> str:
    """Where a point lies: "at a load of 64", "at 8 requests a second", "after 120 s"; "at a load not stated"."""
    if isinstance(seen, Series):
        return f"after {seen.time_s[at]:,.0f} s"
    if np.isnan(seen.load[at]):
        return "with all requests at once" if seen.kind == "offline" else "at a load not stated"
    return f"at {seen.load[at]:,.3g} requests a second" if seen.kind == "rate" else f"at a load of {seen.load[at]:,.4g}"


def _runs(count: int) -> str:
    return f"{count:,} run{'s' * (count != 1)}"


def _ending(seen: Sweep | Series, *outcomes: Outcome) -> np.ndarray:
    return np.flatnonzero([each in outcomes for each in seen.outcomes])


def _no_figures(seen: Sweep | Series, outcome: Outcome) -> Finding | None:
    """Runs that ended in one of the ways that leave nothing to measure."""
    at = _ending(seen, outcome)
    if not at.size:
        return None
    kind, one, several = _ENDS[outcome]
    count = len(seen.outcomes)
    which = f"{at.size} of {_runs(count)}" if count > 1 else "1 run"
    first = f"{'the first ' if at.size > 1 else ''}{at_load(seen, int(at[0]))}"
    figures = "It has no figures" if at.size == 1 else "They have no figures"
    return Finding(
        kind=kind, quantity="output_rate", at=tuple(map(int, at)), effect=at.size / count, least=1 / count,
        noise=float("nan"), confirmed=True, brief=f"{which}, {first}",
        words=f"{which} {one if at.size == 1 else several}, {first}. {_still_well(seen, at)}"
        f"{figures} and {'counts' if at.size == 1 else 'count'} in no speed.",
    )  # fmt: skip


def _still_well(seen: Sweep | Series, at: np.ndarray) -> str:
    """The largest load below the first of these that ended with figures."""
    if isinstance(seen, Series):
        return ""
    good = np.flatnonzero([each not in NO_FIGURES for each in seen.outcomes])
    below = [float(seen.load[each]) for each in good if seen.load[each] < seen.load[at[0]]]
    return f"A load of {max(below):,.4g} still ran. " if below else ""


def _requests_fail(seen: Sweep | Series) -> Finding | None:
    """Requests that failed in runs which others of their requests outlived."""
    share = seen.failed_fraction
    partial = np.isin(np.arange(len(share)), _ending(seen, "partial"))
    with np.errstate(invalid="ignore"):
        uncounted = partial & np.isnan(share) & ~(seen.cut_off_fraction > 0)
        failing = (share > 0) & ~np.isin(np.arange(len(share)), _ending(seen, *NO_FIGURES))
    at = np.flatnonzero(failing | uncounted)
    if not at.size:
        return None
    if not failing.any():
        return _uncounted(seen, at)
    first, worst = int(np.flatnonzero(failing)[0]), int(np.nanargmax(np.where(failing, share, np.nan)))
    begins = f", the first {at_load(seen, first)}" if first != worst else ""
    start = f"Failures begin {at_load(seen, first)}, with {_counted(share, seen.sent, first)}; " if begins else ""
    most = f"{_counted(share, seen.sent, worst)} {at_load(seen, worst)}"
    return Finding(
        kind="requests_fail", quantity="failed_fraction", at=tuple(map(int, at)), effect=float(share[worst]), least=FEW,
        noise=float("nan"), confirmed=True, brief=f"{most}{begins}",
        words=f"{start}{'the most is ' if start else ''}{most}. Rates and times of such runs are those of the requests "
        "that succeeded.",
    )  # fmt: skip


def _uncounted(seen: Sweep | Series, at: np.ndarray) -> Finding:
    which = f"{at.size} of {_runs(len(seen.outcomes))}"
    where = f"{'the first ' if at.size > 1 else ''}{at_load(seen, int(at[0]))}"
    return Finding(
        kind="requests_fail", quantity="output_rate", at=tuple(map(int, at)), effect=FEW, least=FEW, noise=float("nan"),
        brief=f"an unknown number in {which}, {where}",
        words=f"{which} {'is' if at.size == 1 else 'are'} marked as partial, {where}, without a count of the requests "
        "that failed.",
    )  # fmt: skip


def _counted(share: Floats, sent: Floats, at: int) -> str:
    """ "12.5 % (125 of 1,000)"."""
    percent = f"{100 * share[at]:.3g} %"
    return f"{percent} ({share[at] * sent[at]:,.0f} of {sent[at]:,.0f})" if np.isfinite(sent[at]) else percent


def _cut_off(seen: Sweep | Series) -> Finding | None:
    """Requests that were neither answered nor failed when the run ended."""
    share = seen.cut_off_fraction
    with np.errstate(invalid="ignore"):
        cut = (share > 0) & ~np.isin(np.arange(len(share)), _ending(seen, *NO_FIGURES))
    at = np.flatnonzero(cut)
    if not at.size:
        return None
    worst = int(np.nanargmax(np.where(cut, share, np.nan)))
    which = f"{at.size} of {_runs(len(share))}" if len(share) > 1 else "1 run"
    most = f"{_counted(share, seen.sent, worst)} {at_load(seen, worst)}"
    return Finding(
        kind="cut_off", quantity="cut_off_fraction", at=tuple(map(int, at)), effect=float(share[worst]),
        least=CUT_LEAST, noise=float("nan"), brief=most,
        words=f"{which} ended with requests under way, {'at most ' if at.size > 1 else ''}{most}. "
        "Those do not count, and the slowest are the likeliest among them.",
    )  # fmt: skip
