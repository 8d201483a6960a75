"""Accuracy gate: does the optimised model still compute what its reference computes?"""

from __future__ import annotations

from analysis.figures import gate as picture
from analysis.figures.style import ink
from analysis.studies import gate
from app.components.answer import answer, answer_place
from app.components.card import below_figure, figure, theme
from app.components.controls import controls_row
from app.components.gate_views import as_named, explain_empty, gate_files, thresholds, verdict_of
from app.components.page import Page
from app.components.tables import Column, table
from app.state import offer_download

PAGE = Page(key="gate", title="Accuracy gate", group="Measure", url_path="gate", question=gate.QUESTION, order=50)
SMALL, SHARE = "{:.3g}".format, "{:.6f}".format
COLUMNS = (
    Column(name="tensor", header="Tensor"),
    Column(name="verdict", header="Verdict"),
    Column(name="relative_error", header="relative error", shown=SMALL, strong=True),
    Column(name="cosine", header="cosine", shown=SHARE),
    Column(name="largest_error", header="largest error", shown=SMALL),
    Column(name="divergence_mean", header="KL, nat", shown=SMALL),
    Column(name="top1", header="top-1", shown="{:.3f}".format),
    Column(name="top5", header="top-5", shown="{:.3f}".format),
    Column(name="reference_perplexity", header="perplexity", shown=SMALL),
    Column(name="candidate_perplexity", header="optimised", shown=SMALL),
)


def render() -> None:
    """Draw the page."""
    place = answer_place()
    files = gate_files()
    if files is None:
        answer(place, "Bring two files of tensors to see whether an optimised model still agrees.", "")
        explain_empty(("the two files you bring",))
        return
    with controls_row():
        asked = thresholds(len(files.names) > 2)
    study = gate.study(verdict_of(files, asked), asked, (files.names[0], files.names[1]))
    answer(place, study.answer, study.conditions)
    figure(picture.figure(study, ink(theme())), key="gate_figure", alt=study.answer)
    table(as_named(study.table), [each for each in COLUMNS if study.table[each.name].notna().any()], alt=study.question)
    below_figure(study, key="gate")
    offer_download("gate", lambda: study.table)
