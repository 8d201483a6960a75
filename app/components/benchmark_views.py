"""Own runs beside the model on the page: answer, figure, table, and what is not compared."""

from __future__ import annotations

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from analysis.figures import benchmarks as picture
from analysis.figures.style import ink
from analysis.studies.benchmark_cases import LeftOut
from analysis.study import Study
from app.components.answer import answer
from app.components.card import theme
from app.components.part_of_runs import part_words, with_part
from app.components.run_views import empty_answer, left_out_lines, some_rows
from app.components.study_view import show_study
from app.components.tables import Column, percent
from data.store import Sample

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


def show(place: DeltaGenerator, study: Study | None, left_out: Sequence[LeftOut], read: Sample) -> None:
    """The comparison, or why there is none; `read` is what was taken of long files."""
    if study is None:
        title, waits = empty_answer(len(left_out))
        answer(place, title, f"{waits} {part_words(read)}".rstrip())
    else:
        study = with_part(study, read)
        show_study(place, study, picture.figure(study, ink(theme())), COLUMNS, key="benchmarks", rows=some_rows)
    left_out_lines(left_out)
