"""Is the server as fast as it was?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.diagnosis import Finding, diagnose_series
from analysis.diagnosis.observed import Series
from analysis.explain import explain
from analysis.machines import arithmetic_class, dense_peak
from analysis.metrics import metric
from analysis.models import change
from analysis.models.bandwidth import read_per_step
from analysis.models.roofline import model_bandwidth_utilisation, model_flop_utilisation
from analysis.monitoring import Alarm, Watch, alarms, frame_of, watched
from analysis.monitoring.changes import BASELINE_SCRAPES, BETWEEN_FALSE_ALARMS, SHIFT
from analysis.sentences import joined
from analysis.study import Slot, Step, Study, counted
from analysis.workload import Workload, met_weights, read_cache
from data.readers.metrics_text.timeline import Timeline
from data.sources import Source

QUESTION = "Is the server as fast as it was?"
ASSUMED = (
    f"A series is watched by a cumulative sum over its logarithm, set to find a shift of {100 * SHIFT:.0f} %; noise "
    f"alone raises an alarm once in {BETWEEN_FALSE_ALARMS:,.0f} scrapes where the baseline is known exactly, and less "
    "than once in 50,000 for all four series with a baseline of 200 scrapes (by simulation).",
    "Times are measured inside the engine: the network and the client are not in them.",
    "Quantiles are linear inside the buckets of the engine's histograms.",
    "Where the load of the baseline moved, its effect is taken out before the sum is formed.",
)
MINUTE_S = 60.0
AT_ANY_LOAD = frozenset({"kv_preemption", "prefix_warm_up"})  # faults that counters tell, however the load moves
STEADY_LOAD = 0.05  # scatter of the load below which a scatter of the rate is the server's own


@dataclass(frozen=True, kw_only=True)
class Served:
    """What serves, where the person says so: the model in its formats, and the machine."""

    workload: Workload
    slot: Slot


def study(timeline: Timeline, baseline_rows: int = BASELINE_SCRAPES, served: Served | None = None) -> Study:
    """The series of a timeline with their baselines and alarms.

    Table: one row an interval in SI units (see analysis.monitoring.series). Marks: `watches`, `alarms`, `findings`.
    """
    table = frame_of(timeline.intervals)
    if served is not None:
        table = with_use(table, served)
    watches = watched(table, baseline_rows)
    found = alarms(watches)
    return Study(
        question=QUESTION,
        answer=_answer(table, watches, found, baseline_rows),
        conditions=_conditions(timeline, table, watches, baseline_rows),
        table=table,
        steps=lambda: [step for watch in watches for step in _steps(watch)],
        sources=tuple(Source(title=f"{name}, not reviewed", kind="upload", where=name) for name in timeline.files),
        assumptions=ASSUMED,
        remarks=timeline.notes,
        marks={"watches": watches, "alarms": found, "findings": findings_in(table)},
    )


def findings_in(table: pd.DataFrame) -> tuple[Finding, ...]:
    """Faults that the series show. Those seen in the rate alone count only where the load stood still."""
    series = Series(
        time_s=(table["end_s"] - table["start_s"].iloc[0]).to_numpy(),
        output_rate=table["output_tokens_per_s"].to_numpy(),
        tpot_s=table["itl_s"].fillna(table["tpot_s"]).to_numpy(),
        ttft_s=table["ttft_s"].to_numpy(),
        load=table["running"].to_numpy(),
        cache_used_fraction=table["cache_used_fraction"].to_numpy(),
        preemptions=table["preemptions"].to_numpy(),
        hit_fraction=table["prefix_hit_fraction"].to_numpy(),
    )
    load = table["running"]
    steady = bool(load.std() < STEADY_LOAD * load.mean())
    return tuple(each for each in diagnose_series(series) if steady or each.kind in AT_ANY_LOAD)


def with_use(table: pd.DataFrame, served: Served) -> pd.DataFrame:
    """The table with shares of the datasheet's bandwidth and dense peak that each interval used, by the model."""
    chip = served.slot.chip
    devices = float(served.slot.device_count or 1)
    peak, _ = dense_peak(chip, arithmetic_class(chip, served.workload.formats(chip).dense))
    work = 2.0 * met_weights(served.workload.at(sequences=1.0), chip)[1]
    made = table["output_tokens_per_s"].to_numpy()
    running = np.maximum(table["running"].to_numpy(), 1.0)
    read = [_read_byte(served, at, tokens) for at, tokens in zip(running, _context(table), strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        step_s = np.where(made > 0, running / made, np.nan)
        bandwidth = model_bandwidth_utilisation(np.array(read), step_s, devices, chip.bandwidth_byte_per_s or math.nan)
    tokens = made + table["input_tokens_per_s"].to_numpy()
    compute = model_flop_utilisation(tokens, work, devices, peak or math.nan)
    return table.assign(bandwidth_used_fraction=bandwidth, compute_used_fraction=compute)


def _context(table: pd.DataFrame) -> NDArray[np.float64]:
    """Tokens of context halfway through an output, where lengths are known; else nan."""
    return np.asarray(table["input_tokens"] + table["output_tokens"] / 2, dtype=float)


def _read_byte(served: Served, running: float, context_tokens: float) -> float:
    tokens = context_tokens if context_tokens > 0 else served.workload.context_tokens
    if math.isnan(running):
        return math.nan
    work = served.workload.at(sequences=running, context_tokens=tokens)
    chip = served.slot.chip
    return float(read_per_step(met_weights(work, chip)[0], running, read_cache(work, chip)))


def _answer(table: pd.DataFrame, watches: Sequence[Watch], found: Sequence[Alarm], baseline_rows: int) -> str:
    if found:
        since = clock(table["start_s"][found[0].began])
        return joined(f"Slower since {since}: ", [_moved(each) for each in found], end=" the baseline.")
    minutes = (float(table["end_s"].iloc[-1]) - float(table["start_s"].iloc[0])) / MINUTE_S
    rate = metric("output_tokens_per_s").format(float(table["output_tokens_per_s"].mean()))
    if watches:
        return f"As fast as it was: {rate} on average, no regression in {len(table):,} intervals, {minutes:,.0f} min."
    need = f"a baseline needs more than {baseline_rows:,}"
    return f"Too early to tell: {len(table):,} intervals over {minutes:,.0f} min, {need}; {rate} on average."


def _moved(alarm: Alarm) -> str:
    side = "above" if alarm.shift > 0 else "below"
    return f"{alarm.signal.name} {100 * abs(alarm.shift):.1f}\u00a0% {side}"


def _conditions(timeline: Timeline, table: pd.DataFrame, watches: Sequence[Watch], baseline_rows: int) -> str:
    step = float((table["end_s"] - table["start_s"]).median())
    names = ", ".join(filter(None, (timeline.engine, timeline.model)))
    base = f", baseline the first {baseline_rows:,} intervals" if watches else ""
    return f"{names}: a scrape every {step:.3g} s, measured inside the engine{base}."


def clock(seconds: float) -> str:
    """A moment as the page says it, UTC: "14:02:36", with its date where the times are dated; "12 min 0 s" if not."""
    if seconds < 1e8:  # counted from zero: the scrapes carried no times
        return f"{seconds // MINUTE_S:.0f} min {seconds % MINUTE_S:.0f} s"
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _steps(watch: Watch) -> list[Step]:
    name = watch.signal.name
    return [
        explain(change.alarm_limit, subject=name, allowance=watch.allowance, length=BETWEEN_FALSE_ALARMS),
        explain(change.run_length, subject=name, allowance=watch.allowance, limit=watch.limit),
    ]


def served_words(served: Served) -> str:
    """Model and machine, as the page names them."""
    return f"{served.workload.architecture.name} on {counted(served.slot.chip, served.slot.device_count)}"
