"""From numbers to the answer table: speeds held to their ceilings, shares, what binds, and reasons in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.engine.arrays import Flags, Floats
from analysis.engine.bounds import Bounds
from analysis.engine.degrees import Plan
from analysis.engine.inputs import Inputs
from analysis.engine.memory import Room, Weights
from analysis.engine.speeds import Speeds
from analysis.models.ceiling import within_ceiling

CAUSES = ("memory", "compute", "latency", "communication", "host")
BINDINGS = ("memory", "compute", "latency", "communication")  # host time is a kind of latency to the user


def held_to_ceiling(speeds: Speeds, bounds: Bounds, inputs: Inputs) -> tuple[Speeds, Flags]:
    """No speed above its ceiling, and where one had to be held down."""
    least = 1.0 / bounds.ceiling
    tpot = within_ceiling(speeds.tpot_s, least)
    longer = np.maximum(inputs.output_tokens - 1.0, 0.0) * (tpot - speeds.tpot_s)
    with np.errstate(divide="ignore", invalid="ignore"):
        prefill = within_ceiling(speeds.prefill_s, inputs.input_tokens / bounds.prefill)
    prefill = np.where(inputs.input_tokens > 0, prefill, speeds.prefill_s)
    step = within_ceiling(speeds.decode_step_s, least)
    most = speeds.running * bounds.ceiling
    memory = np.where(tpot > speeds.tpot_s, tpot - speeds.tpot.total_s + speeds.tpot.memory_s, speeds.tpot.memory_s)
    held = replace(
        speeds,
        tpot_s=tpot,
        prefill_s=prefill,
        decode_step_s=step,
        e2e_s=speeds.e2e_s + longer,
        output_rate=np.minimum(speeds.output_rate, most),
        tpot=replace(speeds.tpot, memory_s=memory),
    )
    return held, tpot > speeds.tpot_s


def columns_of(
    inputs: Inputs, plan: Plan, room: Room, weights: Weights, speeds: Speeds, bounds: Bounds, answered: Flags
) -> dict[str, Any]:
    """The numeric columns of the answer, SI; rows that are not answered keep only what needs no speed."""
    blank = np.where(answered, 1.0, np.nan)
    copies = np.maximum(plan.replicas, 1.0)
    degrees = {name: getattr(plan, name) for name in ("device_count", "tp", "pp", "ep", "dp", "replicas")}
    fit = {
        "devices_needed": plan.needed,
        **degrees,
        "kv_room_tokens": np.where(np.isnan(inputs.memory), np.nan, room.room_tokens * copies),
        "weight_byte": weights.total,
        "cache_byte": speeds.running / copies * room.one_sequence * np.maximum(plan.tp * plan.pp, 1.0),
        "memory_needed_byte": _needed(room, speeds, plan, inputs),
        "memory_available_byte": inputs.memory,
    }
    used = bounds.streamed_byte * copies / (speeds.tpot_s * plan.device_count * inputs.bandwidth)
    ceilings = {
        "ceiling_tokens_per_s_per_user": _finite(bounds.ceiling),
        "naive_tokens_per_s_per_user": _finite(bounds.naive),
        "read_bound_tokens_per_s_per_user": bounds.read,
        "bandwidth_used_fraction": used * blank,
    }
    return fit | _speed_columns(inputs, speeds, blank) | ceilings | _share_columns(speeds, blank)


def _speed_columns(inputs: Inputs, speeds: Speeds, blank: Floats) -> dict[str, Floats]:
    columns = {
        "decode_step_s": speeds.decode_step_s,
        "prefill_s": _none_for_empty(inputs, speeds.prefill_s),
        "tpot_s": speeds.tpot_s,
        "ttft_s": speeds.ttft_s,
        "e2e_s": speeds.e2e_s,
        "output_tokens_per_s": speeds.output_rate,
        "tokens_per_s_per_user": 1.0 / speeds.tpot_s,
        "prefill_tokens_per_s": _rate(inputs.input_tokens, speeds.prefill_s),
        "running": speeds.running,
    }
    return {name: values * blank for name, values in columns.items()}


def _share_columns(speeds: Speeds, blank: Floats) -> dict[str, Floats]:
    """Shares of the time per token by cause, the seconds themselves, and the seconds prompts take of it."""
    seconds = {name: getattr(speeds.tpot, f"{name}_s") * blank for name in CAUSES}
    shares = {f"share_{name}": values / speeds.tpot.total_s for name, values in seconds.items()}
    named = {f"{name}_s": values for name, values in seconds.items()}
    return shares | named | {"prefill_share_s": speeds.prefill_share_s * blank}


def _none_for_empty(inputs: Inputs, seconds: Floats) -> Floats:
    return np.where(inputs.input_tokens > 0, seconds, np.nan)


def _rate(tokens: Floats, seconds: Floats) -> Floats:
    return np.where((tokens > 0) & (seconds > 0), tokens / np.where(seconds > 0, seconds, 1.0), np.nan)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _needed(room: Room, speeds: Speeds, plan: Plan, inputs: Inputs) -> Floats:
    """What one device would have to hold for every sequence that was asked for: weights, cache, the rest. [B]"""
    wanted = np.where(inputs.offline > 0, speeds.running, inputs.concurrency)
    sequences = np.maximum(np.ceil(wanted / np.maximum(plan.replicas, 1.0)), 1.0)
    kept_back = inputs.memory * inputs.usable - room.budget
    return np.asarray(room.weight + sequences * room.one_sequence + kept_back)


def binding_of(speeds: Speeds, inputs: Inputs) -> list[str]:
    """What binds each case: the largest share, "queue" where requests wait for room; empty where unanswered."""
    t = speeds.tpot
    seconds = np.stack([t.memory_s, t.compute_s, t.latency_s + t.host_s, t.communication_s], axis=1)
    largest = np.argmax(np.nan_to_num(seconds, nan=-1.0), axis=1)
    waiting = waits(speeds, inputs)
    return [
        "" if unknown else "queue" if wait else BINDINGS[at]
        for unknown, wait, at in zip(np.isnan(speeds.tpot_s), waiting, largest, strict=True)
    ]


def waits(speeds: Speeds, inputs: Inputs) -> Flags:
    """True where not all sequences asked for have room at once. (cases,)"""
    return np.asarray((inputs.offline <= 0) & (speeds.running < inputs.concurrency * (1 - 1e-9)))
