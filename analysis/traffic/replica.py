"""One replica of a model as its queue sees it: how long a prompt and a decode step take, and how many it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.engine import Case, evaluate
from analysis.engine.device_numbers import form_of, kernel_numbers
from analysis.engine.engine_names import engine_family
from analysis.engine.inputs import KERNELS, MESH
from analysis.parameters import Parameters, starting_parameters
from analysis.plans import GPU_ENGINE, Plan, plans_of, served_case
from analysis.study import Slot, counted
from analysis.traffic.requests import RequestMix
from analysis.traffic.spread import Floats, Spread
from analysis.workload import Workload, stored_cache

BATCHES = tuple(2.0**power for power in range(13))
PROMPT_POINTS = 14  # lengths between which the time of a prompt is interpolated
NEXT_STEP = 0.5  # a request that arrives during a decode step waits for half of it on average


@dataclass(frozen=True, kw_only=True)
class Replica:
    """What one copy of the model does; arrays rise with their batch or prompt.

    devices          devices of the copy
    batches, steps_s, memory_s, compute_s   sequences, time of their decode step, its memory and arithmetic time
    tokens, prompts_s                       prompt lengths and the time of one such prompt alone
    stages           prompts under way one behind the other: pipeline stages, the regions of a wafer
    delaying_share   share of a prompt's time in which decoding stands still
    layer_s          time that a token keeps a region of a wafer busy; 0 elsewhere
    front_s, first_steps, waiting_share     as the serving parameters name them
    room             sequences whose caches fit at once
    refusal          why it serves nothing, in words; empty if it does
    """

    plan: Plan
    devices: float
    batches: Floats
    steps_s: Floats
    memory_s: Floats
    compute_s: Floats
    tokens: Floats
    prompts_s: Floats
    stages: float
    delaying_share: float
    layer_s: float
    front_s: float
    first_steps: float
    waiting_share: float
    room: float
    weight_byte: float
    cache_byte_per_token: float
    refusal: str = ""

    @property
    def name(self) -> str:
        """Count and chip of one replica: "8 × H200"."""
        return counted(self.plan.slot.chip, None if np.isnan(self.devices) else max(self.devices, 1.0))

    @property
    def computes_prompts(self) -> bool:
        """False where no law for prompts is published."""
        return bool(np.isfinite(self.prompts_s).all())

    def step_s(self, sequences: Floats | float) -> Floats:
        """Time of a decode step of so many sequences. [s]"""
        return np.asarray(np.interp(sequences, self.batches, self.steps_s))

    def prompt_s(self, prompts: Spread, cached_fraction: float) -> Spread:
        """Time of the prompts; what the prefix cache holds is read, not computed. [s]"""
        return prompts.mapped(self.time_of(prompts.values, cached_fraction))

    def time_of(self, tokens: Floats, cached_fraction: float) -> Floats:
        """Time of single prompts: that of the new tokens alone, or of the whole less the part that is known. [s]"""
        whole = np.interp(tokens, self.tokens, self.prompts_s)
        if not cached_fraction:
            return np.asarray(whole)
        alone = np.interp(tokens * (1.0 - cached_fraction), self.tokens, self.prompts_s)
        known = np.interp(tokens * cached_fraction, self.tokens, self.prompts_s)
        return np.maximum(alone, whole - known)

    def limited(self, most: float) -> Replica:
        """The same with at most so many sequences at once."""
        return replace(self, room=min(self.room, most))

    def decoding_alone(self) -> Replica:
        """The same with its prompts computed elsewhere: nothing interrupts decoding."""
        nothing = np.zeros_like(self.prompts_s)
        return replace(self, prompts_s=nothing, delaying_share=0.0, front_s=0.0, first_steps=NEXT_STEP)


def replicas_of(workload: Workload, slots: Sequence[Slot], mix: RequestMix) -> list[Replica]:
    """One replica of every slot, in their order; two calls to the engine, one for the counts and one for all times.

    workload   model and formats; its context and users are replaced by those of the requests
    """
    longest = workload.at(context_tokens=mix.longest_tokens, sequences=1.0)
    plans = plans_of(longest, slots)
    held = [replace(plan.slot, device_count=_count(plan)) for plan in plans]
    lengths = _lengths(mix)
    steps = [[_step_case(workload, slot, mix, batch) for batch in BATCHES] for slot in held]
    prompts = [[_prompt_case(workload, slot, tokens) for tokens in lengths] for slot in held]
    cases = [case for pair in zip(steps, prompts, strict=True) for part in pair for case in part]
    answers = evaluate(cases, workload.parameters)
    each = len(BATCHES) + len(lengths)
    found = []
    for at, plan in enumerate(plans):
        rows = answers.iloc[at * each : (at + 1) * each]
        found.append(_replica(workload, plan, rows, lengths, mix))
    return found


def _count(plan: Plan) -> int | None:
    return None if np.isnan(plan.device_count) else int(plan.device_count)


def _step_case(workload: Workload, slot: Slot, mix: RequestMix, batch: float) -> Case:
    return served_case(workload.at(context_tokens=mix.context_tokens, sequences=batch), slot)


def _prompt_case(workload: Workload, slot: Slot, tokens: float) -> Case:
    return replace(served_case(workload.at(context_tokens=float(tokens), sequences=1.0), slot), output_tokens=1.0)


def _lengths(mix: RequestMix) -> Floats:
    """Prompt lengths asked of the engine: from a token to the longest, at equal ratios between."""
    longest = float(mix.prompts.values[-1])
    least = min(max(float(mix.prompts.values[0]) * min(1.0 - mix.cached_fraction, 1.0), 16.0), longest / 2.0)
    return np.concatenate([[1.0], np.geomspace(max(least, 2.0), max(longest, 4.0), PROMPT_POINTS)])


def _replica(workload: Workload, plan: Plan, rows: pd.DataFrame, lengths: Floats, mix: RequestMix) -> Replica:
    chip, believed = plan.slot.chip, workload.parameters or starting_parameters()
    column = {name: rows[name].to_numpy(dtype=float) for name in _COLUMNS}
    copies = max(float(np.nan_to_num(column["replicas"][0], nan=1.0)), 1.0)
    running = column["running"][: len(BATCHES)] / copies
    at = np.unique(np.nan_to_num(running, nan=1.0), return_index=True)[1]
    part = {name: values[: len(BATCHES)][at] for name, values in column.items()}
    one_token = stored_cache(workload.at(context_tokens=mix.context_tokens), chip) / mix.context_tokens
    return Replica(
        plan=plan,
        devices=plan.device_count / copies,
        batches=running[at],
        steps_s=part["decode_step_s"],
        memory_s=part["memory_s"],
        compute_s=part["compute_s"],
        tokens=lengths,
        prompts_s=np.where(column["tpot_s"] > 0, column["prefill_s"], np.nan)[len(BATCHES) :],
        room=float(np.nan_to_num(running, nan=0.0).max()),
        weight_byte=float(part["weight_byte"][0]),
        cache_byte_per_token=one_token,
        refusal=_refusal(rows),
        **_regions(workload, plan.slot, part),
        **_schedule(plan.slot, believed),
    )


def _regions(workload: Workload, slot: Slot, part: dict[str, Floats]) -> dict[str, float]:
    """Prompts under way one behind the other, and on a wafer the time of a token in its region."""
    if form_of(slot.chip, "") != MESH:
        return {"stages": max(float(np.nan_to_num(part["pp"][0], nan=1.0)), 1.0), "layer_s": 0.0}
    layers = float(workload.architecture.layers)
    return {"stages": layers, "layer_s": float(part["decode_step_s"][0]) / layers}


_COLUMNS = ("replicas", "running", "tpot_s", "prefill_s", "decode_step_s", "memory_s", "compute_s", "pp", "weight_byte")


def _schedule(slot: Slot, believed: Parameters) -> dict[str, float]:
    """How prompts and decoding share a machine of this form."""
    form = form_of(slot.chip, "")
    if form != KERNELS:
        delaying = 0.0 if form == MESH else 1.0
        steps = 0.0 if form == MESH else NEXT_STEP
        return {"delaying_share": delaying, "front_s": 0.0, "first_steps": steps, "waiting_share": 0.0}
    kernels = kernel_numbers(slot.chip, engine_family(GPU_ENGINE), believed.serving, offline=False)
    return {
        "delaying_share": believed.serving.delaying_fraction,
        "front_s": kernels["front_s"],
        "first_steps": believed.serving.first_steps,
        "waiting_share": kernels["waiting"],
    }


def _refusal(rows: pd.DataFrame) -> str:
    """The first reason why a slot serves not even one sequence or its longest prompt; empty if it does."""
    first, last = rows.iloc[0], rows.iloc[-1]
    return "" if first["feasible"] and last["feasible"] else str(first["reason"] or last["reason"])
