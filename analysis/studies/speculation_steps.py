"""The arithmetic behind the speculation study, machine by machine."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.explain import explain
from analysis.machines import places_layers
from analysis.models import speculation
from analysis.parameters import starting_parameters
from analysis.studies.speculation_costs import Costs, Draft
from analysis.study import Step, rows_of
from analysis.workload import Workload


def steps_of(
    workload: Workload, costs: Sequence[Costs], draft: Draft, table: pd.DataFrame, wanted: float
) -> list[Step]:
    """Costs, tokens and speed-up at the best length of every machine that has an answer."""
    steps: list[Step] = []
    for one, row in zip(costs, rows_of(table), strict=True):
        if one.refusal:
            continue
        length = int(row["best_drafted"]) or draft.drafted
        steps += _cost_steps(workload, one, draft, length)
        steps += _gain_steps(one, draft, length, wanted)
    return steps


def _cost_steps(workload: Workload, one: Costs, draft: Draft, length: int) -> list[Step]:
    steps = [
        explain(
            speculation.step_ratio, subject=f"{one.name}, verifying {length} drafted tokens",
            step_s=float(one.verify_s[length]), plain_step_s=one.plain_s,
        )
    ]  # fmt: skip
    if places_layers(one.slot.chip):
        believed = workload.parameters or starting_parameters()
        steps.append(
            explain(
                speculation.wafer_verify_ratio, subject=f"{one.name}, the same by the share of arithmetic",
                arithmetic_share=one.arithmetic_share, reuse=believed.mesh.reuse, drafted=length,
            )
        )  # fmt: skip
    if draft.kind == "model":
        steps.append(
            explain(
                speculation.step_ratio, subject=f"{one.name}, one step of the draft model",
                step_s=one.draft_s, plain_step_s=one.plain_s,
            )
        )  # fmt: skip
    return steps


def _gain_steps(one: Costs, draft: Draft, length: int, wanted: float) -> list[Step]:
    drafts, ratio, verify = float(draft.steps[length]), one.draft_ratio, float(one.verify_ratio[length])
    steps = []
    yielded = min(draft.yielded, length + 1.0)
    if draft.kind != "heads":
        yielded = float(speculation.accepted_tokens(draft.acceptance, length))
        steps.append(
            explain(
                speculation.accepted_tokens, subject=f"{one.name}, {length} drafted", acceptance=draft.acceptance,
                drafted=length,
            )
        )  # fmt: skip
    costs = {"draft_steps": drafts, "draft_ratio": ratio, "verify_ratio": verify}
    steps.append(explain(speculation.speculation_speedup, subject=f"{one.name}, speed-up", yielded=yielded, **costs))
    steps.append(
        explain(speculation.tokens_for_speedup, subject=f"{one.name}, tokens for {wanted:g} ×", speedup=wanted, **costs)
    )
    return steps
