"""Which of these machines serves a model at the speed wanted, what binds each, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from analysis.engine import Case, evaluate
from analysis.models.bandwidth import read_per_step
from analysis.models.cost import copies_within, cost_per_token
from analysis.models.roofline import model_bandwidth_utilisation
from analysis.provenance import sources_of
from analysis.studies import compare_words as words
from analysis.studies.benchmark_cases import Measured
from analysis.studies.compare_runs import marks_of, runs_in_words
from analysis.studies.compare_steps import steps_of
from analysis.studies.rental import Rental, rental_of
from analysis.study import Slot, Study, counted, rows_of
from analysis.workload import Workload, met_weights, read_cache
from data.records import Chip, Price

Equal = Literal["devices as set", "power", "price", "throughput"]
EQUALS: tuple[Equal, ...] = ("devices as set", "power", "price", "throughput")
QUESTION = "Which silicon serves this model at this speed?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s", "power_w")
POOLED = ("mesh", "deterministic")  # machines whose refusals count the memory of all devices together
HOUR_S = 3600.0
MILLION_TOKENS = 1e6
_HELD_EQUAL = {"power": "rated_power_w", "price": "price_usd_per_hour", "throughput": "output_tokens_per_s"}


def study(
    workload: Workload,
    slots: Sequence[Slot],
    *,
    target_token_per_s: float = 1000.0,
    equal: Equal = "devices as set",
    prices: Sequence[Price] = (),
    duty_fraction: float = 1.0,
    runs: Sequence[Measured] = (),
) -> Study:
    """The comparison of up to six slots. [tokens/s, bytes, USD and joules a token]

    One decode step of all users at the given context, without speculation; a slot that does not fit has no rate and
    says what it would need.

    target_token_per_s   speed wanted for each user
    equal                what is held equal between slots, by counting whole copies of each
    prices               dated prices; the rental price of a slot is the median of the on-demand ones
    duty_fraction        share of all hours in which the machines serve; idle power counts for the tokens made
    runs                 the person's own runs; those of this model on a slot's machine are drawn on its row

    Table: one row a slot with keys of `analysis.metrics`; `*_of_copies` columns count all copies. Marks: `target`, and
    `runs` as `analysis.studies.compare_runs.marks_of` gives them.
    """
    rentals = [rental_of(slot.chip, prices) for slot in slots]
    table = _table(workload, slots, rentals, equal, duty_fraction)
    measured = marks_of(runs, workload, slots, list(table["device_count"]))
    return Study(
        question=QUESTION,
        answer=words.answer(workload, table, target_token_per_s),
        conditions=words.conditions(workload, slots, table),
        table=table,
        steps=lambda: steps_of(workload.architecture, slots, table, rentals, duty_fraction),
        sources=(
            *sources_of(workload.architecture, [slot.chip for slot in slots], FIELDS),
            *dict.fromkeys(source for rental in rentals if rental for source in rental.sources),
        ),
        assumptions=words.assumptions(table),
        remarks=(*words.remarks(rentals, [slot.chip for slot in slots], duty_fraction), *runs_in_words(measured)),
        marks={"target": target_token_per_s, "runs": measured},
    )


def _case(workload: Workload, slot: Slot, duty_fraction: float) -> Case:
    return Case(
        architecture=workload.architecture,
        chip=slot.chip,
        device_count=slot.device_count,
        weight_format=workload.weight_format,
        attention_format=workload.attention_format,
        expert_format=workload.expert_format,
        kv_format=workload.cache_format,
        concurrency=workload.sequences,
        input_tokens=workload.context_tokens,
        output_tokens=0.0,
        duty_fraction=duty_fraction,
        at_wall=True,
    )


def _table(
    workload: Workload, slots: Sequence[Slot], rentals: Sequence[Rental | None], equal: Equal, duty_fraction: float
) -> pd.DataFrame:
    table = evaluate([_case(workload, slot, duty_fraction) for slot in slots]).reset_index(drop=True)
    counts = table["device_count"].where(table["device_count"].notna(), table["devices_needed"]).astype(float)
    named = zip(slots, counts, strict=True)
    table["place"] = [slot.place for slot in slots]
    table["slot"] = [counted(slot.chip, None if np.isnan(count) else count) for slot, count in named]
    rows = zip(slots, rows_of(table), strict=True)
    table["bandwidth_used_fraction"] = [_used(workload, slot, row) for slot, row in rows]
    _add_prices(table, counts, [slot.chip for slot in slots], rentals)
    table["copies"] = _copies(equal, table)
    for name in ("output_tokens_per_s", "power_w", "rated_power_w", "price_usd_per_hour"):
        table[f"{name}_of_copies"] = table[name].astype(float) * table["copies"]
    for name in ("memory_needed_byte", "memory_available_byte"):
        table[f"{name}_of_devices"] = table[name].astype(float) * counts.where(_per_device(name, slots, table), 1.0)
    said = list(rows_of(table))
    table["binds"] = [words.binds(row) for row in said]
    table["row_header"] = [words.row_header(row) for row in said]
    table["hover"] = [words.hover(workload.architecture.name, row) for row in said]
    table["bound_hover"] = [words.bound_hover(row) for row in said]
    return table


def _used(workload: Workload, slot: Slot, row: words.Row) -> float:
    """Share of the datasheet bandwidth that a step's reads use: the experts its batch meets, and every cache."""
    if not row["feasible"] or not slot.chip.bandwidth_byte_per_s:
        return float("nan")
    copies = float(row["replicas"])
    work = workload.at(sequences=max(float(row["running"]) / copies, 1.0))
    read = read_per_step(met_weights(work, slot.chip)[0], work.sequences, read_cache(work, slot.chip))
    devices = float(row["device_count"]) / copies
    share = model_bandwidth_utilisation(read, row["decode_step_s"], devices, slot.chip.bandwidth_byte_per_s)
    return float(share)


def _per_device(name: str, slots: Sequence[Slot], table: pd.DataFrame) -> pd.Series[bool]:
    """Where a memory column counts one device: everywhere but what SRAM machines that do not fit need in all."""
    pooled = pd.Series([slot.chip.execution in POOLED for slot in slots])
    return ~(pooled & ~table["feasible"].astype(bool) & (name == "memory_needed_byte"))


def _add_prices(
    table: pd.DataFrame, counts: pd.Series[float], chips: Sequence[Chip], rentals: Sequence[Rental | None]
) -> None:
    """Rated power, price and cost of one copy of each slot; NaN where the catalogue has no figure."""
    rate = table["output_tokens_per_s"].astype(float)
    hourly = pd.Series([rental.usd_per_hour if rental else np.nan for rental in rentals], dtype=float)
    table["rated_power_w"] = pd.Series([chip.power_w for chip in chips], dtype=float) * counts
    table["price_usd_per_hour"] = hourly * counts
    table["cost_usd_per_million_tokens"] = MILLION_TOKENS * cost_per_token(hourly / HOUR_S, counts, rate)


def _copies(equal: Equal, table: pd.DataFrame) -> Any:
    """Whole copies of each slot that fit into what the most demanding slot takes; 1 where slots are taken as set."""
    served = table["feasible"].astype(bool)
    if equal == "devices as set" or not served.any():
        return np.where(served, 1.0, np.nan)
    each = table[_HELD_EQUAL[equal]].astype(float).where(served)
    if equal == "throughput":  # enough copies to match the fastest, so rounded up
        return -copies_within(-each.max(), each)
    return copies_within(each.max(), each)
