"""A claim about speculation: the acceptances, draft lengths and draft costs under which it comes true."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from analysis.claims.machine import Served, serve
from analysis.claims.verdict import Asked, Kind, Verdict
from analysis.claims.words import span_text
from analysis.explain import explain
from analysis.models.speculation import accepted_tokens, speculation_speedup, tokens_for_speedup, wafer_verify_ratio
from analysis.study import Step

GRID = np.linspace(0.0, 1.0, 1001)  # acceptances that are tried
USUAL = (0.6, 0.8)  # acceptances that published drafts reach


def speculation_gain(asked: Asked) -> Verdict:
    """A speed-up by drafts: which acceptance gives it, for every draft length and cost, verifying as the model says."""
    claimed, lengths, costs = asked.positive("claimed_times"), asked.numbers("drafted"), asked.numbers("draft_costs")
    one = serve(asked, [Served(model=asked.model(), chip=asked.chip(), context_tokens=asked.number("context_tokens"),
                               weights=asked.text("weight_format"))])[0]  # fmt: skip
    reuse = asked.parameters.mesh.reuse
    verify = {k: float(wafer_verify_ratio(one.compute_share, reuse, k)) for k in lengths}
    needed = {(k, cost): acceptance_for(claimed, k, cost, verify[k]) for k, cost in product(lengths, costs)}
    reached = {each: a for each, a in needed.items() if not math.isnan(a)}
    usual = [a for a in reached.values() if a <= USUAL[1]]
    kind: Kind = "holds only if" if usual else "false by a factor"
    return Verdict(
        kind=kind,
        sentence=_sentence(claimed, reached, usual, lengths, kind)
        + f" Verifying costs {span_text(list(verify.values()), 3)} of a step on {one.name} ({one.architecture.name}).",
        figures={f"acceptance {k:g} drafted, {cost:g} a draft": a for (k, cost), a in needed.items()}
        | {"acceptance_low": min(reached.values(), default=math.nan)}
        | {"acceptance_high": max(reached.values(), default=math.nan)}
        | {f"verify {k:g}": ratio for k, ratio in verify.items()},
        steps=tuple(step for k in lengths for step in _steps(claimed, k, costs, verify[k], one.compute_share, reuse)),
        sources=one.sources,
        assumed=(
            f"a further token in a pass costs {reuse:g} of the first, a prior", "every drafted token is accepted alike"
        ),
    )  # fmt: skip


def acceptance_for(claimed: float, drafted: float, draft_cost: float, verify: float) -> float:
    """Lowest acceptance that gives the speed-up; nan if none does."""
    gains = speculation_speedup(accepted_tokens(GRID, drafted), drafted, draft_cost, verify)
    at = np.flatnonzero(gains >= claimed)
    return float(GRID[at[0]]) if len(at) else math.nan


def _sentence(
    claimed: float,
    reached: dict[tuple[float, float], float],
    usual: Sequence[float],
    lengths: Sequence[float],
    kind: Kind,
) -> str:
    if kind != "holds only if":
        return f"False: no usual acceptance gives {claimed:g} times."
    per_length = {k: [a for (length, _), a in reached.items() if length == k] for k in lengths}
    told = "; ".join(f"{k:.0f} drafted {span_text(found)}" for k, found in per_length.items() if found)
    lead = f"Holds only if drafts are accepted with {span_text(usual)}"
    return f"{lead}: {claimed:g} times needs, by draft length and cost, {told}."


def _steps(
    claimed: float, drafted: float, costs: Sequence[float], verify: float, share: float, reuse: float
) -> list[Step]:
    """Verifying, then the tokens a verification must yield at the cheapest and the dearest draft."""
    steps = [
        explain(wafer_verify_ratio, subject=f"{drafted:.0f} drafted, verifying", arithmetic_share=share, reuse=reuse,
                drafted=drafted)
    ]  # fmt: skip
    for cost in (min(costs), max(costs)):
        subject = f"{drafted:.0f} drafted at {cost:g} of a step each"
        steps.append(
            explain(tokens_for_speedup, subject=subject, speedup=claimed, draft_steps=drafted, draft_ratio=cost,
                    verify_ratio=verify)
        )  # fmt: skip
        acceptance = acceptance_for(claimed, drafted, cost, verify)
        if not math.isnan(acceptance):
            steps.append(explain(accepted_tokens, subject=subject, acceptance=acceptance, drafted=drafted))
    return steps
