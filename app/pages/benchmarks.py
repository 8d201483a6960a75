"""Benchmarks: bring your own runs, see what was read, and how they stand to the model."""

from __future__ import annotations

import streamlit as st

from analysis.figures import benchmarks as picture
from analysis.figures.style import ink
from analysis.studies import benchmarks
from app import cache
from app.components import intake
from app.components import run_views as views
from app.components.answer import answer, answer_place
from app.components.card import theme
from app.components.page import Page
from app.components.part_of_runs import part_words, with_part
from app.components.study_view import show_study
from app.components.tables import Column, percent

PAGE = Page(
    key="benchmarks", title="Benchmarks", group="Measure", url_path="benchmarks", question=benchmarks.QUESTION, order=10
)
COLUMNS = (
    Column(name="model", header="Model"),
    Column(name="users", header="at once"),
    Column(name="input_tokens", header="in"),
    Column(name="output_tokens", header="out"),
    Column(name="measured_tokens_per_s_per_user", header="measured, tok/s per user", strong=True),
    Column(name="tokens_per_s_per_user", header="model says"),
    Column(name="residual", header="Measured against modelled"),
    Column(name="bandwidth_used_fraction", header="MBU, %", shown=percent),
)


def render() -> None:
    """Draw the page."""
    known, store = cache.catalogue(), cache.store()
    place = answer_place()
    left, right = st.columns([5, 7], gap="large")
    with left:
        files = intake.drop_place(store, known)
    with right:
        profile = views.beside_uploader(files, store, known)
    read = cache.read_runs()
    study, left_out = benchmarks.study(read.runs, known.architectures, known.chips, profile)
    if study is None:
        title, waits = views.empty_answer(len(left_out))
        answer(place, title, f"{waits} {part_words(read)}".rstrip())
    else:
        study = with_part(study, read)
        show_study(place, study, picture.figure(study, ink(theme())), COLUMNS, key="benchmarks", rows=views.some_rows)
    views.left_out_lines(left_out)
