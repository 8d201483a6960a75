"""How much faster do drafts make it, how long should they be, and which acceptance reaches a speed?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.machines import places_layers
from analysis.models.speculation import accepted_tokens, speculation_speedup, tokens_for_speedup
from analysis.provenance import estimates_in, sources_of
from analysis.studies import speculation_words as words
from analysis.studies.speculation_costs import LENGTHS, Costs, Draft, Floats, costs_of
from analysis.studies.speculation_steps import steps_of
from analysis.study import Slot, Study
from analysis.workload import Workload

QUESTION = "How much faster do drafts make it, how long should they be, and which acceptance reaches a speed?"
FIELDS = ("bandwidth_byte_per_s", "memory_byte", "core_count")
HALVINGS = 50  # of the interval in which an acceptance is looked for: to 1e-15


def study(
    workload: Workload, slots: Sequence[Slot], draft: Draft, *, target_token_per_s: float = 1000.0,
    wanted_speedup: float = 1.8,
) -> Study:  # fmt: skip
    """Speed with drafts on every slot, the best length, and what a speed-up or a speed asks of the acceptance.

    Table: one row a slot with keys of `analysis.metrics`. Marks: `curves`, one row a slot and draft length with the
    speed-up and the acceptance (for heads: tokens a step) that the wanted speed-up and the target need, nan where none
    does; `drafted` and `height`, the point that was asked for; `wanted_speedup`, `target_token_per_s`, `heads`,
    `needs_title`.
    """
    costs = costs_of(workload, slots, draft)
    curves = pd.concat([_curve(one, draft, target_token_per_s, wanted_speedup) for one in costs], ignore_index=True)
    table = pd.DataFrame([_row(one, draft, curves[curves["place"] == one.slot.place]) for one in costs])
    chips = [slot.chip for slot in slots]
    return Study(
        question=QUESTION,
        answer=words.answer_to(table, draft, target_token_per_s, wanted_speedup),
        conditions=words.conditions_of(workload, chips[0], draft),
        table=table,
        steps=lambda: list(steps_of(workload, costs, draft, table, wanted_speedup)),
        sources=sources_of(workload.architecture, chips, FIELDS),
        remarks=(*estimates_in(chips, FIELDS), *words.remarks_of(workload, draft)),
        assumptions=words.assumed_of(draft, wafers=any(places_layers(chip) for chip in chips)),
        marks={
            "curves": curves,
            "drafted": draft.drafted,
            "height": draft.yielded if draft.kind == "heads" else draft.acceptance,
            "wanted_speedup": wanted_speedup,
            "target_token_per_s": target_token_per_s,
            "heads": draft.kind == "heads",
            "needs_title": words.needs_title(table, draft, target_token_per_s, wanted_speedup),
        },
    )


def _yielded(draft: Draft) -> Floats:
    """Tokens a verification yields, for every length; one where nothing is drafted."""
    if draft.kind == "heads":
        return np.where(LENGTHS > 0, np.minimum(draft.yielded, LENGTHS + 1.0), 1.0)
    return np.asarray(accepted_tokens(draft.acceptance, LENGTHS))


def _curve(one: Costs, draft: Draft, target: float, wanted: float) -> pd.DataFrame:
    """One row a draft length: what it gives, and what the wanted speed-up and the target ask of it."""
    gained = speculation_speedup(_yielded(draft), draft.steps, one.draft_ratio, one.verify_ratio)
    for_speedup, for_target = (
        _needed(tokens_for_speedup(times, draft.steps, one.draft_ratio, one.verify_ratio), draft)
        for times in (wanted, target * one.plain_s)
    )
    return pd.DataFrame(
        {
            "slot": one.name,
            "place": one.slot.place,
            "vendor": one.slot.chip.vendor,
            "drafted": LENGTHS,
            "speedup": gained,
            "verify_ratio": one.verify_ratio,
            "speculative_tokens_per_s_per_user": gained / one.plain_s,
            "speculative_ceiling_tokens_per_s_per_user": _yielded(draft) * one.ceiling_per_s,
            "needed_for_speedup": for_speedup,
            "needed_for_target": for_target,
        }
    )


def _needed(tokens: Floats, draft: Draft) -> Floats:
    """What yields so many tokens at each length: tokens for heads, else the acceptance; nan where nothing does."""
    possible = tokens <= LENGTHS + 1.0
    if draft.kind == "heads":
        return np.where(possible, np.maximum(tokens, 1.0), np.nan)
    return np.where(possible & (LENGTHS > 0) | (tokens <= 1.0), acceptance_for(tokens, LENGTHS), np.nan)


def acceptance_for(tokens: Floats, drafted: Floats) -> Floats:
    """Least acceptance whose drafts yield so many tokens, by halving; 0 where fewer than one is asked for. [1]"""
    low, high = np.zeros_like(tokens), np.ones_like(tokens)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = accepted_tokens(middle, drafted) >= tokens
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(tokens <= 1.0, 0.0, high)


def _row(one: Costs, draft: Draft, curve: pd.DataFrame) -> dict[str, object]:
    """What the table says of a slot: at the length asked for, at the best one, and what a speed-up needs at least."""
    at = curve.iloc[draft.drafted]
    known = not one.refusal
    best = at if draft.kind == "heads" or not known else curve.iloc[int(curve["speedup"].argmax())]
    row: dict[str, object] = {
        "slot": one.name,
        "place": one.slot.place,
        "vendor": one.slot.chip.vendor,
        "device_count": one.device_count,
        "tokens_per_s_per_user": 1.0 / one.plain_s,
        "draft_ratio": one.draft_ratio,
        "verify_ratio": at["verify_ratio"],
        "speedup": at["speedup"],
        "speculative_tokens_per_s_per_user": at["speculative_tokens_per_s_per_user"],
        "speculative_ceiling_tokens_per_s_per_user": at["speculative_ceiling_tokens_per_s_per_user"],
        "best_drafted": float(best["drafted"]) if known else np.nan,
        "best_speedup": best["speedup"] if known else np.nan,
        "best_tokens_per_s_per_user": best["speculative_tokens_per_s_per_user"] if known else np.nan,
        "draft_byte": one.beside_byte or np.nan,
    }
    return row | _least(curve, "speedup") | _least(curve, "target") | {"verdict": words.verdict(one, draft, best)}


def _least(curve: pd.DataFrame, what: str) -> dict[str, object]:
    """The least acceptance (for heads: tokens) that does it at any length, and that length; nan where none does."""
    needed = curve[f"needed_for_{what}"]
    if needed.isna().all():
        return {f"needed_for_{what}": np.nan, f"drafted_for_{what}": np.nan}
    at = int(needed.argmin())
    return {f"needed_for_{what}": needed.iloc[at], f"drafted_for_{what}": float(curve["drafted"].iloc[at])}
