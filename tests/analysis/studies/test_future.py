"""The tornado of a chip's figures against Amdahl's law, and edited chips against the catalogue's."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.engine import evaluate
from analysis.figures.future import figure
from analysis.figures.style import ink
from analysis.plans import served_case
from analysis.studies import future
from analysis.study import Slot
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from data.catalogue.edited import edited, is_another_machine

KNOWN = load_catalogue()
WORK = Workload(
    architecture=KNOWN.architecture("glm-4.6"), context_tokens=8192, weight_format="fp8", cache_format="fp8"
)


def slot_of(key: str, count: int | None = 8, **edits: float) -> Slot:
    return Slot(place=0, chip=edited(KNOWN.chip(key), list(edits.items())), device_count=count)


def rows(slot: Slot, **more: Any) -> dict[str, dict[str, Any]]:
    study = future.study(WORK, slot, KNOWN.chips[slot.chip.key], prices=KNOWN.prices, **more)
    return {row["figure"]: row for row in study.table.to_dict("records")}


def test_bandwidth_moves_speed_by_amdahls_law() -> None:
    """A step of T with the share m in memory takes T (1 - m + m / 1.2) with 20 % more bandwidth; with m = 11.5 % that
    is 0.9808 T, 1.96 % faster; with 20 % less, T (1 - m + m / 0.8) = 1.0288 T, 2.8 % slower."""
    slot = slot_of("h200-sxm")
    memory = float(evaluate([served_case(WORK, slot)])["share_memory"].iloc[0])
    found = rows(slot)["memory bandwidth"]
    assert found["more_change"] == pytest.approx(1 / (1 - memory + memory / 1.2) - 1, rel=1e-3)
    assert found["less_change"] == pytest.approx(1 / (1 - memory + memory / 0.8) - 1, rel=1e-3)


def test_a_figure_that_does_not_bind_moves_nothing() -> None:
    """Power and price are in no law of speed."""
    found = rows(slot_of("h200-sxm"))
    assert found["power"]["reach"] == 0.0
    assert found["price of an hour"]["reach"] == 0.0
    assert found["power"]["verdict"] == "no effect by itself"


def test_the_largest_effect_stands_first() -> None:
    study = future.study(WORK, slot_of("wse-3", None), KNOWN.chips["wse-3"])
    assert list(study.table["reach"]) == sorted(study.table["reach"], reverse=True)


def test_the_price_moves_the_cost_of_a_token_one_to_one() -> None:
    found = rows(slot_of("h200-sxm"), effect="cost_usd_per_million_tokens", step_fraction=0.5)["price of an hour"]
    assert found["more_change"] == pytest.approx(0.5)
    assert found["less_change"] == pytest.approx(-0.5)


def test_power_moves_the_energy_of_a_token_one_to_one() -> None:
    found = rows(slot_of("h200-sxm"), effect="energy_j_per_token", step_fraction=0.1)["power"]
    assert found["more_change"] == pytest.approx(0.1)


def test_too_little_memory_is_an_answer() -> None:
    """One H200 does not hold 353 GB; the study says so, and has no speed to compare."""
    study = future.study(WORK, slot_of("h200-sxm", 1), KNOWN.chips["h200-sxm"])
    assert "does not hold" in study.answer
    assert study.table["reach"].max() == 0.0
    figure(study, ink("light"))


def test_the_answer_of_an_edited_chip_names_the_change_against_the_catalogue() -> None:
    """Four times the bandwidth: Amdahl with m = 11.52 % gives 1 / (1 - 0.1152 x 0.75) = 1.0946."""
    slot = slot_of("h200-sxm", bandwidth_byte_per_s=4 * 4.8e12)
    answer = future.study(WORK, slot, KNOWN.chips["h200-sxm"]).answer
    assert "(edited)" in answer
    assert "9.5 % more than 8 × H200 on" in answer
    assert len(answer) <= 130


def test_the_next_wafer_needs_half_as_many() -> None:
    """GLM-4.6 in FP8 takes 11 wafers of 44 GB; 88 GB each hold it on 5 or 6, as the last one need not be full."""
    chip = future.next_wafer(KNOWN.chip("wse-3"))
    assert is_another_machine(chip)
    plain, doubled = (
        float(evaluate([served_case(WORK, Slot(place=0, chip=each, device_count=None))])["devices_needed"].iloc[0])
        for each in (KNOWN.chip("wse-3"), chip)
    )
    assert plain == 11
    assert doubled in (5, 6)
    study = future.study(WORK, Slot(place=0, chip=chip, device_count=None), KNOWN.chip("wse-3"))
    assert any("Hypothetical" in each for each in study.remarks)


@pytest.mark.parametrize("key", ["h200-sxm", "wse-3", "groq-lpu-v1", "mi300x", "dgx-spark-gb10"])
@pytest.mark.parametrize("effect", future.EFFECTS)
def test_every_kind_of_machine_has_a_tornado(key: str, effect: future.Effect) -> None:
    slot = slot_of(key, None)
    study = future.study(WORK, slot, slot.chip, effect=effect, prices=KNOWN.prices)
    assert len(study.answer) <= 130
    drawn = figure(study, ink("dark"))
    assert len([each for each in drawn["data"] if each["type"] == "bar" and each["y"] != [None]]) == 2 * len(
        study.table
    )
    assert study.arithmetic() is not None
