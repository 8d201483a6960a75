"""A request as money and energy count it: prompt, thinking, answer, what is cached, and how busy the hours are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.engine import evaluate
from analysis.models.cost import answer_share
from analysis.plans import served_case
from analysis.power_shares import kind_of, shipped_power
from analysis.study import Slot, counted
from analysis.workload import Workload


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of the machine beside the workload, whose context is the prompt.

    thinking_tokens         made before the answer, and paid like it
    answer_tokens           what the person reads
    cached_fraction         share of the prompt found in a prefix cache
    cached_price_fraction   what a cached token is charged over one that is read, in a price list
    duty_fraction           share of all hours in which the machines serve
    """

    thinking_tokens: float = 0.0
    answer_tokens: float = 512.0
    cached_fraction: float = 0.0
    cached_price_fraction: float = 0.1
    duty_fraction: float = 1.0

    @property
    def made_tokens(self) -> float:
        """Thinking and answer together."""
        return self.thinking_tokens + self.answer_tokens


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Goals to start from, chosen by this project: lengths, users, speed wanted and busy hours; not answers."""

    context_tokens: int
    thinking_tokens: int
    answer_tokens: int
    users: int
    target_tokens_per_s: int
    duty_fraction: float


PRESETS = MappingProxyType({
    "Chat": Preset(
        context_tokens=2048, thinking_tokens=0, answer_tokens=512, users=32, target_tokens_per_s=30, duty_fraction=0.5
    ),
    "Batch": Preset(
        context_tokens=4096, thinking_tokens=0, answer_tokens=512, users=256, target_tokens_per_s=1, duty_fraction=1.0
    ),
    "Edge": Preset(
        context_tokens=512, thinking_tokens=0, answer_tokens=256, users=1, target_tokens_per_s=20, duty_fraction=0.1
    ),
    "Research": Preset(
        context_tokens=32768, thinking_tokens=8192, answer_tokens=2048, users=4, target_tokens_per_s=100,
        duty_fraction=0.34,
    ),
})  # fmt: skip


def served(workload: Workload, slots: Sequence[Slot], request: Request) -> pd.DataFrame:
    """The engine's answer to every slot under the request, in one call, with `place`, `slot` and `answer_share`.

    `answer_share` is the share of a request's time, its wait for room left out, that goes into its answer; 1 where
    no law of prompts is known, so that all of the cost falls on the answer. `decode_s` is a token of the answer without
    other requests' prompts: what is left of the time per token, on wafers that with prompts computed elsewhere.
    """
    cases = [
        replace(served_case(workload, slot, request.duty_fraction), output_tokens=request.made_tokens)
        for slot in slots
    ]  # fmt: skip
    both = evaluate([*cases, *(replace(case, prefill_elsewhere=True) for case in cases)], workload.parameters)
    answers, apart = both.iloc[: len(slots)], both["tpot_s"].astype(float).to_numpy()[len(slots) :]
    known = answers["device_count"].astype(float).fillna(answers["devices_needed"].astype(float))
    names = [counted(slot.chip, None if np.isnan(count) else count) for slot, count in zip(slots, known, strict=True)]
    tpot = answers["tpot_s"].astype(float)
    left = tpot - answers["prefill_share_s"].astype(float).fillna(0.0)
    meshes = np.array([slot.chip.execution == "mesh" for slot in slots])
    alone = pd.Series(np.where(meshes, np.minimum(apart, tpot), left))
    wanted = max(workload.sequences, 1.0)
    waiting = np.maximum(wanted / np.maximum(answers["running"].astype(float), 1e-9), 1.0)
    share = answer_share(alone, request.made_tokens, answers["e2e_s"].astype(float) / waiting)
    return answers.assign(
        place=[slot.place for slot in slots],
        slot=names,
        decode_s=alone,
        on_machine_s=answers["e2e_s"].astype(float) / waiting,
        answer_share=np.where(answers["feasible"], np.minimum(share.fillna(1.0), 1.0), np.nan),
    )


def wall_powers(slots: Sequence[Slot], answers: pd.DataFrame, duty_fraction: float) -> tuple[Any, Any]:
    """Power of all devices at the wall with nothing to do, and while they serve. [W] (slots,)"""
    shares = [shipped_power().shares[kind_of(slot.chip)] for slot in slots]
    rated = np.array([slot.chip.power_w or np.nan for slot in slots])
    count, mean = (answers[name].astype(float).to_numpy() for name in ("device_count", "power_w"))
    idle = np.array([each.wall_factor * each.idle_share for each in shares]) * rated * count
    return idle, (mean - (1.0 - duty_fraction) * idle) / duty_fraction
