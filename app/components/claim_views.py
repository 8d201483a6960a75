"""The parts of the Claims page: the list and the claim that is open, published speeds, and claims of one's own."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.claims.figures import figure_of
from analysis.claims.verdict import KINDS, Verdict
from analysis.figures import speculation_audit as tau_picture
from analysis.figures.style import ink
from analysis.studies import claims, speculation_audit
from analysis.study import Study, short_name
from app import own_entries
from app.components import controls as ask
from app.components.answer import answer
from app.components.card import below_figure, figure, theme
from app.components.long_list import long_list
from app.components.tables import Column, plain_table, table, three_digits, unbroken
from app.exhibits import keep_study, keep_table
from app.own_entries import Stamp
from app.state import offer_download
from data.catalogue.claim_files import Claim
from data.catalogue.edited import figure_name
from data.catalogue.measurement_files import load_measurements

HEADERS = {"key": "Claim", "verdict": "Verdict", "says": "Says", "printed": "As printed", "document": "Where"}
REPORTED = {**HEADERS, "sentence": "What the arithmetic says"}
COLUMNS = tuple(Column(name=name, header=header) for name, header in REPORTED.items())
FACTORS = (0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
SPEEDS = (
    Column(name="model", header="Model"),
    Column(name="date", header="Published"),
    Column(name="by", header="By"),
    Column(name="measured_tokens_per_s_per_user", header="published, tok/s per user", strong=True),
    Column(name="low_tokens_per_s_per_user", header="model, slowest"),
    Column(name="high_tokens_per_s_per_user", header="fastest"),
    Column(name="tau_low", header="tokens a step, from", shown=three_digits),
    Column(name="tau_high", header="to", shown=three_digits),
    Column(name="devices", header="Devices"),
    Column(name="verdict", header="Says"),
)
ANYBODY = "anybody"


@lru_cache(maxsize=2)
def _judged(folder: str, stamp: Stamp) -> claims.Judged:
    merged = own_entries.merged()
    return claims.judged(merged.claims, merged.catalogue)


def judged() -> claims.Judged:
    """Every claim with its verdict, computed anew when an own entry has changed."""
    return _judged(str(own_entries.own_folder()), own_entries.own_stamp())


def articles(place: DeltaGenerator) -> None:
    """The list of claims with their verdicts, then one of them with its arithmetic."""
    every = judged()
    documents = list(dict.fromkeys(claim.document for claim, _ in every))
    by_key = {claim.key: (claim, verdict) for claim, verdict in every}
    with ask.controls_row():
        document = ask.pick("Said in", [claims.ALL, *documents], key="said_in", default=claims.ALL)
        kind = ask.pick("Verdict", [claims.ALL, *KINDS], key="verdict", default=claims.ALL)
        opened = ask.pick("Open", list(by_key), key="claim", default=next(iter(by_key)), width=2 * ask.WIDE,
                          name=lambda key: f"{key}: {by_key[key][0].says}")  # fmt: skip
    study = claims.study(every, document=document, kind=kind)
    answer(place, study.answer, study.conditions)
    shown = study.table[list(HEADERS)].rename(columns=HEADERS)
    if shown.empty:
        st.caption("No claim of this kind in this article.")
    else:
        opens = list(study.table["key"])
        long_list(shown, key="claim_list", alt=study.question, opens=opens, into="claim", wide=("Says",))
        keep_table(study.question, tuple(REPORTED), lambda: plain_table(study.table, COLUMNS, study.question))
    keep_study("claims_list", study)
    open_claim(*by_key[opened])
    offer_download("claims", lambda: study.table)


def open_claim(claim: Claim, verdict: Verdict) -> None:
    """One claim: what is said, the verdict, its arithmetic, and what it would be if a figure were another."""
    study = claims.one(claim, verdict)
    st.header(f"{claim.key}: {claim.says}", anchor=False)
    printed = f"Printed as {claim.printed}. " if claim.printed else ""
    st.caption(
        f"{printed}{claim.source.title}{', ' + claim.at if claim.at else ''}{'. Own claim, not reviewed' * claim.own}"
    )
    st.markdown(f"**{verdict.sentence}**")
    if claim.fields:
        _what_if(claim)
    below_figure(study, key="claims")


def _figure_label(path: str) -> str:
    """ "chips.wse-3.core_count" as "WSE-3, core count"."""
    key, _, name = path.partition(".")[2].rpartition(".")
    known = own_entries.catalogue()
    if chip := known.chips.get(key):
        return f"{short_name(chip)}, {figure_name(name)}"
    model = known.architectures.get(key)
    return f"{model.name if model else key}, {figure_name(name)}"


def _what_if(claim: Claim) -> None:
    """The verdict again, with one figure of the catalogue changed."""
    known = own_entries.catalogue()
    fields = [field for field in claim.fields if figure_of(known, field) is not None]
    with ask.controls_row():
        field = ask.pick("If this figure", fields, key="claim_figure", default=fields[0], name=_figure_label,
                         width=2 * ask.WIDE)  # fmt: skip
        factor = ask.slide("were times", (*FACTORS[:3], 1.0, *FACTORS[3:]), key="claim_times", default=1.0,
                           name=lambda each: f"{each:g}")  # fmt: skip
    if factor != 1.0:
        st.markdown(claims.what_if(claim, known, field, factor))


@lru_cache(maxsize=2)
def _speeds(folder: str, stamp: Stamp) -> Study:
    return speculation_audit.study(load_measurements("measured"), own_entries.catalogue())


def published_speeds(place: DeltaGenerator) -> None:
    """Published speeds of machines with weights on chip, and the tokens a step they would take."""
    study = _speeds(str(own_entries.own_folder()), own_entries.own_stamp())
    machines = list(dict.fromkeys(study.table["machine"]))
    kinds = [*dict.fromkeys(study.table["by"]), ANYBODY]
    with ask.controls_row():
        machine = ask.pick("Machine", machines, key="machine", default=machines[0])
        kind = ask.pick("Published by", kinds, key="by", default=kinds[0])
    answer(place, study.answer, study.conditions)
    figure(tau_picture.figure(study.table, ink(theme())), key="speculation_figure", alt=study.answer)
    chosen = study.table[
        (study.table["machine"] == machine) & study.table["by"].isin(kinds if kind == ANYBODY else [kind])
    ]
    if chosen.empty:
        st.caption(f"No speed of {machine} was published by this kind of source.")
    else:
        whole = {name: chosen[name].map(unbroken) for name in ("model", "date", "devices")}
        columns = [each for each in SPEEDS if each.name != "by" or kind == ANYBODY]
        st.subheader(f"{machine}, published by {kind} sources" if kind != ANYBODY else machine, anchor=False)
        table(chosen.assign(**whole), columns, alt=study.question)
    below_figure(study, key="audit")
    offer_download("speculation", lambda: study.table)
