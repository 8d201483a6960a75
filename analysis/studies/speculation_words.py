"""The speculation study in words: the answer, what it holds for, what it takes for granted."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from analysis.plans import GPU_ENGINE
from analysis.sentences import none_serve, shortest_of, token_words, users_words
from analysis.studies.speculation_costs import Costs, Draft
from analysis.study import rows_of
from analysis.workload import Workload
from data.records import Chip
from data.units import format_quantity

ALONE = 1.0 + 1e-9


def answer_to(table: pd.DataFrame, draft: Draft, target: float, wanted: float) -> str:
    """One sentence: the fastest slot with drafts, and what the target or the speed-up asks of them."""
    known = [row for row in rows_of(table) if not math.isnan(row["best_speedup"])]
    if not known:
        return none_serve("None of these machines has an answer with drafts", table["verdict"])
    best = max(known, key=lambda row: float(row["best_tokens_per_s_per_user"]))
    if best["best_speedup"] <= ALONE:
        asked = _asks(best, "speedup", f"{wanted:g} ×", draft)
        said = f"Drafts do not make {best['slot']} faster at {_quality(draft)}"
        return shortest_of(f"{said}; {asked}.", f"{said}.")
    speed = format_quantity(best["best_tokens_per_s_per_user"], "token/s")
    times = f"{best['best_speedup']:.3g} ×"
    length = f"{best['best_drafted']:.0f} drafted"
    head = f"{best['slot']} reaches {speed} per user, {times} its plain speed, with {length} at {_quality(draft)}"
    short = f"{best['slot']} reaches {speed} per user, {times}, with {length} at {_quality(draft)}"
    target_asks = _asks(best, "target", f"{target:,.0f}", draft)
    return shortest_of(f"{head}; {target_asks}.", f"{short}; {target_asks}.", f"{short}.")


def _quality(draft: Draft) -> str:
    return f"{draft.yielded:g} tokens a step" if draft.kind == "heads" else f"acceptance {draft.acceptance:g}"


def _asks(row: dict[str, Any], what: str, aim: str, draft: Draft) -> str:
    """What a slot needs for an aim: "1,000 asks for acceptance 0.42"."""
    needed = row[f"needed_for_{what}"]
    if math.isnan(needed):
        return f"no draft gives {aim}"
    if row[f"drafted_for_{what}"] == 0:
        return f"{aim} needs no draft"
    if draft.kind == "heads":
        return f"{aim} asks for {needed:.3g} tokens a step"
    return f"{aim} asks for acceptance {needed:.2g}" if needed > 0 else f"{aim} asks for no acceptance"


def needs_title(table: pd.DataFrame, draft: Draft, target: float, wanted: float) -> str:
    """The title of the map: which slot reaches the speed-up with the least, and how many reach the target."""
    heads = draft.kind == "heads"
    known = [row for row in rows_of(table) if not math.isnan(row["needed_for_speedup"])]
    able = [row for row in rows_of(table) if not math.isnan(row["needed_for_target"])]
    reach = f"{len(able)} of {len(table)} can reach {target:,.0f} tok/s"
    if not known:
        return f"No draft gives {wanted:g} × here; {reach}"
    least = min(known, key=lambda row: float(row["needed_for_speedup"]))
    needed = f"{least['needed_for_speedup']:.2g}"
    return (
        f"{wanted:g} × takes {f'{needed} tokens a step' if heads else f'acceptance {needed}'} at least, on "
        f"{least['slot']} with "
        f"{least['drafted_for_speedup']:.0f} drafted; {reach}"
    )


def verdict(one: Costs, draft: Draft, best: pd.Series[Any]) -> str:
    """Whether drafts pay on a machine, or why nothing can be said."""
    if one.refusal:
        return one.refusal
    if best["speedup"] <= ALONE:
        return "drafts do not pay"
    if draft.kind == "heads":
        return f"{best['speedup']:.3g} × as fast"
    return f"best with {best['drafted']:.0f} drafted"


def conditions_of(workload: Workload, chip: Chip, draft: Draft) -> str:
    """What the answer holds for."""
    drafts = {
        "ratio": f"a draft step of {draft.ratio:g} of the model's own",
        "model": f"drafts by {draft.architecture.name if draft.architecture else 'a model'}, "
        + ("on one device" if draft.on_one else "on all devices"),
        "heads": f"heads or a tree of {draft.drafted} tokens, drafted at {draft.ratio:g} of a step",
    }[draft.kind]
    return (
        f"Decode, {users_words(workload.sequences)} at {token_words(workload.context_tokens)} of context, "
        f"{workload.format_words(chip)}, {drafts}. Modelled, not measured."
    )


def remarks_of(workload: Workload, draft: Draft) -> list[str]:
    """What must be known beside the sources."""
    said = ["Acceptance is an input: it depends on the draft, the text and the sampling, and is not predicted here"]
    small = draft.architecture if draft.kind == "model" else None
    if small is not None and small.vocabulary != workload.architecture.vocabulary:
        said.append(
            f"{small.name} has {small.vocabulary:,} tokens in its vocabulary, {workload.architecture.name} "
            f"{workload.architecture.vocabulary:,}: such drafts need translating, which is not counted"
        )
    return said


def assumed_of(draft: Draft, *, wafers: bool) -> tuple[str, ...]:
    """What the figures take for granted."""
    said = [
        f"GPUs serve with {GPU_ENGINE}",
        "drafts and verification follow one another; nothing overlaps",
        "every user's draft has the same length",
    ]
    if draft.kind != "heads":
        said.append("every drafted token is accepted with the same chance, whatever came before it")
    if draft.kind == "heads":
        said.append("tokens a step are as measured for a tree of this size; a larger tree would yield more")
    if draft.kind != "model":
        said.append("memory of the draft is not known and not counted")
    if wafers:
        said.append(
            "on wafers each further token of a pass costs 0.25 of the first one's arithmetic (kappa), a prior; the "
            "draft takes memory but no cores from the model's regions"
        )
    return tuple(said)
