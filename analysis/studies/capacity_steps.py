"""The arithmetic behind the number of replicas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.explain import explain
from analysis.models.capacity import load_time, prefill_balance, replicas_for_rate, saturation_rate
from analysis.models.queueing import busy_share_of, interrupted_step, mean_wait, mean_wait_of_servers
from analysis.models.streaming import transfer_time
from analysis.study import Step
from analysis.traffic.capacity import Load, Sized
from analysis.traffic.requests import RequestMix

if TYPE_CHECKING:
    from analysis.studies.capacity import Around


def steps_of(plans: Sequence[Sized], mix: RequestMix, load: Load, around: Around) -> list[Step]:
    """Lines for every slot that has a plan."""
    steps: list[Step] = []
    for plan in plans:
        if plan.replicas and plan.served is not None:
            own = _apart_steps(plan, mix, load) if plan.prefill is not None else _queue_steps(plan, mix, load)
            steps += [*own, *_count_steps(plan, load, around)]
    return steps


def _queue_steps(plan: Sized, mix: RequestMix, load: Load) -> list[Step]:
    """How busy prompts keep one replica, how long one waits, and what that does to decoding."""
    replica, served, name = plan.replica, plan.served, plan.replica.name
    holds = replica.prompt_s(mix.prompts, mix.cached_fraction)
    hold, cv, rate = holds.mean / replica.stages, holds.cv, load.rate_per_s / plan.replicas
    busy = explain(busy_share_of, subject=f"{name}, prompts of one replica", rate_per_s=rate, service_s=hold)
    share = float(busy_share_of(rate, hold))
    most = explain(
        saturation_rate, subject=f"{name}, requests a second that a replica can never exceed", prefill_s=hold,
        generated=mix.output_tokens.mean, step_s=float(replica.step_s(replica.room)), batch=max(replica.room, 1.0),
    )  # fmt: skip
    if replica.layer_s or served is None:
        return [most, busy]
    wait = explain(mean_wait, subject=f"{name}, mean wait of a prompt", busy_share=share, service_s=hold, cv=cv)
    if math.isnan(served.sequences):
        return [most, busy, wait]
    step = explain(
        interrupted_step, subject=f"{name}, mean time per token", delaying_share=replica.delaying_share,
        busy_share=share, step_s=float(replica.step_s(max(served.sequences, 1.0))),
    )  # fmt: skip
    return [most, busy, wait, step]


def _apart_steps(plan: Sized, mix: RequestMix, load: Load) -> list[Step]:
    """Prompts on other machines: their queue, the way of the cache, and how many of them one decode replica needs."""
    prefill, replica = plan.prefill, plan.replica
    if prefill is None:
        return []
    holds = prefill.prompt_s(mix.prompts, mix.cached_fraction)
    hold, count = holds.mean / prefill.stages, float(plan.prefill_replicas)
    share = float(busy_share_of(load.rate_per_s, hold, count))
    wait = explain(
        mean_wait_of_servers, subject=f"{plan.prefill_replicas} × ({prefill.name}), mean wait of a prompt",
        busy_share=share, service_s=hold, cv=holds.cv, servers=count,
    )  # fmt: skip
    sent = explain(
        transfer_time, subject=f"{prefill.name} to {replica.name}, cache of a mean prompt",
        moved_byte=mix.prompts.mean * replica.cache_byte_per_token, links=1.0, link_byte_per_s=load.link_byte_per_s,
    )  # fmt: skip
    balance = explain(
        prefill_balance, subject=f"{prefill.name} for each {replica.name} that is kept full", prefill_s=hold,
        batch=replica.room, generated=mix.output_tokens.mean, step_s=float(replica.step_s(replica.room)),
    )  # fmt: skip
    return [wait, sent, balance]


def _count_steps(plan: Sized, load: Load, around: Around) -> list[Step]:
    name = plan.replica.name
    count = explain(
        replicas_for_rate, subject=f"{name}, replicas; what one carries within the limits is searched for",
        rate_per_s=load.rate_per_s, replica_per_s=plan.most_per_s,
    )  # fmt: skip
    late = explain(
        load_time, subject=f"{name}, a new replica answers after", weight_byte=plan.replica.weight_byte,
        rate_byte_per_s=around.read_byte_per_s * plan.replica.devices, start_s=around.start_s,
    )  # fmt: skip
    return [count, late]
