"""What a draft costs on every machine compared: its own step, the step that verifies it, and the memory it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.engine import Case, evaluate
from analysis.models.speculation import step_ratio
from analysis.plans import served_case
from analysis.study import Slot, counted, rows_of
from analysis.workload import Workload, state_of, stored_cache, weights_of
from data.records import Architecture, Chip

MOST_DRAFTED = 16
LENGTHS = np.arange(MOST_DRAFTED + 1, dtype=float)  # 0 is the plain step
Floats = NDArray[np.float64]
Kind = Literal["ratio", "model", "heads"]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """How tokens are drafted.

    kind          a step of a stated ratio, a model by name, or heads that draft all tokens at once
    acceptance    chance that a drafted token is accepted; heads have `yielded` instead
    drafted       tokens drafted before each verification; nodes of the tree for heads
    ratio         one step of the draft over the model's own step, where no model is named
    architecture  the draft model, where one is named
    on_one        True if it runs on one device of each copy, False if on all of them
    yielded       tokens a verification yields as measured, the model's own included
    """

    kind: Kind = "ratio"
    acceptance: float = 0.7
    drafted: int = 4
    ratio: float = 0.1
    architecture: Architecture | None = None
    on_one: bool = True
    yielded: float = 2.5

    @property
    def steps(self) -> Floats:
        """Steps of the draft for every length in LENGTHS: one a token, or one in all for heads."""
        return np.minimum(LENGTHS, 1.0) if self.kind == "heads" else LENGTHS


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Costs on one machine. Arrays hold one entry per length in LENGTHS; all nan where `refusal` says why.

    plain_s, draft_s    the model's own step for one token; one step of the draft, nan for a stated ratio
    verify_s            the step that verifies so many tokens
    ceiling_per_s       steps a second that datasheet figures allow
    arithmetic_share    share of the plain step in multiply-accumulates
    beside_byte         what the draft model and its cache take
    """

    slot: Slot
    device_count: float
    plain_s: float
    draft_s: float
    draft_ratio: float
    verify_s: Floats
    verify_ratio: Floats
    ceiling_per_s: Floats
    arithmetic_share: float
    beside_byte: float
    refusal: str

    @property
    def name(self) -> str:
        """Count and chip: "8 × H200"."""
        return counted(self.slot.chip, 1.0 if np.isnan(self.device_count) else self.device_count)


def drafting(workload: Workload, draft: Draft) -> Workload | None:
    """The draft model under the same users, context and formats; None where none is named."""
    if draft.kind != "model" or draft.architecture is None:
        return None
    return replace(workload, architecture=draft.architecture, attention_format="", expert_format="")


def beside_byte(workload: Workload, draft: Draft, chip: Chip) -> float:
    """Weights of the draft model and its cache of all sequences; 0 where no model is named. [B]"""
    own = drafting(workload, draft)
    if own is None:
        return 0.0
    return weights_of(own, chip).total + own.sequences * (stored_cache(own, chip) + state_of(own))


def costs_of(workload: Workload, slots: Sequence[Slot], draft: Draft) -> list[Costs]:
    """Costs on every machine, in their order; the fewest devices are those that hold the draft model as well."""
    held = [beside_byte(workload, draft, slot.chip) for slot in slots]
    plain = [
        replace(served_case(workload, slot), beside_byte=byte, beside_spread=not draft.on_one)
        for slot, byte in zip(slots, held, strict=True)
    ]
    found = rows_of(evaluate(plain, workload.parameters))
    cases: list[Case] = []
    for case, answer in zip(plain, found, strict=True):
        count = None if np.isnan(answer["device_count"]) else int(answer["device_count"])
        cases += [replace(case, device_count=count, new_tokens=1.0 + length) for length in LENGTHS]
        cases.append(_draft_case(workload, draft, case, count, max(float(answer["replicas"]), 1.0)))
    answers = rows_of(evaluate(cases, workload.parameters))
    width = len(LENGTHS) + 1
    return [
        _costs(slot, draft, byte, answers[at * width : (at + 1) * width])
        for at, (slot, byte) in enumerate(zip(slots, held, strict=True))
    ]


def _draft_case(workload: Workload, draft: Draft, case: Case, count: int | None, copies: float) -> Case:
    """One step of the draft model beside a copy; the plain case again where no model is named."""
    own = drafting(workload, draft)
    if own is None:
        return replace(case, device_count=count)
    devices = 1 if draft.on_one or count is None else max(int(count / copies), 1)
    alone = served_case(own, Slot(place=0, chip=case.chip, device_count=devices))
    return replace(alone, concurrency=max(own.sequences / copies, 1.0))


def _costs(slot: Slot, draft: Draft, held: float, answers: Sequence[dict[str, object]]) -> Costs:
    steps, own = answers[:-1], answers[-1]
    said = _refusal(draft, answers)
    seconds = np.array([np.nan if said and at else row["tpot_s"] for at, row in enumerate(steps)], dtype=float)
    named = draft.kind == "model"
    draft_s = float(own["tpot_s"]) if named else np.nan  # type: ignore[arg-type]
    ratio = float(step_ratio(draft_s, seconds[0])) if named else draft.ratio
    verifying = np.full_like(seconds, np.nan) if said else np.asarray(step_ratio(seconds, seconds[0]))
    return Costs(
        slot=slot,
        device_count=float(steps[0]["device_count"]),  # type: ignore[arg-type]
        plain_s=float(seconds[0]),
        draft_s=draft_s,
        draft_ratio=ratio,
        verify_s=seconds,
        verify_ratio=verifying,
        ceiling_per_s=np.array([row["ceiling_tokens_per_s_per_user"] for row in steps], dtype=float),
        arithmetic_share=float(steps[0]["share_compute"]),  # type: ignore[arg-type]
        beside_byte=held,
        refusal=said,
    )


def _refusal(draft: Draft, answers: Sequence[dict[str, object]]) -> str:
    """Why a machine has no answer with drafts; empty if it has one."""
    said = str(answers[0]["reason"] or answers[1]["reason"])
    if draft.kind == "model" and not said and answers[-1]["reason"]:
        return f"the draft model alone: {answers[-1]['reason']}"
    return said
