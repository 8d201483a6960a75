"""Energy of tokens by hand, its idle share, and the check from below."""

from __future__ import annotations

import pytest

from analysis.figures import energy as picture
from analysis.figures.style import ink
from analysis.models.energy import energy_from_work
from analysis.studies import energy
from analysis.studies.requests import Request
from analysis.study import Slot, Study
from analysis.workload import Workload
from data.catalogue.accuracy_files import load_accuracy
from data.catalogue.catalogue import load_catalogue

KNOWN = load_catalogue()
WORK = Workload(
    architecture=KNOWN.architecture("llama-3.1-8b"), context_tokens=2048, sequences=16, weight_format="bf16",
    cache_format="bf16",
)  # fmt: skip
SLOTS = tuple(
    Slot(place=at, chip=KNOWN.chips[key], device_count=count)
    for at, (key, count) in enumerate([("h100-sxm", 1), ("wse-3", None), ("groq-lpu-v1", None)])
)


def study(duty: float = 1.0, work: Workload = WORK) -> Study:
    return energy.study(work, SLOTS, Request(duty_fraction=duty))


def test_a_wafer_that_waits_nine_hours_of_ten_takes_eight_times_as_much() -> None:
    """It idles at 80 % of its power and serves at all of it: 0.1 + 0.9 x 0.8 = 0.82 of the power over all hours for a
    tenth of the tokens, 8.2 times the energy; 0.72 / 0.82 = 88 % of it idling."""
    busy, idle = study().table.iloc[1], study(0.1).table.iloc[1]
    assert idle["energy_j_per_token"] / busy["energy_j_per_token"] == pytest.approx(8.2)
    assert idle["idle_energy_fraction"] == pytest.approx(0.72 / 0.82)
    assert idle["serving_j_per_token"] == pytest.approx(busy["energy_j_per_token"])


def test_without_idle_hours_nothing_idles() -> None:
    assert list(study().table["idle_energy_fraction"]) == [0.0, 0.0, 0.0]


def test_power_over_speed_is_the_energy_of_a_token() -> None:
    row = study().table.iloc[0]
    assert row["energy_j_per_token"] == pytest.approx(row["serving_power_w"] / row["output_tokens_per_s"])


def test_idle_power_is_what_the_paper_measured() -> None:
    """A CS-3 rated 23 kW idles at 80 % of it, 18.4 kW."""
    row = study().table.iloc[1]
    assert row["idle_power_w"] / row["device_count"] == pytest.approx(0.8 * 23e3)


def test_work_by_hand() -> None:
    """10 GB at 45 pJ a byte are 0.45 J, 1 TFLOP at 0.375 pJ is 0.375 J."""
    assert energy_from_work(10e9, 1e12, 45e-12, 0.375e-12) == pytest.approx(0.825)


def test_a_lone_token_reads_the_model_once() -> None:
    """One user, no prompt to speak of: 8.03 G parameters less 0.53 G of embedding, 2 B each, are 15 GB; 2 FLOP each
    are 15 GFLOP."""
    alone = Workload(architecture=WORK.architecture, context_tokens=1, weight_format="bf16", cache_format="bf16")
    read, work = energy.work_of_token(alone, KNOWN.chips["h100-sxm"], Request(answer_tokens=1e9))
    assert read == pytest.approx(15.0e9, rel=0.01)
    assert work == pytest.approx(15.0e9, rel=0.01)


def test_no_machine_is_below_the_floor() -> None:
    """Bytes and arithmetic alone cannot take more than the whole machine at its plug."""
    assert (study().table["over_floor"] > 1).all()


def test_measured_energies_stand_beside_their_prediction() -> None:
    accuracy = load_accuracy()
    assert accuracy is not None
    found = energy.study(WORK, SLOTS, Request(), accuracy.predictions)
    points = found.marks["points"]
    assert len(points) > 80  # type: ignore[arg-type]
    assert any("measured runs lie" in each for each in found.remarks)


@pytest.mark.parametrize("duty", [1.0, 0.1])
def test_answers_are_short_and_figures_draw(duty: float) -> None:
    found = study(duty, Workload(architecture=KNOWN.architecture("glm-4.6"), context_tokens=8192, sequences=32))
    assert len(found.answer) <= 130
    assert found.arithmetic() is not None
    picture.figure(found, ink("light"))
    picture.figure(study(duty), ink("dark"))
