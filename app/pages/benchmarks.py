"""Benchmarks: bring your own runs, see what was read, and how they stand to the model."""

from __future__ import annotations

import streamlit as st

from analysis.studies import benchmarks
from app import cache
from app.components import intake
from app.components.answer import answer_place
from app.components.benchmark_views import show
from app.components.page import Page
from app.components.run_views import beside_uploader

PAGE = Page(
    key="benchmarks", title="Benchmarks", group="Measure", url_path="benchmarks", question=benchmarks.QUESTION, order=10
)


def render() -> None:
    """Draw the page."""
    known, store = cache.catalogue(), cache.store()
    place = answer_place()
    left, right = st.columns([5, 7], gap="large")
    with left:
        files = intake.drop_place(store, known)
    with right:
        profile = beside_uploader(files, store, known)
    read = cache.read_runs()
    study, left_out = benchmarks.study(read.runs, known.architectures, known.chips, profile)
    show(place, study, left_out, read)
