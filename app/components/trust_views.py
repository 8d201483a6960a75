"""The parts of the page on trust: measured runs beside their predictions."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.figures import trust as picture
from analysis.figures.style import ink
from analysis.metrics import Metric
from analysis.studies import trust
from analysis.study import Study
from app import cache
from app.components import controls as ask
from app.components.answer import answer
from app.components.card import below_figure, figure, source_line, theme
from app.components.tables import Column, percent, table, three_digits, unbroken
from app.state import offer_download
from data.catalogue.accuracy_files import load_accuracy
from data.catalogue.measurement_files import load_measurements

ERRORS = (
    Column(name="group", header="Group"),
    Column(name="left_out_by", header="Left out of the fit"),
    Column(name="rows", header="runs", shown="{:,.0f}".format),
    Column(name="mape_percent_in_sample", header="mean, seen, %", shown=three_digits),
    Column(name="mape_percent", header="mean, unseen, %", shown=three_digits, strong=True),
    Column(name="goal_mape_percent", header="aim, mean", shown=three_digits),
    Column(name="median_percent_in_sample", header="median, seen, %", shown=three_digits),
    Column(name="median_percent", header="median, unseen, %", shown=three_digits, strong=True),
    Column(name="goal_median_percent", header="aim, median", shown=three_digits),
    Column(name="coverage_fraction", header="in 80 % interval, %", shown=percent),
    Column(name="interval_ratio", header="high over low", shown=three_digits),
)
LEFT_OUT = {
    "model, but for one own row": "model, all but one of its runs",
    "model, but for three own rows": "model, all but three of its runs",
}
SET_ASIDE = (
    Column(name="rule", header="Set aside by the rule"),
    Column(name="rows", header="runs", shown="{:,.0f}".format),
    Column(name="example", header="one of them"),
)


def measured_runs(place: DeltaGenerator) -> None:
    """Every measured run against its prediction, errors by group, the worst, what is set aside and not covered."""
    accuracy = load_accuracy()
    if accuracy is None:
        answer(place, "No calibration has been run: nothing says yet how far to trust these predictions.",
               "`waferline calibrate` compares every measured run with its prediction.")  # fmt: skip
        source_line(trust.sources_of_runs(row["id"] for row in load_measurements("measured")))
        return
    found = trust.choices(accuracy)
    with ask.controls_row():
        choice = ask.pick(
            "Predicted", found, key="predicted", default=found[0], name=lambda each: each.label, width=352
        )
        splits = trust.splits(accuracy, choice)
        split = ask.pick("By a fit that", splits, key="split", default=splits[0], name=_split_words)
    study = trust.study(accuracy, choice, split, cache.catalogue().chips.values())
    answer(place, study.answer, study.conditions)
    points = study.marks["points"]
    figure(picture.figure(_frame(points), choice.metric, ink(theme())), key="trust_figure", alt=study.answer)
    table(study.table.replace({"left_out_by": LEFT_OUT}), ERRORS, alt=study.question)
    below_figure(study, key="trust")
    _details(study, choice.metric, trust.group_table(accuracy.summary))
    offer_download("trust", lambda: accuracy.predictions)


def _split_words(split: str) -> str:
    return "had not seen the run" if split == trust.SPLITS[0] else "had seen it"


def _frame(value: object) -> pd.DataFrame:
    return value if isinstance(value, pd.DataFrame) else pd.DataFrame()


def _details(study: Study, shown: Metric, groups: pd.DataFrame) -> None:
    """Below the figure: worst cases by name, every group, rows set aside, and what is not covered."""
    st.subheader("Furthest off", anchor=False)
    off = _frame(study.marks["worst"])
    names = {key: unbroken(_name(key)) for key in {*off["model"], *off["hardware"]}}
    named = off.assign(off=off["error"], model=off["model"].map(names), hardware=off["hardware"].map(names))
    table(named, _worst_columns(shown), alt="Runs furthest from their prediction")
    st.subheader("Not covered", anchor=False)
    st.markdown("\n".join(f"- {_first_up(str(each))}." for each in _texts(study.marks["not_covered"])))
    with st.expander("Every group", type="compact", key="every_group"):
        table(groups, (Column(name="quantity", header="Quantity"), *ERRORS), alt="Errors of every group")
    aside = _frame(study.marks["set_aside"])
    with st.expander("Runs set aside", type="compact", key="set_aside"):
        if aside.empty:
            st.caption("None.")
        else:
            table(aside, SET_ASIDE, alt="Rules by which runs are set aside")


def _texts(value: object) -> Sequence[object]:
    return value if isinstance(value, tuple) else ()


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _name(key: str) -> str:
    """A model or machine by its name where the catalogue knows the key."""
    known = cache.catalogue()
    record = known.architectures.get(key) or known.chips.get(key)
    return record.name if record else key


def _worst_columns(shown: Metric) -> tuple[Column, ...]:
    return (
        Column(name="model", header="Model"),
        Column(name="hardware", header="Machine"),
        Column(name="engine", header="Engine"),
        Column(name="row_id", header="Run"),
        Column(name="measured", header="measured", shown=shown.format),
        Column(name="predicted", header="model says", shown=shown.format),
        Column(name="off", header="off", shown=lambda value: f"{100 * value:+.0f} %", strong=True),
    )
