"""The arithmetic of the cost page, slot by slot: a request's price, its division, the mix, and the break-even price."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.explain import explain
from analysis.models.claims import break_even_price, occupancy_needed
from analysis.models.cost import (
    answer_share,
    blended_cost,
    cost_per_token,
    idle_paid_cost,
    input_token_cost,
    output_token_cost,
)
from analysis.models.serving import request_time
from analysis.scales import HOUR_S, MILLION
from analysis.studies.requests import Request
from analysis.study import Step, rows_of
from analysis.workload import Workload

Row = Mapping[Any, Any]


def steps_of(workload: Workload, request: Request, table: pd.DataFrame, saving: float) -> tuple[Step, ...]:
    """Every line of the slots that serve, in their order."""
    steps: list[Step] = []
    for row in rows_of(table):
        if row["feasible"]:
            timed = _time(row, request)
            steps += [*timed, *(_cost(row, workload, request, "" if timed else str(row["slot"])))]
            steps += _break_even(row, request, saving)
    return tuple(steps)


def _time(row: Row, request: Request) -> list[Step]:
    if math.isnan(row["ttft_s"]):
        return []
    times = {"ttft_s": float(row["ttft_s"]), "tpot_s": float(row["tpot_s"]), "generated": request.made_tokens}
    return [explain(request_time, subject=str(row["slot"]), **times)]


def _cost(row: Row, workload: Workload, request: Request, subject: str) -> list[Step]:
    """From the hour to the token, where there is a price."""
    if math.isnan(row["request_usd"]):
        return []
    device, share = float(row["device_usd_per_hour"]) / HOUR_S, float(row["answer_share"])
    load = {"devices": float(row["device_count"]), "rate_token_per_s": float(row["output_tokens_per_s"])}
    token = float(cost_per_token(device, **load))
    lines = [explain(cost_per_token, subject=subject, price_usd_per_s=device, **load)]
    if request.duty_fraction < 1:
        lines.append(explain(idle_paid_cost, cost_usd_per_token=token, duty_fraction=request.duty_fraction))
    if share >= 1:
        return lines
    whole, on_machine = float(row["request_usd"]), float(row["on_machine_s"])
    decode, made = float(row["decode_s"]), request.made_tokens
    prompt = float(workload.context_tokens)
    return [
        *lines,
        explain(answer_share, decode_s=decode, generated=made, request_s=on_machine),
        explain(input_token_cost, request_usd=whole, answer_share=share, input_tokens=prompt),
        explain(output_token_cost, request_usd=whole, answer_share=share, output_tokens=made),
        explain(
            blended_cost, input_price_usd_per_token=float(row["input_usd_per_million_tokens"]) / MILLION,
            output_price_usd_per_token=float(row["output_usd_per_million_tokens"]) / MILLION, input_tokens=prompt,
            output_tokens=made, cached_fraction=request.cached_fraction, cached_price_fraction=0.0,
        ),
    ]  # fmt: skip


def _break_even(row: Row, request: Request, saving: float) -> list[Step]:
    """The price that would be cheaper than the first slot by the saving; the cost it is measured by follows from it."""
    allowed = float(row["break_even_usd_per_hour"]) / HOUR_S
    if math.isnan(allowed):
        return []
    rate, count = float(row["output_tokens_per_s"]) * request.duty_fraction, float(row["device_count"])
    cost = allowed * count / rate / (1.0 - saving)
    name = f"{row['slot']}, against the first"
    load = {"cost_usd_per_token": cost, "rate_token_per_s": rate, "devices": count}
    lines = [explain(break_even_price, subject=name, saving_fraction=saving, **load)]
    if row["device_usd_per_hour"] == row["device_usd_per_hour"]:
        price = float(row["device_usd_per_hour"]) / HOUR_S
        full = allowed / request.duty_fraction
        lines.append(explain(occupancy_needed, price_usd_per_s=price, break_even_usd_per_s=full))
    return lines
