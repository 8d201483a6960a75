"""The arithmetic behind a point of the serving curve."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.explain import explain
from analysis.models.capacity import saturation_rate
from analysis.models.serving import output_rate, request_time, time_per_token
from analysis.study import Step, rows_of
from analysis.traffic.closed_loop import Flight
from analysis.traffic.replica import Replica
from analysis.traffic.requests import RequestMix


def steps_of(table: pd.DataFrame, pairs: Sequence[tuple[Replica, Flight | None]], mix: RequestMix) -> list[Step]:
    """Lines for every slot that serves the requests with a known law for prompts."""
    steps: list[Step] = []
    for row, (replica, flight) in zip(rows_of(table), pairs, strict=True):
        if flight is not None and replica.computes_prompts:
            steps += _of_slot(replica, mix, float(row["concurrency"]), float(row["tpot_s"]), float(row["e2e_s"]))
            steps.append(_ttft(replica, mix, float(row["ttft_s"]), float(row["tpot_s"])))
    return steps


def _of_slot(replica: Replica, mix: RequestMix, held: float, tpot: float, e2e: float) -> list[Step]:
    generated = mix.output_tokens.mean
    prompt = replica.prompt_s(mix.prompts, mix.cached_fraction).mean / replica.stages
    step, full = float(replica.step_s(held)), float(replica.step_s(replica.room))
    first = explain(
        time_per_token, subject=f"{replica.name}, {held:,.0f} in flight, if all of them decode", step_s=step,
        delaying=replica.delaying_share, sequences=held, prefill_s=prompt, generated=generated,
    )  # fmt: skip
    rate = explain(
        output_rate, subject=f"{replica.name}, tokens/s in all; those whose prompt waits do not decode",
        in_flight=held, generated_tokens=generated, e2e_s=e2e,
    )  # fmt: skip
    most = explain(
        saturation_rate, subject=f"{replica.name}, requests a second that it can never exceed", prefill_s=prompt,
        generated=generated, step_s=full, batch=max(replica.room, 1.0),
    )  # fmt: skip
    return [first, rate, most]


def _ttft(replica: Replica, mix: RequestMix, ttft: float, tpot: float) -> Step:
    return explain(
        request_time, subject=f"{replica.name}, a whole request", ttft_s=ttft, tpot_s=tpot,
        generated=mix.output_tokens.mean,
    )  # fmt: skip
