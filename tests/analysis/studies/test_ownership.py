"""Renting against owning by hand, and the points where they meet by a second route."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.figures import ownership as picture
from analysis.figures.style import ink
from analysis.models.ownership import break_even_use, owning_cost, pay_back_time, power_cost, written_off
from analysis.studies import ownership
from analysis.studies.ownership import Terms
from analysis.studies.rental import purchase_of
from analysis.studies.requests import Request
from analysis.study import Slot, Study
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from data.catalogue.edited import edited

KNOWN = load_catalogue()
WORK = Workload(
    architecture=KNOWN.architecture("llama-3.1-8b"), context_tokens=2048, sequences=16, weight_format="bf16",
    cache_format="bf16",
)  # fmt: skip
PLAIN = Terms()
YEAR_HOURS = 8766.0


def slot(place: int = 0, key: str = "h100-sxm", **edits: float) -> Slot:
    return Slot(place=place, chip=edited(KNOWN.chips[key], list(edits.items())), device_count=1)


def study(*slots: Slot, duty: float = 1.0, terms: Terms = PLAIN) -> Study:
    return ownership.study(WORK, slots, Request(duty_fraction=duty), terms, prices=KNOWN.prices)


def test_owning_by_hand() -> None:
    """$87,660 over 10 years of 8,766 hours are $1 an hour; 2 % of it a year for 10 years make it $1.20; 1 kW at PUE 1.5
    and $0.10 a kWh is $0.15 an hour: $1.35."""
    life = 10 * YEAR_HOURS * 3600
    power = power_cost(1000, 1.5, 0.10 / 3.6e6)
    hourly = 3600 * owning_cost(written_off(87_660, life), 0.02, 10, power)
    assert hourly == pytest.approx(1.35)


def test_pay_back_by_hand() -> None:
    """$36,000 against a rent of $6 an hour and $1 an hour of running: 7,200 hours."""
    assert pay_back_time(36_000, 6 / 3600, 1 / 3600) / 3600 == pytest.approx(7200)


def test_break_even_use_by_hand() -> None:
    """$1 fixed, $0.10 idle, $0.30 serving against $4.20 rented: (1 + 0.1) / (4.2 - 0.3 + 0.1) = 27.5 %."""
    assert break_even_use(1.0, 0.1, 0.3, 4.2) == pytest.approx(0.275)


def test_at_the_break_even_use_both_bills_are_equal() -> None:
    """A second route: serve exactly that share of the hours; owning then costs what renting those hours costs."""
    use = float(study(slot()).table["break_even_use_fraction"].iloc[0])
    row = study(slot(), duty=use).table.iloc[0]
    assert row["owning_usd_per_hour"] == pytest.approx(use * row["renting_usd_per_hour"])


def test_at_the_pay_back_month_as_much_is_spent_either_way() -> None:
    found = study(slot())
    month = float(found.table["pay_back_months"].iloc[0])
    curves = found.marks["curves"]
    before = curves[curves["month"] == int(month)].iloc[0]  # type: ignore[index]
    after = curves[curves["month"] == int(month) + 1].iloc[0]  # type: ignore[index]
    assert before["owning_usd"] > before["renting_usd"]
    assert after["owning_usd"] < after["renting_usd"]


def test_a_cheap_rent_never_pays_back() -> None:
    """At $0.10 an hour the power and upkeep of an owned H100 cost more than its rent."""
    found = study(slot(rental_usd_per_hour=0.10))
    assert found.table["pay_back_months"].isna().all()
    assert "Renting is cheaper" in found.answer


def test_a_whole_system_is_priced_with_what_stands_round_it() -> None:
    """A CS-3 at an estimated $1.2 M is a whole system; servers round a GPU are 1.4 times its price."""
    wafer = study(slot(key="wse-3")).table.iloc[0]
    gpu = study(slot(price_usd=10_000.0)).table.iloc[0]
    assert wafer["purchase_usd"] == pytest.approx(1.2e6)
    assert gpu["purchase_usd"] == pytest.approx(14_000)


def test_estimates_are_called_so() -> None:
    purchase = purchase_of(KNOWN.chips["wse-3"], KNOWN.prices)
    assert purchase is not None
    assert "an estimate, no public source" in purchase.firmness
    assert "$1,200,000 to buy, estimate 2026, an estimate, no public source" in " ".join(
        study(slot(key="wse-3")).remarks
    )


def test_dearer_power_makes_owning_dearer_by_its_share() -> None:
    cheap, dear = (study(slot(), terms=replace(PLAIN, usd_per_kwh=price)).table.iloc[0] for price in (0.1, 0.2))
    assert dear["power_usd_per_hour"] == pytest.approx(2 * cheap["power_usd_per_hour"])
    assert dear["owning_usd_per_hour"] - cheap["owning_usd_per_hour"] == pytest.approx(cheap["power_usd_per_hour"])


def test_answers_are_short_and_figures_draw_without_prices() -> None:
    for found in (study(slot(), slot(1, "wse-3"), slot(2, "groq-lpu-v1")), study(slot(key="groq-lpu-v1"))):
        assert len(found.answer) <= 130
        picture.figure(found, ink("light"))
        picture.months(found, ink("dark"))
        assert found.arithmetic() is not None
