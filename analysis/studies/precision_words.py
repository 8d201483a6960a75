"""The precision study in words: the answer, what it holds for, and what it does not say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.plans import GPU_ENGINE
from analysis.sentences import none_serve, shortest_of, token_words, users_words
from analysis.studies.precision_bytes import largest
from analysis.studies.precision_change import FREE_PLACE_BYTE, Change
from analysis.study import Slot, rows_of, short_name
from analysis.workload import Workload
from data.records import Chip
from data.sources import Source
from data.units import format_quantity

SAME = 0.005  # shares of a speed within which a change is none
NAMES = {
    "attention": "attention",
    "dense": "dense MLP",
    "experts": "experts",
    "head": "embedding and head",
    "cache": "KV cache",
    "activations": "activations",
}
SUBJECTS = {
    "attention": "attention is",
    "dense": "the dense MLP is",
    "experts": "experts are",
    "head": "the head is",
    "cache": "the KV cache is",
    "activations": "activations are",
}
QUALITY = "Speed says nothing of quality: compare the outputs of both models on the accuracy gate before choosing"
PRUNING_SOURCES = {
    "2:4": (
        Source(title="Mishra et al. 2021, Accelerating Sparse Deep Neural Networks", kind="paper", where="2104.08378"),
        Source(title="torchao, sparsity/training/README.md: 1.24 and 1.27 times on ViT-L shapes", kind="repository"),
    ),
    "1:8": (Source(title="Cerebras WSE-3 datasheet: 125 PF at a sparsity of 8:1", kind="datasheet"),),
}
Row = Mapping[str, Any]


def answer_to(workload: Workload, table: pd.DataFrame, change: Change) -> str:
    """One sentence: what the model weighs now, and the slot whose speed moves most."""
    rows, model = rows_of(table), workload.architecture.name
    experts = workload.architecture.is_mixture
    if change.nothing or (not experts and replace(change, expert_format="").nothing):
        return f"Nothing is changed: pick a format, pruning or fusion to see what it does to {model}."
    newly = [row for row in rows if not row["reason_after"] and row["reason_before"]]
    if newly:
        head = _size(model, newly[0])
        return shortest_of(f"{head}; {newly[0]['slot']} holds it now, which it did not before.", f"{head}.")
    both = [row for row in rows if not math.isnan(_times(row))]
    if not both:
        head = f"{_size(model, rows[0])}; none of these machines has a speed to compare"
        return none_serve(head, [row["reason_after"] for row in rows])
    most = max(both, key=lambda row: abs(math.log(_times(row))))
    said = f"{_size(model, most)}; {_speed_words(most)}."
    return shortest_of(f"{change_words(change)}: {said}", said, f"{_size(model, most)}.")


def change_words(change: Change) -> str:
    """What is changed, for a title: "experts in NVFP4, 50 % of operators"."""
    formats = {
        "attention": change.attention_format, "dense MLP": change.dense_format, "experts": change.expert_format,
        "head": change.head_format, "cache": change.cache_format, "activations": change.activation_format,
    }  # fmt: skip
    said = [f"{name} in {form.upper()}" for name, form in formats.items() if form]
    said += [] if change.pruning == "none" else ["pruned" if change.pruning == "any" else f"pruned {change.pruning}"]
    if change.fused_fraction > 0:
        said.append(f"{100 * change.fused_fraction:.0f} % of activations fused")
    if change.launched_fraction < 1:
        said.append(f"{100 * change.launched_fraction:.0f} % of operators")
    text = ", ".join(said)
    return text[:1].upper() + text[1:]


def _size(model: str, row: Row) -> str:
    new, old = (format_quantity(row[f"weight_byte_{side}"], "byte") for side in ("after", "before"))
    return f"{model} weighs {new} instead of {old}" if new != old else f"{model} weighs as before"


def _speed_words(row: Row) -> str:
    """ "8 × B200 goes from 114 tok/s to 116 tok/s per user"; with another count, "6 × … makes … where 11 made …"."""
    old, new = (format_quantity(row[f"tokens_per_s_per_user_{side}"], "token/s") for side in ("before", "after"))
    if row["device_count_after"] != row["device_count_before"]:
        return f"{row['slot']} makes {new} per user where {row['device_count_before']:,.0f} made {old}"
    if abs(_times(row) - 1) < SAME:
        return f"no speed moves by more than {SAME:.1%}"
    return f"{row['slot']} goes from {old} to {new} per user"


def arrow(old: float, new: float, unit: str) -> str:
    """A quantity before and after: "354 GB → 207 GB", one value where it stays; "–" where neither is known."""
    texts = [format_quantity(None if math.isnan(value) else value, unit) for value in (old, new)]
    return texts[0] if texts[0] == texts[1] else " → ".join(texts)


def _times(row: Row) -> float:
    return float(row["tokens_per_s_per_user_after"]) / float(row["tokens_per_s_per_user_before"])


def binds(row: Row) -> str:
    """What binds before and after: "memory", "memory → latency"."""
    old, new = (str(row[f"binding_{side}"]) or "–" for side in ("before", "after"))
    return old if old == new else f"{old} → {new}"


def verdict(row: Row, not_counted: str) -> str:
    """What the change does to a machine."""
    if row["reason_after"]:
        return str(row["reason_after"]).split(":", 1)[0] + _needed(row)
    if row["reason_before"]:
        said = "fits now"
    else:
        times = _times(row)
        said = "as fast as before" if abs(times - 1) < SAME else f"{times:.3g} × as fast"
        if row["device_count_after"] != row["device_count_before"]:
            said = f"{said.removesuffix(' as before')} as {row['device_count_before']:,.0f} before"
    return f"{said}; {not_counted}" if not_counted else said


def _needed(row: Row) -> str:
    needed, short = row["devices_needed_after"], str(row["reason_after"]).startswith("does not fit")
    return f", {needed:,.0f} would" if short and not math.isnan(needed) else ""


def components_title(components: pd.DataFrame, slot: Slot) -> str:
    """The title of the second figure: what dominates a step's bytes, and what is left of them."""
    rows = rows_of(components)
    before, after = (sum(row[f"moved_byte_{side}"] for row in rows) for side in ("before", "after"))
    name, share = largest({row["component"]: row["moved_byte_after"] for row in rows})
    size = format_quantity(after, "byte")
    kept = f", {100 * after / before:.0f} % of before" if abs(after / before - 1) > SAME else ""
    return f"One step moves {size} on {short_name(slot.chip)}{kept}; {SUBJECTS[name]} {100 * share:.0f} % of it"


