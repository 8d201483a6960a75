"""What holds for every study: a short answer, sources, steps, figures that draw; over models, machines and choices."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import pytest

from analysis.figures import bandwidth_need as bandwidth_figure
from analysis.figures import memory_fit as memory_figure
from analysis.figures import placement as placement_figure
from analysis.figures import roofline as roofline_figure
from analysis.figures.style import Ink, ink
from analysis.metrics import METRICS
from analysis.sentences import ANSWER_LENGTH
from analysis.studies import bandwidth_need, memory_fit, roofline
from analysis.study import Slot, Study
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import slots, workload

CATALOGUE = load_catalogue()
STUDIES: dict[str, tuple[Callable[[Workload, list[Slot]], Study], Callable[[Study, Ink], dict[str, Any]]]] = {
    "bandwidth_need": (bandwidth_need.study, bandwidth_figure.figure),
    "roofline": (roofline.study, roofline_figure.figure),
    "memory_fit": (memory_fit.study, memory_figure.figure),
    "placement": (memory_fit.study, lambda found, colours: placement_figure.figure(found, colours, 2)),
}
WORDS = {"slot", "place", "vendor", "verdict", "one_down", "fits", "solution", "chip", "phase", "operator",
         "number_class", "binds"}  # fmt: skip


def mixed_slots(start: int) -> list[Slot]:
    """Six machines, every chip of the catalogue's once over all starts, with all kinds of counts."""
    chips = sorted(CATALOGUE.chips.values(), key=lambda each: each.key)
    counts = (None, 1, 8, None, 3, 1000)
    return [Slot(place=at, chip=chips[(start + at) % len(chips)], device_count=counts[at]) for at in range(6)]


def check(found: Study, drawn: dict[str, Any]) -> None:
    assert len(found.answer) <= ANSWER_LENGTH, found.answer
    assert "nan" not in found.answer
    assert found.answer.endswith(".")
    assert found.sources
    # A hover label brings its own ink with its background, so it reads in both themes.
    layout = {name: value for name, value in drawn["layout"].items() if name != "hoverlabel"}
    text = json.dumps({"data": drawn["data"], "layout": layout}, allow_nan=False)
    assert "bgcolor" not in text.replace('paper_bgcolor": "rgba(0,0,0,0)', "").replace(
        'plot_bgcolor": "rgba(0,0,0,0)', "").replace('"bgcolor": "rgba(', "")  # fmt: skip
    assert set(found.table.columns) - set(METRICS) <= WORDS


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("start", range(0, len(CATALOGUE.chips), 6))
def test_every_chip_has_an_answer(name: str, start: int) -> None:
    models = sorted(CATALOGUE.architectures)
    model = CATALOGUE.architectures[models[start % len(models)]]
    asked = Workload(architecture=model, context_tokens=8192.0, sequences=4.0)
    study, figure = STUDIES[name]
    found = study(asked, mixed_slots(start))
    check(found, figure(found, ink("light")))


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize(
    ("context", "users", "formats"), [(512, 1, "bf16"), (200_000, 64, "fp8"), (1_048_576, 1024, "nvfp4")]
)
def test_every_choice_has_an_answer(name: str, context: float, users: float, formats: str) -> None:
    for model in ("glm-4.6", "deepseek-v3.2", "gpt-oss-120b", "qwen3-next-80b-a3b", "gemma-3-27b"):
        study, figure = STUDIES[name]
        found = study(workload(model, context, users, formats), slots())
        check(found, figure(found, ink("dark")))


@pytest.mark.parametrize("solve_for", ["devices", "rate", "width", "context", "batch"])
def test_every_solution_has_a_sentence(solve_for: bandwidth_need.SolveFor) -> None:
    for users in (1, 256):
        found = bandwidth_need.study(workload("glm-4.6", sequences=users), slots(), solve_for=solve_for)
        check(found, bandwidth_figure.figure(found, ink("light")))


@pytest.mark.parametrize("name", STUDIES)
def test_plotly_knows_every_entry(name: str) -> None:
    """The drawing library accepts the dict as it is, with nothing misspelt."""
    study, figure = STUDIES[name]
    drawn = figure(study(workload("glm-4.6"), slots()), ink("light"))
    go.Figure(drawn)


@pytest.mark.parametrize("name", STUDIES)
def test_height_depends_on_slots_alone(name: str) -> None:
    study, figure = STUDIES[name]
    heights = {
        figure(study(workload("glm-4.6", context, users), slots()), ink("light"))["layout"]["height"]
        for context, users in ((512, 1), (200_000, 256))
    }
    assert len(heights) == 1


@pytest.mark.parametrize("name", STUDIES)
def test_axis_titles_come_from_metrics(name: str) -> None:
    study, figure = STUDIES[name]
    drawn = figure(study(workload("glm-4.6"), slots()), ink("light"))["layout"]
    titles = [drawn[axis].get("title", {}).get("text", "") for axis in ("xaxis", "yaxis")]
    labels = [each.label for each in METRICS.values()] + ["wafer"]
    assert all(any(title.startswith(label) for label in labels) for title in titles if title)


def test_runs_are_solid_marks() -> None:
    import pandas as pd

    run = {"place": 0, "intensity_flop_per_byte": 2.0, "rate_flop_per_s": 1e12, "label": "run.json"}
    found = roofline.study(workload("glm-4.6"), slots(), runs=pd.DataFrame([run]))
    drawn = roofline_figure.figure(found, ink("light"))
    solid = [each for each in drawn["data"] if str(each.get("hovertext", "")).find("run.json") >= 0]
    assert [each["marker"]["symbol"] for each in solid] == ["circle"]
