"""Two sets of logits compared position by position: divergence, likeliest tokens, and the loss of the next token."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.gate.agreement import LogitAgreement, logit_agreement

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
TOP = 5


@dataclass(frozen=True, kw_only=True)
class LogitSums:
    """Sums over the positions so far; those with a number that is not finite in one file alone are left out."""

    rows: int = 0
    divergence: float = 0.0
    divergence_largest: float = 0.0
    top1: float = 0.0
    top5: float = 0.0
    tokens: int = 0
    reference_loss: float = 0.0
    candidate_loss: float = 0.0

    def with_piece(self, reference: Floats, candidate: Floats, targets: Ids | None) -> LogitSums:
        """The sums with more positions. `targets` holds the next token's id for each, negative where none is known."""
        good = ((np.isfinite(reference) & np.isfinite(candidate)) | (reference == candidate)).all(axis=1)
        good &= np.isfinite(reference).any(axis=1)
        first, second = log_softmax(reference[good]), log_softmax(candidate[good])
        if not len(first):
            return self
        apart = divergences(first, second)
        losses = (0, 0.0, 0.0) if targets is None else _losses(first, second, targets[good])
        same = reference[good].argmax(axis=1) == candidate[good].argmax(axis=1)
        return replace(
            self,
            rows=self.rows + len(first),
            divergence=self.divergence + float(apart.sum()),
            divergence_largest=max(self.divergence_largest, float(apart.max())),
            top1=self.top1 + float(same.sum()),
            top5=self.top5 + float(shared_top(reference[good], candidate[good]).sum()),
            tokens=self.tokens + losses[0],
            reference_loss=self.reference_loss + losses[1],
            candidate_loss=self.candidate_loss + losses[2],
        )

    def agreement(self) -> LogitAgreement:
        """The sums as shares and means."""
        return logit_agreement(
            self.rows,
            (self.divergence, self.divergence_largest),
            (self.top1, self.top5),
            (self.tokens, self.reference_loss, self.candidate_loss),
        )


def log_softmax(logits: Floats) -> Floats:
    """Natural logarithms of the probabilities that rows of logits stand for; shape (rows, vocabulary)."""
    shifted = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def divergences(reference: Floats, candidate: Floats) -> Floats:
    """Kullback-Leibler divergence of each row, from logarithms of probabilities. [nat], shape (rows,)

    sum over tokens of p (ln p - ln q), p the reference's probability; a token of probability 0 in both adds nothing.
    """
    with np.errstate(invalid="ignore"):
        terms = np.exp(reference) * (reference - candidate)
    return np.asarray(np.maximum(np.where(np.isneginf(reference), 0.0, terms).sum(axis=1), 0.0))


def shared_top(reference: Floats, candidate: Floats) -> Floats:
    """Share of each row's five highest logits found among the other's five; shape (rows,), 0 to 1."""
    top = min(TOP, reference.shape[1])
    mine, theirs = (np.argpartition(-each, top - 1, axis=1)[:, :top] for each in (reference, candidate))
    return np.asarray((mine[:, :, None] == theirs[:, None, :]).any(axis=2).mean(axis=1))


def _losses(first: Floats, second: Floats, targets: Ids) -> tuple[int, float, float]:
    known = np.flatnonzero(targets >= 0)
    ids = targets[known]
    return len(known), float(-first[known, ids].sum()), float(-second[known, ids].sum())