def conditions_of(workload: Workload, chip: Chip, change: Change) -> str:
    """What the answer holds for."""
    gain = (
        f" A software gain of {change.assumed_gain:g} × is assumed and drawn apart." if change.assumed_gain > 1 else ""
    )
    return (
        f"Decode, {users_words(workload.sequences)} at {token_words(workload.context_tokens)} of context; before: "
        f"{workload.format_words(chip)}. Modelled, not measured.{gain}"
    )


def remarks_of(change: Change) -> list[str]:
    """What must be known beside the sources."""
    said = [QUALITY]
    if change.assumed_gain > 1:
        said.append(f"*Assumed*: software {change.assumed_gain:g} × faster, put in by hand; no prediction holds it")
    return said


def sources_of_change(change: Change) -> tuple[Source, ...]:
    """Documents behind what pruning is taken to give."""
    return PRUNING_SOURCES.get(change.pruning, ())


def assumed_of(change: Change) -> tuple[str, ...]:
    """What the figures take for granted."""
    said = [
        f"GPUs serve with {GPU_ENGINE}",
        "weights in formats that a chip does not multiply are widened to the next format it does",
        "router, norms and biases keep 16 bits",
        "narrower activations shorten what operators write and what devices exchange; the format that products are "
        "computed in follows the weights",
    ]
    said += {
        "none": [],
        "2:4": [
            "2:4 leaves half of the weights, each with two bits of place: 9 of 16 bits, 5 of 8. Arithmetic stays at "
            "the dense rate: vendors print twice of it, matrix products were measured to gain about a quarter on A100"
        ],
        "1:8": [
            "1:8 is the sparsity at which Cerebras prints its peak, a vendor's claim: an eighth of the weights and of "
            f"their arithmetic, {FREE_PLACE_BYTE:g} byte of place each, a prior"
        ],
        "any": [
            f"free pruning is assumed: {FREE_PLACE_BYTE:g} byte of place a weight, a prior; GPUs gain no arithmetic "
            "and would need kernels that hardly exist, wafers skip the work of zeros"
        ],
    }[change.pruning]
    if change.fused_fraction > 0 or change.launched_fraction < 1:
        said.append("fusion is assumed: the share of operators and of activations that fused kernels save is put in")
    return tuple(said)
