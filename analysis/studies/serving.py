"""How much does each machine deliver, and how fast does each person see it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.capacity import mixed_step_time
from analysis.models.queueing import people_served
from analysis.provenance import estimates_in, sources_of
from analysis.studies import serving_words as words
from analysis.studies.benchmark_cases import Measured
from analysis.studies.serving_steps import steps_of
from analysis.study import Slot, Study
from analysis.traffic.closed_loop import Flight, in_flight
from analysis.traffic.replica import Replica, replicas_of
from analysis.traffic.requests import RequestMix
from analysis.workload import Workload

QUESTION = "How much does each machine deliver, and how fast does each person see it?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s")
STEPS_PER_DOUBLING = 4
LONG_PROMPT_SHARE = 0.95  # the prompt whose chunk makes the longest gap is longer than so many
Row = dict[str, Any]


def study(
    workload: Workload,
    slots: Sequence[Slot],
    mix: RequestMix,
    *,
    target_token_per_s: float = 30.0,
    ttft_s: float = math.inf,
    chunk_tokens: float = math.inf,
    runs: Sequence[Measured] = (),
) -> Study:
    """Throughput against the speed each person sees, one curve a slot over the requests in flight. [tokens/s, s]

    target_token_per_s, ttft_s   least speed of each person and latest first token; both means over requests
    chunk_tokens                 prompt tokens computed beside one decode step; infinite for whole prompts
    runs                         the person's own runs; those of this model on a slot's machine are drawn

    Table: one row a slot at the most requests in flight that keep both goals. Marks: `curve`, one row a slot and
    number in flight; `runs`; `target`, `ttft_s`.
    """
    mix, cut = mix.within(float(workload.architecture.max_context_tokens or math.inf))
    replicas = replicas_of(workload, slots, mix)
    flights = [_flight(replica, mix) for replica in replicas]
    pairs = list(zip(replicas, flights, strict=True))
    table = pd.DataFrame([_row(*pair, mix, target_token_per_s, ttft_s, chunk_tokens) for pair in pairs])
    chips = [slot.chip for slot in slots]
    measured = _runs(runs, workload, replicas)
    return Study(
        question=QUESTION,
        answer=words.answer(workload, table, target_token_per_s, ttft_s),
        conditions=words.conditions(workload, mix, chips[0], cut=cut),
        table=table,
        steps=lambda: steps_of(table, pairs, mix),
        sources=sources_of(workload.architecture, chips, FIELDS),
        assumptions=words.assumptions(replicas, chunk_tokens),
        remarks=(*estimates_in(chips, FIELDS), *words.runs_in_words(measured)),
        marks={
            "curve": pd.DataFrame([row for pair in pairs for row in _curve(*pair)], columns=list(CURVE)),
            "runs": measured,
            "target": target_token_per_s,
            "ttft_s": ttft_s,
        },
    )


CURVE = ("place", "slot", "concurrency", "tokens_per_s_per_user", "output_tokens_per_s", "ttft_s", "tpot_s")
RUN_COLUMNS = ("place", "tokens_per_s_per_user", "output_tokens_per_s", "hover")


def _flight(replica: Replica, mix: RequestMix) -> Flight | None:
    """The curve over requests in flight, up to the most that have room; None where nothing is served."""
    if replica.refusal or replica.room < 1:
        return None
    doublings = math.log2(replica.room)
    spread = 2.0 ** np.linspace(0.0, doublings, max(int(doublings * STEPS_PER_DOUBLING), 1) + 1)
    return in_flight(replica, mix, np.unique(np.round(spread)))


def _curve(replica: Replica, flight: Flight | None) -> list[tuple[object, ...]]:
    if flight is None:
        return []
    token = np.array([_token_s(replica, flight, at) for at in range(len(flight.concurrency))])
    columns = (flight.concurrency, 1.0 / token, _rates(replica, flight), flight.ttft_s, token)
    place = replica.plan.slot.place
    return [(place, replica.name, *map(float, values)) for values in zip(*columns, strict=True)]


def _rates(replica: Replica, flight: Flight) -> Any:
    """Tokens/s of the replica; of its decoding alone where no law of prompts is published."""
    if replica.computes_prompts:
        return flight.output_token_per_s
    return flight.concurrency / replica.step_s(flight.concurrency)


def _row(
    replica: Replica, flight: Flight | None, mix: RequestMix, target: float, ttft_s: float, chunk_tokens: float
) -> Row:
    """One slot at the most requests in flight that keep both goals."""
    at, kept = _chosen(replica, flight, target, ttft_s)
    row: Row = {"slot": replica.name, "place": replica.plan.slot.place, "vendor": replica.plan.slot.chip.vendor}
    row |= {"device_count": replica.devices, "largest_batch": replica.room, "keeps": kept}
    names = ("concurrency", "tokens_per_s_per_user", "output_tokens_per_s", "ttft_s", "tpot_s", "e2e_s")
    if flight is None:
        values: tuple[float, ...] = (math.nan,) * len(names)
    else:
        rate = float(_rates(replica, flight)[at])
        held, token = float(flight.concurrency[at]), _token_s(replica, flight, at)
        values = (held, 1.0 / token, rate, float(flight.ttft_s[at]), token, float(flight.e2e_s[at]))
    row |= dict(zip(names, values, strict=True))
    row["output_tokens_per_s_per_device"] = row["output_tokens_per_s"] / replica.devices
    row["longest_gap_s"] = longest_gap(replica, mix, row["concurrency"], chunk_tokens)
    turns_per_s = row["output_tokens_per_s"] / mix.output_tokens.mean
    row["people"] = float(people_served(turns_per_s, mix.think_s, row["e2e_s"]))
    return row | {"verdict": words.verdict(replica, row, target, ttft_s)}


def _token_s(replica: Replica, flight: Flight, at: int) -> float:
    return float(flight.tpot_s[at] if replica.computes_prompts else replica.step_s(flight.concurrency[at]))


def _chosen(replica: Replica, flight: Flight | None, target: float, ttft_s: float) -> tuple[int, bool]:
    """Place on the curve: the most in flight that keep both goals; one alone where none does."""
    if flight is None:
        return 0, False
    fast = np.array([1.0 / _token_s(replica, flight, at) >= target for at in range(len(flight.concurrency))])
    known = math.isinf(ttft_s) or replica.computes_prompts
    kept = fast & (flight.ttft_s <= ttft_s) if math.isfinite(ttft_s) and known else fast
    return (int(np.flatnonzero(kept)[-1]), known) if kept.any() else (0, False)


def longest_gap(replica: Replica, mix: RequestMix, sequences: float, chunk_tokens: float) -> float:
    """Longest wait between two tokens while a long prompt is computed beside; nan where decoding is not delayed. [s]"""
    if math.isnan(sequences) or not replica.computes_prompts or not replica.delaying_share:
        return math.nan
    step, memory, compute = gap_parts(replica, sequences)
    tokens = mix.prompts.quantile(LONG_PROMPT_SHARE)
    whole = float(replica.time_of(np.array([tokens]), mix.cached_fraction)[0]) / replica.stages
    share = min(chunk_tokens / tokens, 1.0)
    if share == 1.0:
        return step + replica.delaying_share * whole
    return float(mixed_step_time(memory, compute, step - max(memory, compute), share * whole))


def gap_parts(replica: Replica, sequences: float) -> tuple[float, float, float]:
    """A decode step, its memory time and its arithmetic. [s]"""
    parts = (replica.steps_s, replica.memory_s, replica.compute_s)
    step, memory, compute = (float(np.interp(sequences, replica.batches, each)) for each in parts)
    return step, memory, compute


def _runs(runs: Sequence[Measured], workload: Workload, replicas: Sequence[Replica]) -> pd.DataFrame:
    """Own runs of the model on a slot's machine, whatever their lengths."""
    rows = []
    for replica in replicas:
        for run in runs:
            same = run.architecture.key == workload.architecture.key and run.chip.key == replica.plan.slot.chip.key
            rate = run.run.values.get("output_tps")
            if same and run.device_count == replica.devices and isinstance(rate, int | float):
                place, speed = replica.plan.slot.place, 1.0 / run.step_s
                rows.append((place, speed, float(rate), words.run_hover(run, speed, float(rate))))
    return pd.DataFrame(rows, columns=list(RUN_COLUMNS))
