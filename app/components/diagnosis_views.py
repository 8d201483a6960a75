"""The page on faults: which runs are looked at, the figure with its evidence, causes in order, and the runs' table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.diagnosis import Finding
from analysis.figures import diagnosis as picture
from analysis.figures.style import ink
from analysis.metrics import metric
from analysis.parameters import Parameters
from analysis.studies.diagnosis import Advice
from analysis.studies.diagnosis_cases import Observation
from analysis.study import Study
from app.components.answer import answer
from app.components.card import below_figure, figure, theme
from app.components.controls import WIDE, controls_row, pick, pick_profile
from app.components.tables import Column, table, three_digits
from app.state import offer_download
from data.catalogue.diagnosis_files import load_faults

NOTHING = "No sweep or series of yours to look at yet."
WHY = (
    "Bring runs of one model and machine that differ in concurrency, batch or arrival rate (three loads or more), or "
    "one load run eight times or more with start times. The shipped samples, whose figures are invented, hold some."
)


def controls() -> tuple[DeltaGenerator, Parameters | None]:
    """The row of choices: the place for the runs, filled once they have been looked at, and the profile."""
    with controls_row():
        return st.container(horizontal=True, gap="small", width="content"), pick_profile()


def choose(row: DeltaGenerator, seen: Sequence[Observation]) -> tuple[Observation, Finding | None]:
    """The sweep or series looked at, and which of its findings; what is wrong comes first."""
    names = {_named(each): each for each in seen}
    options = list(names)
    with row:
        one = names[pick("Runs", options, key="observed", default=options[0], width=3 * WIDE)]
        titles = {load_faults()[each.kind].title: each for each in one.findings}
        if len(titles) < 2:
            return one, next(iter(titles.values()), None)
        found = list(titles)
        return one, titles[pick("Finding", found, key="finding", default=found[0], width=2 * WIDE)]


def _named(each: Observation) -> str:
    verdict = ", ".join(load_faults()[found.kind].title.lower() for found in each.findings) or "nothing found"
    return f"{each.name}: {verdict}"


def show(place: DeltaGenerator, study: Study) -> None:
    """Answer, figure, causes, table, source line."""
    answer(place, study.answer, study.conditions)
    if picture.shows_something(study):
        figure(picture.figure(study, ink(theme())), key="diagnosis_figure", alt=study.answer)
    advice: tuple[Advice, ...] = study.marks["advice"]  # type: ignore[assignment]
    if advice:
        causes(advice)
    st.subheader("The runs", anchor=False)
    table(study.table, _columns(study), alt=study.question)
    below_figure(study, key="diagnosis")
    offer_download("diagnosis", lambda: study.table)


def causes(advice: Sequence[Advice]) -> None:
    """Likely causes in order: how to check, what to change, what the model expects."""
    st.subheader("Likely causes, the likeliest first", anchor=False)
    same = len({each.expected for each in advice}) == 1
    if same:
        st.caption(f"Expected after any of them: {advice[0].expected}")
    for number, each in enumerate(advice, start=1):
        with st.container(border=True, gap="xsmall"):
            st.markdown(f"**{number}. {each.cause.title}.**")
            st.code(each.cause.check, language="bash", wrap_lines=True)
            after = "" if same else f"  \nExpected after it: {each.expected}"
            st.markdown(f"Change: {each.cause.change}{after}")
            st.caption(f"Source: {each.cause.source.title}.")


def _columns(study: Study) -> tuple[Column, ...]:
    known: list[Column] = [_column("across", metric(str(study.marks["across"])).label, bare=True)]
    known += [
        _column("output_tokens_per_s", "output tok/s"), _column("modelled_rate", "model says", "output_tokens_per_s"),
        _column("tpot_s", "time per token"), _column("modelled_tpot_s", "model says", "tpot_s"),
        _column("ttft_s", "first token"),
    ]  # fmt: skip
    others = [name for name in study.table.columns if name not in {each.name for each in known}]
    known += [_column(name, metric(name).label) for name in others if name not in ("evidence", "ended", "source_file")]
    filled = [each for each in known if study.table[each.name].notna().any()]
    ended = [Column(name="ended", header="Ended")] if (study.table["ended"] != "").any() else []
    return (
        *_apart(filled),
        *ended,
        Column(name="evidence", header="Evidence"),
        Column(name="source_file", header="File"),
    )


def _column(name: str, header: str, key: str = "", *, bare: bool = False) -> Column:
    return Column(name=name, header=header, shown=three_digits if bare else metric(key or name).format)


def _apart(columns: Sequence[Column]) -> list[Column]:
    """Headers that do not repeat: the second "model says" names what it is about."""
    seen: set[str] = set()
    kept = []
    for each in columns:
        header = each.header if each.header not in seen else f"{each.header}, per token"
        kept.append(Column(name=each.name, header=header, shown=each.shown))
        seen.add(header)
    return kept
