"""Costs of tokens by hand, by conservation of the price, and against what providers ask."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.figures import cost as picture
from analysis.figures.style import ink
from analysis.models.cost import blended_cost, cost_per_token
from analysis.studies import cost
from analysis.studies.rental import offers_of, rental_of, tier_of
from analysis.studies.requests import Request
from analysis.study import Slot, Study
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from data.catalogue.edited import edited
from data.catalogue.token_prices import token_prices

KNOWN = load_catalogue()
WORK = Workload(
    architecture=KNOWN.architecture("glm-4.6"), context_tokens=8192, sequences=32, weight_format="fp8",
    cache_format="fp8",
)  # fmt: skip
SLOTS = tuple(
    Slot(place=at, chip=KNOWN.chips[key], device_count=count)
    for at, (key, count) in enumerate([("h200-sxm", 8), ("b200-sxm", 8), ("wse-3", None), ("groq-lpu-v1", None)])
)
PLAIN = Request()
PUBLISHED = token_prices(KNOWN, "glm-4.6")


def study(request: Request = PLAIN, slots: tuple[Slot, ...] = SLOTS, **more: Any) -> Study:
    return cost.study(WORK, slots, request, prices=KNOWN.prices, published=PUBLISHED, **more)


def at_price(key: str, price: float, place: int = 0, count: int | None = 8) -> Slot:
    return Slot(place=place, chip=edited(KNOWN.chips[key], [("rental_usd_per_hour", price)]), device_count=count)


def test_cost_by_hand() -> None:
    """8 devices at $3.60 an hour that make 1,000 tokens/s: $28.80 an hour for 3.6 M tokens, $8 a million."""
    assert 1e6 * cost_per_token(3.60 / 3600, 8, 1000) == pytest.approx(8.0)


def test_cost_times_speed_is_the_price() -> None:
    """What is paid for a second of output is the price of that second, whatever the speed."""
    table = study().table.iloc[:2]
    paid = table["request_usd"] / 512 * table["output_tokens_per_s"] * 3600
    assert list(paid) == pytest.approx(list(table["device_usd_per_hour"] * 8))


def test_input_and_output_together_pay_the_request() -> None:
    row = study().table.iloc[0]
    parts = 8192 * row["input_usd_per_million_tokens"] + 512 * row["output_usd_per_million_tokens"]
    assert parts / 1e6 == pytest.approx(row["request_usd"])
    assert row["blended_usd_per_million_tokens"] == pytest.approx(1e6 * row["request_usd"] / (8192 + 512))


def test_blend_of_a_price_list_by_hand() -> None:
    """$0.50 in, $2.00 out, 800 tokens in of which half are cached at a tenth, 200 out: 400 x 0.5 + 400 x 0.05
    + 200 x 2 = 620 for 1,000 tokens, $0.62 a million."""
    assert blended_cost(0.5, 2.0, 800, 200, 0.5, 0.1) == pytest.approx(0.62)


def test_half_the_busy_hours_double_the_cost() -> None:
    full, half = study().table, study(Request(duty_fraction=0.5)).table
    name = "blended_usd_per_million_tokens"
    assert half[name].iloc[0] == pytest.approx(2 * full[name].iloc[0])


def test_a_cached_prompt_costs_no_reading() -> None:
    """With 95 % of the prompt cached 5 % of its cost is left beside that of the answer."""
    row = study(Request(cached_fraction=0.95)).table.iloc[0]
    expected = 0.05 * 8192 * row["input_usd_per_million_tokens"] + 512 * row["output_usd_per_million_tokens"]
    assert row["blended_usd_per_million_tokens"] == pytest.approx(expected / (8192 + 512))


def test_a_tuned_node_costs_about_what_providers_ask() -> None:
    """Five providers ask $0.50-0.60 in and $2.00-2.20 out for GLM-4.6; a node at list price should come within a
    factor of two of their mix, or either the speed or the division is wrong."""
    found = study()
    asked = found.marks["published"]["blended_usd"]  # type: ignore[index]
    best = found.table["blended_usd_per_million_tokens"].min()
    assert asked.min() / 2 < best < asked.max() * 2


def test_the_break_even_price_is_cheaper_by_exactly_the_saving() -> None:
    """Put the price found for the second slot into it: its mix then costs half of the first's."""
    slots = (SLOTS[0], SLOTS[2])
    allowed = float(study(slots=slots).table["break_even_usd_per_hour"].iloc[1])
    there = study(slots=(SLOTS[0], at_price("wse-3", allowed, place=2, count=None))).table
    name = "blended_usd_per_million_tokens"
    assert there[name].iloc[1] == pytest.approx(0.5 * there[name].iloc[0])
    assert there["occupancy_needed_fraction"].iloc[1] == pytest.approx(1.0)


