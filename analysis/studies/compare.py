"""Which of these machines serves a model at the speed wanted, what binds each, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from analysis.engine import columns_for
from analysis.models.bandwidth import read_per_step
from analysis.models.cost import copies_within, cost_per_token, idle_paid_cost
from analysis.models.roofline import model_bandwidth_utilisation
from analysis.plans import GPU_ENGINE, served_case
from analysis.provenance import own_figures_in, sources_of
from analysis.scales import HOUR_S, MILLION
from analysis.studies import compare_words as words
from analysis.studies.benchmark_cases import Measured
from analysis.studies.compare_runs import marks_of, runs_in_words
from analysis.studies.compare_steps import steps_of
from analysis.studies.rental import Rental, rental_of
from analysis.study import Slot, Study, counted
from analysis.workload import Workload, met_weights, read_cache
from data.records import Chip, Price

Equal = Literal["devices as set", "power", "price", "throughput"]
EQUALS: tuple[Equal, ...] = ("devices as set", "power", "price", "throughput")
QUESTION = "Which silicon serves this model at this speed?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s", "power_w")
POOLED = ("mesh", "deterministic")  # machines whose refusals count the memory of all devices together
Columns = dict[str, Any]  # arrays or lists of one value a slot
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

    Table: one row a slot with keys of `analysis.metrics`; `*_of_copies` columns count all copies. Marks: `target`,
    `runs` as `analysis.studies.compare_runs.marks_of` gives them, and `rows`, the table's rows as dictionaries.
    """
    rentals = [rental_of(slot.chip, prices) for slot in slots]
    columns = _columns(workload, slots, rentals, equal, duty_fraction)
    table, rows = pd.DataFrame(columns), _rows(columns)
    measured = marks_of(runs, workload, slots, list(table["device_count"]))
    return Study(
        question=QUESTION,
        answer=words.answer(workload, rows, target_token_per_s),
        conditions=words.conditions(workload, slots, rows) + words.held_equal(equal, rows),
        table=table,
        steps=lambda: steps_of(workload, slots, table, rentals, duty_fraction),
        sources=(
            *sources_of(workload.architecture, [slot.chip for slot in slots], FIELDS),
            *dict.fromkeys(source for rental in rentals if rental for source in rental.sources),
        ),
        assumptions=(*words.assumptions(rows), f"GPUs serve with {GPU_ENGINE}"),
        remarks=(
            *own_figures_in(slot.chip for slot in slots),
            *words.remarks(rentals, [slot.chip for slot in slots], duty_fraction),
            *runs_in_words(measured),
        ),
        marks={"target": target_token_per_s, "runs": measured, "rows": rows},
    )


def _columns(
    workload: Workload, slots: Sequence[Slot], rentals: Sequence[Rental | None], equal: Equal, duty_fraction: float
) -> Columns:
    """What the frame is made of at the end: adding columns to it one by one costs more than all of the arithmetic."""
    columns = columns_for([served_case(workload, slot, duty_fraction) for slot in slots], workload.parameters)
    known = columns["device_count"].astype(float)
    counts = np.where(np.isnan(known), columns["devices_needed"].astype(float), known)
    named = zip(slots, counts, strict=True)
    columns["place"] = [slot.place for slot in slots]
    columns["slot"] = [counted(slot.chip, None if np.isnan(count) else count) for slot, count in named]
    pairs = zip(slots, _rows(columns), strict=True)
    columns["bandwidth_used_fraction"] = np.array([_used(workload, slot, row) for slot, row in pairs])
    columns |= _prices(columns, counts, [slot.chip for slot in slots], rentals, duty_fraction)
    columns["copies"] = _copies(equal, columns)
    for name in ("output_tokens_per_s", "power_w", "rated_power_w", "price_usd_per_hour"):
        columns[f"{name}_of_copies"] = columns[name].astype(float) * columns["copies"]
    for name in ("memory_needed_byte", "memory_available_byte"):
        devices = np.where(_per_device(name, slots, columns), counts, 1.0)
        columns[f"{name}_of_devices"] = columns[name].astype(float) * devices
    return columns | _words(workload.architecture.name, _rows(columns))


def _rows(columns: Columns) -> list[words.Row]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _words(model: str, rows: Sequence[words.Row]) -> Columns:
    """What stands beside the marks and in the table."""
    return {
        "binds": [words.binds(row) for row in rows],
        "row_header": [words.row_header(row) for row in rows],
        "hover": [words.hover(model, row) for row in rows],
        "bound_hover": [words.bound_hover(row) for row in rows],
    }


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


def _per_device(name: str, slots: Sequence[Slot], columns: Columns) -> Any:
    """Where a memory column counts one device: everywhere but what SRAM machines that do not fit need in all."""
    pooled = np.array([slot.chip.execution in POOLED for slot in slots])
    return ~(pooled & ~columns["feasible"].astype(bool) & (name == "memory_needed_byte"))


def _prices(
    columns: Columns, counts: Any, chips: Sequence[Chip], rentals: Sequence[Rental | None], duty_fraction: float
) -> Columns:
    """Rated power, price and cost of one copy of each slot, idle hours paid for; NaN where no figure is known."""
    rate = columns["output_tokens_per_s"].astype(float)
    hourly = np.array([rental.usd_per_hour if rental else np.nan for rental in rentals])
    rated = np.array([chip.power_w if chip.power_w is not None else np.nan for chip in chips])
    token = idle_paid_cost(cost_per_token(hourly / HOUR_S, counts, rate), duty_fraction)
    return {
        "rated_power_w": rated * counts,
        "price_usd_per_hour": hourly * counts,
        "cost_usd_per_million_tokens": MILLION * token,
    }


def _copies(equal: Equal, columns: Columns) -> Any:
    """Whole copies of each slot that fit into what the most demanding slot takes; 1 where slots are taken as set."""
    served = columns["feasible"].astype(bool)
    if equal == "devices as set" or not served.any():
        return np.where(served, 1.0, np.nan)
    each = np.where(served, columns[_HELD_EQUAL[equal]].astype(float), np.nan)
    if np.isnan(each).all():
        return each
    if equal == "throughput":  # enough copies to match the fastest, so rounded up
        return -copies_within(-np.nanmax(each), each)
    return copies_within(np.nanmax(each), each)
