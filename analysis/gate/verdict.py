"""Thresholds, and what exceeds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from analysis.gate.agreement import Agreement
from data.errors import OutOfRangeError

RELATIVE_ERROR = 1e-4  # a signal-to-noise ratio of 40 dB, what 8-bit integers with a scale per tensor reach
COSINE = 0.99


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What may be lost. None asks nothing; the defaults ask for relative error and angle alone.

    relative_error   mean squared error over the reference's variance, below this
    cosine           above this
    squared_error    mean squared error in the tensor's own unit, below this
    largest_error    largest absolute difference, below this
    divergence       mean Kullback-Leibler divergence of logits, nat, below this
    top1, top5       agreement of the likeliest tokens, at least this
    perplexity_gap   rise of perplexity as a share, below this; asks for token ids
    """

    relative_error: float | None = RELATIVE_ERROR
    cosine: float | None = COSINE
    squared_error: float | None = None
    largest_error: float | None = None
    divergence: float | None = None
    top1: float | None = None
    top5: float | None = None
    perplexity_gap: float | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None and not np.isfinite(value):
                raise OutOfRangeError("a threshold that is no number", where=each.name, found=value)
        if all(getattr(self, each.name) is None for each in fields(self)):
            raise OutOfRangeError("no threshold is left", remedy="Ask for at least one.")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Everything compared, and what failed.

    failures    reasons in words by tensor, in the model's order; empty if all pass
    """

    agreements: tuple[Agreement, ...]
    failures: dict[str, tuple[str, ...]]

    @property
    def passed(self) -> bool:
        """True if nothing failed."""
        return not self.failures

    @property
    def first_bad(self) -> str:
        """The first tensor that failed in the model's order; empty if none did."""
        return next(iter(self.failures), "")


def judge(agreements: Sequence[Agreement], thresholds: Thresholds) -> Verdict:
    """What exceeds the thresholds. Raises OutOfRangeError if a threshold asks for logits or tokens nobody gave."""
    with_logits = [each for each in agreements if each.logits]
    needs_logits = [n for n in ("divergence", "top1", "top5", "perplexity_gap") if getattr(thresholds, n) is not None]
    if needs_logits and not with_logits:
        raise OutOfRangeError("a threshold for logits, and no tensor holds them", where=", ".join(needs_logits),
                              remedy="Name the tensor that holds logits.")  # fmt: skip
    if thresholds.perplexity_gap is not None and not any(each.logits and each.logits.tokens for each in with_logits):
        raise OutOfRangeError("a threshold for perplexity, and no token ids", remedy="Give the file of token ids.")
    found = {each.name: tuple(reasons(each, thresholds)) for each in agreements}
    return Verdict(agreements=tuple(agreements), failures={name: why for name, why in found.items() if why})


def reasons(one: Agreement, asked: Thresholds) -> list[str]:
    """Why a tensor fails, in words; empty if it passes."""
    found = []
    if one.sums.broken:
        at = tuple(int(n) for n in np.unravel_index(one.sums.first_broken_at, one.shape)) if one.shape else ()
        found.append(f"{one.sums.broken:,} numbers are not finite, the first at {list(at)}")
    found += _above("relative squared error", one.relative_error, asked.relative_error)
    found += _below("cosine", one.cosine, asked.cosine)
    found += _above("mean squared error", one.mean_squared_error, asked.squared_error)
    found += _above("largest error", one.sums.largest_error, asked.largest_error)
    if one.logits:
        found += _above("mean KL divergence", one.logits.divergence_mean, asked.divergence)
        found += _at_least("top-1 agreement", one.logits.top1, asked.top1)
        found += _at_least("top-5 agreement", one.logits.top5, asked.top5)
        found += _above("perplexity gap", one.logits.perplexity_gap, asked.perplexity_gap)
    return found


def _failing(passes: Callable[[float, float], bool], words: str) -> Callable[[str, float, float | None], list[str]]:
    """A check that fails unless `passes`; a figure that could not be computed fails too."""

    def check(name: str, value: float, limit: float | None) -> list[str]:
        return [] if limit is None or passes(value, limit) else [f"{name} {value:.3g} {words} {limit:g}"]

    return check


_above = _failing(lambda value, limit: value < limit, "is not below")
_below = _failing(lambda value, limit: value > limit, "is not above")
_at_least = _failing(lambda value, limit: value >= limit, "is below")
