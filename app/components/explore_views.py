"""Choices and tables of the page on the person's own runs: filters, two runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from analysis.studies.explore import Wanted, engine_of, lengths_of, machine_of, model_of
from analysis.studies.explore_pair import pair
from app.components.controls import WIDE, controls_row, pick
from app.components.tables import Column, table
from data.records import Run

ANY = "any"
PAIR_LIMIT = 200
HEADERS = {"part": "What", "field": "Field", "first": "First", "second": "Second", "verdict": "Second against first"}


def filters(runs: Sequence[Run]) -> Wanted:
    """The conditions as chosen; every list holds what the runs say."""
    reads: dict[str, Callable[[Run], str]] = {
        "model": model_of, "machine": machine_of, "engine": engine_of,
        "outcome": lambda run: run.outcome, "source": lambda run: run.source_file,
    }  # fmt: skip
    chosen: dict[str, str] = {}
    with controls_row():
        for name, read in reads.items():
            options = [ANY, *sorted({read(run) for run in runs})]
            said = pick(name.capitalize(), options, key=name if name != "model" else "of", default=ANY, width=WIDE)
            chosen[name] = "" if said == ANY else said
        partial = st.checkbox("Rank partial runs too", key="partial", bind="query-params")
    return Wanted(**chosen, partial=partial)


def kept_runs_line() -> None:
    """Where this page's figures would come from."""
    st.caption("Source: the runs that you keep on Benchmarks.")


def named(run: Run) -> str:
    """A run in a list: what served what, how many at once, from which file."""
    lengths = "/".join(f"{n:,.0f}" for n in lengths_of(run))
    users = run.values.get("concurrency") or run.values.get("batch_size")
    at_once = f"{users:g}" if isinstance(users, int | float) else "?"
    return f"{model_of(run)}, {machine_of(run)}, {at_once} at once, {lengths}, {run.source_file}, {run.run_id[:6]}"


def side_by_side(runs: Sequence[Run], everything: Sequence[Run]) -> None:
    """Two runs chosen from a list, and what differs between them."""
    if len(runs) < 2:
        return
    st.subheader("What differs between two runs", anchor=False)
    names = {named(run): run for run in runs[:PAIR_LIMIT]}
    options = list(names)
    with controls_row():
        first = pick("First", options, key="first", default=options[0], width=2 * WIDE)
        second = pick("Second", options, key="second", default=options[1], width=2 * WIDE)
    frame = pair(names[first], names[second], everything)
    if frame.empty:
        st.caption("They state the same.")
        return
    table(_texts(frame), [Column(name=name, header=header) for name, header in HEADERS.items()], alt="Two runs")
    st.caption(f"Source: {names[first].source_file}; {names[second].source_file}, not reviewed.")


def _texts(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(field=[name.replace("_", " ") for name in frame["field"]])
