"""Does the optimised model still compute what its reference computes, and where does it first go wrong?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pandas as pd

from analysis.explain import explain
from analysis.gate import Agreement, Thresholds, Verdict
from analysis.models import agreement as equations
from analysis.study import Step, Study
from data.sources import Source

QUESTION = "Does the optimised model still compute what its reference computes?"
WORDS = {
    "relative_error": "relative squared error below {:g}",
    "cosine": "cosine above {:g}",
    "squared_error": "mean squared error below {:g}",
    "largest_error": "largest error below {:g}",
    "divergence": "mean KL divergence below {:g} nat",
    "top1": "top-1 agreement of {:g} or more",
    "top5": "top-5 agreement of {:g} or more",
    "perplexity_gap": "perplexity rising by less than {:g}",
}
ASSUMED = (
    "Relative squared error is the mean squared error over the variance of the reference (over its mean square where "
    "all its numbers are the same).",
    "Top-5 agreement is the mean share of the reference's five likeliest tokens found among the candidate's five.",
    "Equal infinities, as masks leave them, are passed over; any other number that is not finite fails its tensor.",
    "Tensors are taken in the order of the model: what embeds, layers by number, the rest as in the file, logits.",
)


def study(verdict: Verdict, thresholds: Thresholds, files: tuple[str, str]) -> Study:
    """The verdict as a page shows it. `files`: names of the reference's and the candidate's file."""
    rows = [_row(one, verdict.failures.get(one.name, ())) for one in verdict.agreements]
    return Study(
        question=QUESTION,
        answer=_answer(verdict),
        conditions=f"{files[1]} against {files[0]}: {thresholds_in_words(thresholds)}.",
        table=pd.DataFrame(rows),
        steps=lambda: _steps(verdict),
        sources=tuple(Source(title=f"{name}, not reviewed", kind="upload", where=name) for name in files),
        assumptions=ASSUMED,
        marks={"threshold": thresholds.relative_error, "first_bad": verdict.first_bad},
    )


def thresholds_in_words(asked: Thresholds) -> str:
    """What is asked, as a list in words."""
    values = {each.name: getattr(asked, each.name) for each in fields(asked)}
    return ", ".join(WORDS[name].format(value) for name, value in values.items() if value is not None)


def _answer(verdict: Verdict) -> str:
    count = len(verdict.agreements)
    several = f"all {count:,} tensors pass" if count > 1 else f"{verdict.agreements[0].name} passes"
    if verdict.passed:
        worst = max(verdict.agreements, key=lambda one: one.relative_error)
        if not worst.sums.largest_error:
            return f"Yes: {several}, and not one number differs."
        return f"Yes: {several}; the largest relative squared error is {worst.relative_error:.2g} in {worst.name}."
    bad, first = len(verdict.failures), verdict.first_bad
    why = verdict.failures[first][0]
    if bad > 1:
        return f"No: {bad:,} of {count:,} tensors fail, the first is {first}: {why}."
    return f"No: {first} fails{f', the other {count - 1:,} pass' if count > 1 else ''}: {why}."


def _row(one: Agreement, failures: Sequence[str]) -> dict[str, object]:
    logits = one.logits
    at = [int(n) for n in np.unravel_index(one.sums.largest_at, one.shape)] if one.shape else []
    return {
        "tensor": one.name,
        "verdict": "fails" if failures else "passes",
        "relative_error": one.relative_error,
        "cosine": one.cosine,
        "mean_squared_error": one.mean_squared_error,
        "largest_error": one.sums.largest_error,
        "largest_at": str(at),
        "divergence_mean": logits.divergence_mean if logits else None,
        "divergence_largest": logits.divergence_largest if logits else None,
        "top1": logits.top1 if logits else None,
        "top5": logits.top5 if logits else None,
        "reference_perplexity": logits.reference_perplexity if logits else None,
        "candidate_perplexity": logits.candidate_perplexity if logits else None,
        "not_finite": one.sums.broken,
        "numbers": one.sums.seen,
        "shape": " × ".join(f"{n:,}" for n in one.shape),
        "formats": one.dtypes[0] if one.dtypes[0] == one.dtypes[1] else " → ".join(one.dtypes),
        "why": "; ".join(failures),
    }


def _steps(verdict: Verdict) -> list[Step]:
    """The arithmetic of the first tensor that fails, or of the worst that passes."""
    chosen = verdict.first_bad or max(verdict.agreements, key=lambda one: one.relative_error).name
    one = next(each for each in verdict.agreements if each.name == chosen)
    sums = one.sums
    if not sums.count or not min(sums.spread, sums.reference_square, sums.candidate_square) > 0:
        return []
    return [
        explain(equations.mean_squared_error, subject=one.name,
                squared_error_sum=sums.squared_error, elements=sums.count),
        explain(equations.relative_squared_error, subject=one.name, error=one.mean_squared_error, spread=sums.spread),
        explain(equations.cosine_similarity, subject=one.name, product_sum=sums.product,
                reference_square_sum=sums.reference_square, candidate_square_sum=sums.candidate_square),
    ]  # fmt: skip
