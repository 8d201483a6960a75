"""What a chip costs to rent or to buy: dated prices as somebody printed them, how firm they are, and their middle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from data.catalogue.edited import edits_of
from data.records import Chip, Price
from data.sources import Source

RENTAL_UNIT, PURCHASE_UNIT = "chip-hour", "unit (purchase)"
ON_DEMAND = "on-demand"
OWN, OWN_PURCHASE = "rental_usd_per_hour", "price_usd"
# What kind of price a note says it is, the first that it names.
TIERS = (
    "capacity-block", "1yr-commit", "3yr-commit", "marketplace", "community", "enterprise-contract", "flex-start",
    "preemptible", "spot", ON_DEMAND,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Rental:
    """A price and how firm it is.

    usd_per_hour   median of the prices, for one device
    low, high      the cheapest and the dearest of them
    count          how many there are; 0 for a price that the person put in or chose
    offer          the dated price that was chosen, None for a median or a price of the person's own
    """

    usd_per_hour: float
    low: float
    high: float
    count: int
    sources: tuple[Source, ...]
    offer: Price | None = None

    def words(self, name: str) -> str:
        """The price and its spread: "H200 $6.87 an hour, median of 3 on-demand prices from $3.50 to $7.91"."""
        return f"{name} ${self.usd_per_hour:,.2f} an hour, {self.firmness()}"

    def short(self) -> str:
        """The same in a few words, for a table: "median of 3", "AWS 2026-08"."""
        if self.offer is not None:
            return f"{self.offer.provider} {self.offer.date}"
        return f"median of {self.count}" if self.count > 1 else "one price" if self.count else "your own"

    def firmness(self) -> str:
        """Where the price comes from and how firm it is."""
        if self.offer is not None:
            return offer_words(self.offer)
        if not self.count:
            return "your own price"
        if self.count == 1:
            return "one on-demand price"
        return f"median of {self.count} on-demand prices from ${self.low:.2f} to ${self.high:.2f}"


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """A purchase price of one device, its range and how firm it is."""

    usd: float
    low: float
    high: float
    firmness: str
    sources: tuple[Source, ...]


def rental_of(chip: Chip, prices: Sequence[Price]) -> Rental | None:
    """The rental price of a chip; None where nobody printed an on-demand one. Spot and reserved rates are left out.

    A price that the person put in, or chose from the dated ones, stands before all others.
    """
    offers = offers_of(chip, prices)
    own = dict(edits_of(chip)).get(OWN)
    if own is not None:
        chosen = next((each for each in offers if math.isclose(each.amount, own)), None)
        sources = (chosen.source,) if chosen else chip.facts[OWN].sources
        return Rental(usd_per_hour=own, low=own, high=own, count=0, sources=sources, offer=chosen)
    found = [price for price in offers if tier_of(price) == ON_DEMAND]
    if not found:
        return None
    amounts = [price.amount for price in found]
    return Rental(
        usd_per_hour=median(amounts),
        low=min(amounts),
        high=max(amounts),
        count=len(amounts),
        sources=tuple(dict.fromkeys(price.source for price in found)),
    )


def purchase_of(chip: Chip, prices: Sequence[Price]) -> Purchase | None:
    """What one device costs to buy: the person's own figure, else the median of dated ones, else the catalogue's."""
    own = dict(edits_of(chip)).get(OWN_PURCHASE)
    offers = offers_of(chip, prices, PURCHASE_UNIT)
    chosen = next((each for each in offers if own is not None and math.isclose(each.amount, own)), None)
    if own is None and offers:
        amounts = [each.amount for each in offers]
        middle, sources = median(amounts), tuple(dict.fromkeys(each.source for each in offers))
        words = offer_words(offers[0]) if len(offers) == 1 else f"median of {len(offers)} prices, {_least_firm(offers)}"
        return Purchase(usd=middle, low=min(amounts), high=max(amounts), firmness=words, sources=sources)
    value = own if own is not None else chip.price_usd
    if value is None:
        return None
    plain = "your own price" if own is not None else chip.price_note or "as the catalogue has it"
    source = (chosen.source,) if chosen else chip.facts[OWN_PURCHASE].sources
    return Purchase(
        usd=value, low=value, high=value, firmness=offer_words(chosen) if chosen else plain, sources=source
    )  # fmt: skip


def offers_of(chip: Chip, prices: Sequence[Price], unit: str = RENTAL_UNIT) -> list[Price]:
    """Dated prices of exactly this chip in USD, the cheapest first."""
    found = [each for each in prices if each.chip_key == chip.key and each.unit == unit and each.currency == "USD"]
    return sorted(found, key=lambda each: (each.amount, each.provider, each.date))


def tier_of(price: Price) -> str:
    """What kind of rental price it is, as its note says: on-demand, spot, reserved; "" where it does not say."""
    said = price.note.lower()
    return next((tier for tier in TIERS if tier in said), "")


def is_estimate(price: Price) -> bool:
    """True where the price is somebody's estimate rather than a list or a bill."""
    said = f"{price.note} {price.provider}".lower()
    return "estimate" in said or "privately communicated" in said


def offer_words(price: Price) -> str:
    """Who asks it, when, and how firm it is: "Lambda 2026, on-demand, date not established"."""
    parts = [f"{price.provider} {price.date}", tier_of(price)]
    parts += ["an estimate"] if is_estimate(price) else []
    parts += ["date not established"] if "not established" in price.note else []
    parts += ["no public source"] if "no public source" in price.note else []
    return ", ".join(part for part in parts if part)


def _least_firm(offers: Sequence[Price]) -> str:
    """How firm the least firm of several prices is."""
    return "estimates among them" if any(is_estimate(each) for each in offers) else "none an estimate"