def test_the_occupancy_needed_is_cheaper_by_exactly_the_saving() -> None:
    """A tenth of the break-even price needs a tenth of the hours."""
    slots = (SLOTS[0], SLOTS[2])
    allowed = float(study(slots=slots).table["break_even_usd_per_hour"].iloc[1])
    there = study(slots=(SLOTS[0], at_price("wse-3", allowed / 10, place=2, count=None))).table
    assert there["occupancy_needed_fraction"].iloc[1] == pytest.approx(0.1)


def test_the_break_even_holds_with_a_cache_too() -> None:
    slots, request = (SLOTS[0], SLOTS[2]), Request(cached_fraction=0.75, duty_fraction=0.5)
    allowed = float(study(request, slots).table["break_even_usd_per_hour"].iloc[1])
    there = study(request, (SLOTS[0], at_price("wse-3", allowed, place=2, count=None))).table
    name = "blended_usd_per_million_tokens"
    assert there[name].iloc[1] == pytest.approx(0.5 * there[name].iloc[0])


def test_time_to_the_answer_waits_for_the_thinking() -> None:
    """512 tokens of answer after 8,192 of thinking take 8,192 more times per token, at equal time per token."""
    found = study(Request(thinking_tokens=8192)).table.iloc[0]
    by_hand = found["ttft_s"] + (8192 + 512 - 1) * found["tpot_s"]
    assert found["time_to_answer_s"] == pytest.approx(by_hand)


def test_nobodys_price_is_no_price() -> None:
    """No hourly price of a wafer is public: no cost, but a break-even price."""
    row = study().table.iloc[2]
    assert row["blended_usd_per_million_tokens"] != row["blended_usd_per_million_tokens"]
    assert row["break_even_usd_per_hour"] > 0
    assert row["price_words"] == "nobody prints one"


def test_a_chosen_price_says_whose_it_is() -> None:
    """AWS printed $7.91 for an H200 hour in August 2026."""
    rental = rental_of(at_price("h200-sxm", 7.91).chip, KNOWN.prices)
    assert rental is not None
    assert "AWS 2026-08, on-demand" in rental.words("H200")
    own = rental_of(at_price("h200-sxm", 1.23).chip, KNOWN.prices)
    assert own is not None
    assert "your own price" in own.words("H200")


def test_a_spot_price_that_mentions_on_demand_is_spot() -> None:
    """CoreWeave's $2.46 for an H100 is "60 % off on-demand": a spot price."""
    price = next(each for each in offers_of(KNOWN.chips["h100-sxm"], KNOWN.prices) if each.amount == 2.46)
    assert tier_of(price) == "spot"


@pytest.mark.parametrize("users", [1, 1024])
def test_answers_are_short_and_figures_draw(users: int) -> None:
    found = cost.study(WORK.at(sequences=users), SLOTS, Request(thinking_tokens=4096), prices=KNOWN.prices)
    assert len(found.answer) <= 130
    assert found.arithmetic()
    picture.figure(found, ink("light"))
    picture.break_even(found, ink("dark"))


def test_nothing_that_serves_is_an_answer() -> None:
    one = (Slot(place=0, chip=KNOWN.chips["h200-sxm"], device_count=1),)
    found = study(slots=one)
    assert "fits none of these: " in found.answer
    assert found.answer.endswith(" × H200 would hold it.")
    assert found.arithmetic() == ()
    picture.figure(found, ink("light"))
    picture.break_even(found, ink("light"))
