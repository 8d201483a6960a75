"""What is known of one tensor after comparing it: errors, angle, and for logits what the tokens become."""

from __future__ import annotations

import math
from dataclasses import dataclass

from analysis.gate.sums import Sums
from analysis.models.agreement import cosine_similarity, mean_squared_error, perplexity, relative_squared_error


@dataclass(frozen=True, kw_only=True)
class LogitAgreement:
    """Agreement of two sets of logits, over the rows in which every number is one.

    rows                 positions compared
    divergence_mean      mean Kullback-Leibler divergence of the candidate from the reference, nat
    divergence_largest   the largest of one position
    top1, top5           share of positions with the same likeliest token; mean share of the reference's five likeliest
                         found among the candidate's five
    tokens               positions whose next token is known; 0 without token ids
    reference_perplexity, candidate_perplexity   over those, nan without token ids
    """

    rows: int
    divergence_mean: float
    divergence_largest: float
    top1: float
    top5: float
    tokens: int = 0
    reference_perplexity: float = math.nan
    candidate_perplexity: float = math.nan

    @property
    def perplexity_gap(self) -> float:
        """Candidate's perplexity over the reference's, less 1; nan without token ids."""
        return self.candidate_perplexity / self.reference_perplexity - 1


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """One tensor compared.

    name, shape   as both files give them
    dtypes        number formats in reference and candidate
    sums          what the figures are made of
    logits        agreement by position, None for other tensors
    """

    name: str
    shape: tuple[int, ...]
    dtypes: tuple[str, str]
    sums: Sums
    logits: LogitAgreement | None = None

    @property
    def mean_squared_error(self) -> float:
        """Mean squared difference of the finite numbers; nan if there is none."""
        return float(mean_squared_error(self.sums.squared_error, self.sums.count)) if self.sums.count else math.nan

    @property
    def relative_error(self) -> float:
        """Mean squared error over the reference's variance; infinite where a tensor of zeros is not kept."""
        error, spread = self.mean_squared_error, self.sums.spread
        if error == 0:
            return 0.0
        return float(relative_squared_error(error, spread)) if spread > 0 else error * math.inf

    @property
    def cosine(self) -> float:
        """Cosine of the angle between both; 1 where both are zero, 0 where one is."""
        squares = self.sums.reference_square, self.sums.candidate_square
        if min(squares) == 0:
            return 1.0 if max(squares) == 0 and self.sums.count else 0.0
        return min(1.0, float(cosine_similarity(self.sums.product, *squares)))


def logit_agreement(rows: int, divergences: tuple[float, float], same: tuple[float, float],
                    losses: tuple[int, float, float]) -> LogitAgreement:  # fmt: skip
    """Sums over positions as shares and means. `divergences`: sum and largest; `same`: sums of top-1 and top-5 shares;
    `losses`: tokens, and the losses of reference and candidate added up."""
    tokens, of_reference, of_candidate = losses
    known = rows or math.nan
    return LogitAgreement(
        rows=rows,
        divergence_mean=divergences[0] / known,
        divergence_largest=divergences[1],
        top1=same[0] / known,
        top5=same[1] / known,
        tokens=tokens,
        reference_perplexity=float(perplexity(of_reference, tokens)) if tokens else math.nan,
        candidate_perplexity=float(perplexity(of_candidate, tokens)) if tokens else math.nan,
    )
