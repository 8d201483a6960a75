"""Choices and tables of the page on the person's own runs: filters, two runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from analysis.studies.explore import Wanted, depth_of, engine_of, lengths_of, machine_of, model_of
from analysis.studies.explore_pair import pair
from analysis.study import Study
from app.components.card import below_figure
from app.components.controls import WIDE, controls_row, number, pick
from app.components.intake import INVENTED, samples_button, samples_kept
from app.components.tables import Column, table
from app.state import offer_download, shared_parameters
from data.catalogue.catalogue import Catalogue
from data.readers import label_of
from data.records import Run
from data.store import Store

ANY = "any"
BENCHMARKS = "benchmarks"  # the address of the page on which files are brought
PAIR_LIMIT, ROW_LIMIT = 200, 30
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


def shown_runs(store: Store, catalogue: Catalogue) -> list[Run]:
    """The runs of this page with names where the catalogue has them; of long tables the part that is chosen."""
    parts, part = store.parts(), 1
    if parts > 1:
        total = sum(store.long_files().values())
        part = int(number("Part of the long tables", key="part", default=1, low=1, high=parts, step=1))
        st.caption(f"Long tables hold {total:,} runs; a part is a thousand of each. This is part {part:,} of "
                   f"{parts:,}; an export holds them all.")  # fmt: skip
    chips = {key: chip.name for key, chip in catalogue.chips.items()}
    models = {key: model.name for key, model in catalogue.architectures.items()}
    return [_named(run, chips, models) for run in store.runs(part=part - 1)]


def _named(run: Run, chips: Mapping[str, str], models: Mapping[str, str]) -> Run:
    """The run with names in place of catalogue keys, for showing only."""
    names = {"hardware_key": chips, "model_id": models}
    said = {field: known.get(str(run.values.get(field))) for field, known in names.items()}
    return replace(run, values={**run.values, **{field: name for field, name in said.items() if name}})


def nothing_yet(store: Store, catalogue: Catalogue) -> None:
    """The two ways out of an empty page: the shipped samples, and the page on which files are brought."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        samples_button(store, catalogue)
        benchmarks = st.Page(_elsewhere, title="Benchmarks", url_path=BENCHMARKS)
        st.page_link(benchmarks, label="Bring your own files on Benchmarks", icon=":material/upload:",
                     query_params=shared_parameters(), width="content")  # fmt: skip
    st.caption("Source: the runs that you keep on Benchmarks.")


def _elsewhere() -> None:
    """Stands for a page that another module draws; the address alone counts for a link."""


def ranking(study: Study, columns: Sequence[Column]) -> None:
    """The first rows of the ranking and how many there are in all, its sources, and all of it for download."""
    table(study.table.head(ROW_LIMIT), columns, alt=study.question)
    if len(study.table) > ROW_LIMIT:
        st.caption(f"The first {ROW_LIMIT} of {len(study.table):,} set-ups; the lists above narrow them, "
                   "and the download holds all.")  # fmt: skip
    below_figure(study, key="explore")
    offer_download("explore", lambda: study.table)


def samples_line(store: Store) -> None:
    """That the samples' figures are invented, where they are among the runs."""
    if samples_kept(store):
        st.caption(f":material/science: {INVENTED}")


def named(run: Run) -> str:
    """A run in a list: what served what, how many at once, from which file."""
    lengths = "/".join(f"{n:,.0f}" for n in lengths_of(run))
    lengths += f" at depth {depth:,.0f}" if (depth := depth_of(run)) else ""
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
    return frame.assign(field=[label_of(name) for name in frame["field"]])
