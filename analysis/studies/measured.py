"""How far do measured runs lie from the model, and does the gap grow with load, context, machine or time?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from analysis.explain import explain
from analysis.metrics import Metric
from analysis.models.accuracy import relative_error
from analysis.models.roofline import model_bandwidth_utilisation, model_flop_utilisation
from analysis.parameters import Parameters
from analysis.provenance import sources_of
from analysis.studies import measured_words as words
from analysis.studies.benchmark_cases import LeftOut, Measured
from analysis.studies.measured_cases import Quantity, compared, work_and_peak
from analysis.study import Step, Study, rows_of
from data.sources import Source

QUESTION = "How far do your own runs lie from the model, and where does the gap grow?"
Over = Literal["users", "context", "machine", "time"]
OVERS: tuple[Over, ...] = ("users", "context", "machine", "time")
STEP_LIMIT = 3
FIELDS = ("bandwidth_byte_per_s",)


def study(
    runs: Sequence[Measured], quantity: Quantity, over: Over, parameters: Parameters | None = None
) -> tuple[Study | None, list[LeftOut]]:
    """Measured beside modelled in one quantity for every run that states it; None where none does.

    over         what the figure spreads the runs over
    parameters   what the engine believes; a profile fitted to own runs, or None for the shipped values

    Table: one row a run with both figures, `gap` in words and `off` without the figures, its 80 % interval, and the
    shares of bandwidth and arithmetic that decoding used. Mark `drawn`: the rows drawn, with `x`, and for time and
    machine what `x` stands for.
    """
    table, left_out = compared(runs, quantity, parameters)
    if table.empty:
        return None, left_out
    shown = quantity.metric
    table = table.sort_values(["place", "input_tokens", "output_tokens", "users"], ignore_index=True)
    table = _with_words(table, shown)
    drawn = spread(table, over)
    told = set(table["run_id"])
    kept = [one for one in runs if one.run.run_id in told]
    done = Study(
        question=QUESTION,
        answer=words.answer(table, shown),
        conditions=words.conditions(table, len(left_out), len(drawn)),
        table=table,
        steps=lambda: list(_steps(kept, table)),
        sources=_sources(kept),
        assumptions=tuple(
            dict.fromkeys(
                part for text in table["assumed"] for part in text.split("; ") if part and "energy" not in part
            )
        ),
        marks={"drawn": drawn, "over": over, "metric": shown},
    )
    return done, left_out


def _with_words(table: pd.DataFrame, shown: Metric) -> pd.DataFrame:
    rows = rows_of(table)
    gap, off = ([say(row) for row in rows] for say in (lambda row: words.gap(row, shown), words.off))
    return table.assign(gap=gap, off=off, load=[_load(row) for row in rows])


def _load(row: Mapping[str, Any]) -> str:
    return f"{row['users']:,.0f} at once, {row['input_tokens']:,.0f} in, {row['output_tokens']:,.0f} out"


def spread(table: pd.DataFrame, over: Over) -> pd.DataFrame:
    """The rows that can be drawn over a choice, with `x`: a number, a moment, or the place of a machine."""
    if over == "time":
        moment = pd.to_datetime(table["started_at"], errors="coerce", utc=True, format="ISO8601")
        return table.assign(x=moment.dt.tz_localize(None))[moment.notna()].reset_index(drop=True)
    if over == "machine":
        names = list(
            dict.fromkeys(f"{slot}, {model}" for slot, model in zip(table["slot"], table["model"], strict=True))
        )
        named = [f"{slot}, {model}" for slot, model in zip(table["slot"], table["model"], strict=True)]
        return table.assign(x=[float(names.index(name)) for name in named], x_name=named)
    return table.assign(x=table["users" if over == "users" else "context_tokens"].astype(float))


def _steps(runs: Sequence[Measured], table: pd.DataFrame) -> Iterable[Step]:
    """The first runs: their error, and the shares of bandwidth and arithmetic that their steps used."""
    rows = {row["run_id"]: row for row in rows_of(table)}
    for one in runs[:STEP_LIMIT]:
        row, subject = rows[one.run.run_id], f"{one.machine}, {one.users:,.0f} at once, {one.run.source_file}"
        yield explain(relative_error, subject=subject, predicted=row["modelled"], measured=row["measured"])
        if one.chip.bandwidth_byte_per_s is not None:
            yield explain(
                model_bandwidth_utilisation, subject=subject, read_byte=row["read_byte"], step_s=one.step_s,
                devices=one.device_count, bandwidth_byte_per_s=one.chip.bandwidth_byte_per_s,
            )  # fmt: skip
        work, peak = work_and_peak(one)
        if math.isfinite(peak):
            yield explain(
                model_flop_utilisation, subject=subject, rate_token_per_s=one.users / one.step_s,
                work_flop_per_token=work, devices=one.device_count, peak_flop_per_s=peak,
            )  # fmt: skip


def _sources(runs: Sequence[Measured]) -> tuple[Source, ...]:
    """The uploaded files first, then what the predictions rest on."""
    files = dict.fromkeys(one.run.source_file for one in runs)
    uploads = [Source(title=f"{name} (upload, not reviewed)", kind="upload", where=name) for name in files]
    known = [source for one in runs for source in sources_of(one.architecture, [one.chip], FIELDS)]
    return tuple(dict.fromkeys([*uploads, *known]))
