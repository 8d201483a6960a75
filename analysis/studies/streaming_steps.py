"""The arithmetic behind the streaming study, machine by machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from analysis.explain import explain
from analysis.models import streaming as equations
from analysis.models.transformer import distinct_experts
from analysis.studies.streaming_costs import Held, Streaming
from analysis.study import Step, rows_of


def steps_of(machines: Sequence[Held], table: pd.DataFrame, streaming: Streaming, target: float) -> list[Step]:
    """Bound, hit rate needed, step and load time of every machine that can stream."""
    steps = _routing_steps(machines)
    for one, row in zip(machines, rows_of(table), strict=True):
        if not one.refusal and one.link.byte_per_s is not None:
            steps += _machine_steps(one, row, streaming, target)
    return steps


def _routing_steps(machines: Sequence[Held]) -> list[Step]:
    """Distinct experts of a step by the formula for even routing, where that is what is asked."""
    one = machines[0]
    popular = one.parts[0].popular
    if popular.min() >= 1 or popular.max() - popular.min() > 1e-9:
        return []
    return [
        explain(
            distinct_experts, subject=f"Experts that a step of {one.rows:,.0f} meets in a layer",
            experts=float(len(popular)), chosen=float(popular.sum()), rows=one.rows,
        )
    ]  # fmt: skip


def _machine_steps(one: Held, row: dict[str, float], streaming: Streaming, target: float) -> list[Step]:
    name, touched, link = one.plan.name, row["touched_byte"], one.link_byte_per_s
    needed = explain(
        equations.hit_rate_needed, subject=f"{name}, hit rate for the target", rate_token_per_s=target,
        touched_byte_per_token=touched, link_byte_per_s=link,
    )  # fmt: skip
    load = explain(
        equations.transfer_time, subject=f"{name}, loading the whole model", moved_byte=one.weight_byte,
        links=one.plan.device_count, link_byte_per_s=one.link.byte_per_s,
    )  # fmt: skip
    if not math.isfinite(row["stream_bound_tokens_per_s_per_user"]):
        return [needed, load]
    bound = explain(
        equations.rate_with_hits, subject=f"{name}, what the link allows", link_byte_per_s=link,
        touched_byte_per_token=touched, hit_fraction=row["hit_fraction"],
    )  # fmt: skip
    moved = explain(
        equations.transfer_time, subject=f"{name}, missing weights of a step", moved_byte=row["missed_byte"],
        links=one.links / one.crowding, link_byte_per_s=one.link.byte_per_s,
    )  # fmt: skip
    whole = explain(
        equations.step_with_transfer, subject=f"{name}, the step with its transfer", step_s=one.step_s,
        transfer_s=float(equations.transfer_time(row["missed_byte"], 1.0, link)),
        hidden_fraction=streaming.hidden_fraction,
    )  # fmt: skip
    return [bound, needed, moved, whole, load]
