"""Choices of the page that sets measured runs against the model: which runs, which quantity, over what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from analysis.figures import measured as picture
from analysis.figures.style import ink
from analysis.parameters import Parameters
from analysis.sentences import runs_words
from analysis.studies import measured
from analysis.studies.benchmark_cases import LeftOut, Measured
from analysis.studies.explore import Wanted, engine_of, machine_of, model_of
from analysis.studies.measured_cases import QUANTITIES, Quantity
from analysis.studies.run_names import machine_name, model_name
from analysis.study import Study
from app import cache
from app.components.card import theme
from app.components.controls import WIDE, controls_row, pick, pick_profile, switch
from app.components.intake import keep_samples
from app.components.run_views import left_out_lines
from app.components.study_view import one_part
from app.components.tables import Column, percent, unbroken
from data.records import Run
from data.store import Store

ANY = "any"
ROW_LIMIT, FEW_REASONS = 24, 3
NOTHING = "No run of yours can be set against the model yet."
WHY = (
    "A run can be compared when model, device, number of devices, load and mean time per output token are known. "
    "Bring files on Benchmarks, or try the shipped samples, whose figures are invented."
)


def columns(quantity: Quantity) -> tuple[Column, ...]:
    """The table's columns for a quantity, each figure with its unit."""
    shown = quantity.metric.format
    return (
        Column(name="model", header="Model"),
        Column(name="load", header="Load"),
        Column(name="measured", header="measured", shown=shown, strong=True),
        Column(name="modelled", header="model says", shown=shown),
        Column(name="low", header="80 % low", shown=shown),
        Column(name="high", header="high", shown=shown),
        Column(name="bandwidth_used_fraction", header="MBU, %", shown=percent),
        Column(name="compute_used_fraction", header="MFU, %", shown=percent),
        Column(name="off", header="Gap"),
    )


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The runs that meet the filters, the quantity compared, what the figure spreads them over, and a profile."""

    runs: list[Measured]
    quantity: Quantity
    over: measured.Over
    parameters: Parameters | None


def choose(runs: Sequence[Measured]) -> Chosen:
    """Read the page's controls."""
    reads: dict[str, Callable[[Run], str]] = {
        "of": model_of, "machine": machine_of, "engine": engine_of, "source": lambda run: run.source_file
    }  # fmt: skip
    known = cache.catalogue()
    named: dict[str, Callable[[str], str]] = {
        "of": lambda said: model_name(said, known.architectures),
        "machine": lambda said: machine_name(said, known.chips), "engine": str, "source": str,
    }  # fmt: skip
    names = {"of": "model"}
    said: dict[str, str] = {}
    with controls_row():
        quantity = pick("Compared", QUANTITIES, key="compared", default=QUANTITIES[0],
                        name=lambda each: each.metric.label, width=192)  # fmt: skip
        for key, read in reads.items():
            label = names.get(key, key)
            options = [ANY, *sorted({read(one.run) for one in runs})]
            chosen = pick(label.capitalize(), options, key=key, default=ANY, name=named[key], width=WIDE)
            said[label] = "" if chosen == ANY else chosen
        parameters = pick_profile()
    over = switch("Over", measured.OVERS, key="over", default=measured.OVERS[0])
    wanted = Wanted(model=said["model"], machine=said["machine"], engine=said["engine"], source=said["source"])
    held = [one for one in runs if wanted.holds(one.run)]
    return Chosen(runs=held, quantity=quantity, over=over, parameters=parameters)


def some_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """All runs of a short table; of a long one those of one machine and model, chosen from a list; gaps on one line."""
    frame = frame.assign(off=frame["off"].map(unbroken))
    return frame if len(frame) <= ROW_LIMIT else one_part(frame, ("slot", "model"), key="runs_of", label="Runs of")


def not_compared(left_out: Sequence[LeftOut]) -> None:
    """Why runs are not compared, folded where there are many reasons."""
    if len({(each.run.source_file, each.reason) for each in left_out}) <= FEW_REASONS:
        return left_out_lines(left_out)
    with st.expander(f"Not compared: {runs_words(len(left_out))}", type="compact", key="measured_left_out"):
        return left_out_lines(left_out)


def drawing(study: Study) -> dict[str, Any]:
    """The figure in the reader's theme."""
    return picture.figure(study, ink(theme()))


def samples_button(store: Store) -> None:
    """What an empty page offers: the shipped sample runs."""
    st.button("Load the sample runs", icon=":material/science:", key="sample", on_click=keep_samples,
              args=(store, cache.catalogue()))  # fmt: skip
    st.caption("Source: the runs that you keep on Benchmarks.")
