"""A claim about cost where one price is missing: the price at which it would come true."""

from __future__ import annotations

import math

from analysis.claims.machine import Answered, Served, serve
from analysis.claims.verdict import Asked, Verdict, documents
from analysis.claims.words import share_text, speed_text
from analysis.explain import explain
from analysis.models import claims as arithmetic
from analysis.models.cost import cost_per_token
from analysis.scales import HOUR_S, MILLION, YEAR_S
from analysis.study import Step, short_name

PURCHASE = "unit (purchase)"


def break_even(asked: Asked) -> Verdict:
    """Cheaper by a share than another machine: what a device hour may cost, and what must be sold of it."""
    saving, chip, other = asked.positive("claimed_fraction"), asked.chip(), asked.chip("other")
    prompt, made = asked.positive("context_tokens"), asked.positive("generated_tokens")
    mine, theirs = _kept_full(asked, prompt, made, node := int(asked.positive("other_count")))
    price = asked.figure(other, "rental_usd_per_hour") / HOUR_S
    cost = float(cost_per_token(price, node, theirs.total))
    allowed = float(arithmetic.break_even_price(saving, cost, mine.total, mine.count))
    steps = [
        explain(cost_per_token, subject=theirs.name, price_usd_per_s=price, devices=node,
                rate_token_per_s=theirs.total),
        explain(arithmetic.break_even_price, subject=mine.name, saving_fraction=saving, cost_usd_per_token=cost,
                rate_token_per_s=mine.total, devices=mine.count),
    ]  # fmt: skip
    said, occupancy, more = _occupancy(asked, allowed)
    return Verdict(
        kind="not testable",
        sentence=f"Not testable: nobody prints the price of a {short_name(chip)} hour. Tokens of "
        f"{mine.architecture.name} are {share_text(saving, 2)} cheaper than the ${cost * MILLION:,.2f} a million of "
        f"{theirs.name} below ${allowed * HOUR_S:,.2f} an hour and system, kept full at {speed_text(mine.total)} on "
        f"{mine.name}.{said}",
        figures={"break_even_usd_per_hour": allowed * HOUR_S, "usd_per_million": cost * MILLION, "sold": occupancy},
        steps=(*steps, *more),
        sources=(*mine.sources, *documents([other.facts.get("rental_usd_per_hour")])),
        assumed=(f"both machines kept full, {prompt:,.0f} tokens in and {made:,.0f} out",
                 f"a purchase is written off over {asked.positive('years'):g} years, power and space left out"),
    )  # fmt: skip


def _kept_full(asked: Asked, prompt: float, made: float, node: int) -> list[Answered]:
    """Both machines with as many users as they hold."""
    machines = ((asked.chip(), None), (asked.chip("other"), node))
    return serve(asked, [
        Served(model=asked.model(), chip=chip, device_count=count, context_tokens=prompt, generated_tokens=made,
               weights=asked.text("weight_format"), users="offline") for chip, count in machines
    ])  # fmt: skip


def _occupancy(asked: Asked, allowed_usd_per_s: float) -> tuple[str, float, tuple[Step, ...]]:
    """What must be sold of the full rate at an assumed price, in words, as a share, and the arithmetic."""
    price = _hourly(asked)
    if price is None:
        return "", math.nan, ()
    prices = {"price_usd_per_s": price / HOUR_S, "break_even_usd_per_s": allowed_usd_per_s}
    share = float(arithmetic.occupancy_needed(**prices))
    sold = f" At an assumed ${price:,.0f}, {share_text(share, 2)} of the full rate would have to be sold"
    step = explain(arithmetic.occupancy_needed, subject="At the assumed price", **prices)
    return sold + (": it cannot." if share > 1 else "."), share, (step,)


def _hourly(asked: Asked) -> float | None:
    """An estimated purchase price spread over the years; None where the catalogue has none. [usd/hour]"""
    found = [price for price in asked.catalogue.prices_of(asked.chip().key) if price.unit == PURCHASE]
    return found[0].amount / (asked.positive("years") * YEAR_S / HOUR_S) if found else None
