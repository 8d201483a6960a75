"""The serving study in words: who delivers most at the speed wanted, and why the others do not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.metrics import metric
from analysis.plans import GPU_ENGINE
from analysis.sentences import shortest_of
from analysis.studies.benchmark_cases import Measured
from analysis.study import rows_of
from analysis.traffic.replica import Replica
from analysis.traffic.requests import RequestMix
from analysis.traffic.spread import Spread
from analysis.workload import Workload
from data.records import Chip
from data.units import format_number, format_quantity

Row = Mapping[str, Any]
NO_PROMPT_LAW = "decode only: no law for its prompts is published"


def seconds(value: float) -> str:
    """A time as sentences print it."""
    return format_quantity(value, "s")


def answer(workload: Workload, table: pd.DataFrame, target: float, ttft_s: float) -> str:
    """One sentence of at most 130 characters: who delivers most, or what comes closest."""
    model, rows = workload.architecture.name, rows_of(table)
    goal = f"{format_number(target)} tok/s per user"
    first = f" and a first token within {seconds(ttft_s)}" if math.isfinite(ttft_s) else ""
    kept = [row for row in rows if row["keeps"]]
    if kept:
        best = max(kept, key=lambda row: float(row["output_tokens_per_s"]))
        rate = format_quantity(best["output_tokens_per_s"], "token/s")
        users = f"{best['concurrency']:,.0f} at once"
        return shortest_of(
            f"At {goal}{first}, {best['slot']} delivers most of {model}: {rate}, to {users}.",
            f"At {goal}{first}, {best['slot']} delivers most: {rate}, to {users}.",
            f"{best['slot']} delivers most: {rate}, to {users}.",
        )
    served = [row for row in rows if not math.isnan(row["tokens_per_s_per_user"])]
    if not served:
        return shortest_of(f"None of these serves {model}: {rows[0]['verdict'].rstrip('.')}.", f"None serves {model}.")
    best = max(served, key=lambda row: float(row["tokens_per_s_per_user"]))
    speed = format_quantity(best["tokens_per_s_per_user"], "token/s")
    wait = "" if math.isnan(best["ttft_s"]) else f" and a first token after {seconds(best['ttft_s'])}"
    return shortest_of(
        f"None reaches {goal}{first}. Alone on {best['slot']} a person gets {speed}{wait}.",
        f"None reaches {goal}{first}. Alone on {best['slot']}: {speed}{wait}.",
        f"None reaches both goals. Alone on {best['slot']}: {speed}{wait}.",
    )


def verdict(replica: Replica, row: Row, target: float, ttft_s: float) -> str:
    """Why a slot stops where it does."""
    if replica.refusal:
        return replica.refusal.rstrip(".")
    if replica.room < 1:
        return "no room for one request beside the weights"
    if not replica.computes_prompts:
        return NO_PROMPT_LAW
    if not row["keeps"]:
        slow = row["tokens_per_s_per_user"] < target
        return "too slow even for one" if slow else f"first token after {seconds(row['ttft_s'])} even for one"
    if row["concurrency"] >= replica.room:
        return f"keeps both goals up to {replica.room:,.0f}, all there is room for"
    return "more at once would miss a goal"


def lengths_words(spread: Spread) -> str:
    """A length with its spread: "2,048 tokens", "2,048 tokens ± 100 %"."""
    varied = f" ± {100 * spread.cv:.0f} %" if spread.cv > 0 else ""
    return f"{spread.mean:,.0f}{varied}"


def conditions(workload: Workload, mix: RequestMix, chip: Chip, *, cut: bool) -> str:
    """What the answer holds for."""
    turns = f" over {mix.turns} turns" if mix.turns > 1 else ""
    cached = f", {100 * mix.cached_fraction:.0f} % of it cached" if mix.cached_fraction else ""
    asked = (
        f"Prompts of {lengths_words(mix.prompts)} tokens{turns}{cached}, answers of {lengths_words(mix.output_tokens)}"
    )
    limit = " Lengths beyond the model's context are cut." if cut else ""
    return f"{asked}; {workload.format_words(chip)}, no speculation. Means, modelled, not measured.{limit}"


def assumptions(replicas: Sequence[Replica], chunk_tokens: float) -> tuple[str, ...]:
    """What the figures take for granted."""
    said = [f"GPUs serve with {GPU_ENGINE}; each request is followed by the next, so that as many stay in flight"]
    if any(replica.layer_s for replica in replicas):
        said.append(
            "on a wafer prompts and tokens take turns in the regions; nothing measured says how they share them"
        )
    if math.isfinite(chunk_tokens):
        said.append("a chunk takes its share of its prompt's time, and rides on the memory time of the decode step")
    return tuple(said)


def run_hover(run: Measured, speed: float, rate: float) -> str:
    """What a measured run says when pointed at."""
    shown = metric("tokens_per_s_per_user").format(speed), metric("output_tokens_per_s").format(rate)
    return (
        f"<b>{run.machine}</b>, measured {shown[0]} per user, {shown[1]} in all<br>{run.users:,.0f} at once, "
        f"{run.input_tokens:,.0f} in, {run.output_tokens:,.0f} out<br>{run.run.source_file}, not reviewed"
    )


def runs_in_words(measured: pd.DataFrame) -> tuple[str, ...]:
    """What the source line says of the runs drawn."""
    return (f"{len(measured)} of your own runs, not reviewed, at their own lengths",) if len(measured) else ()
