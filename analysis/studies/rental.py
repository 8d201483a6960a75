"""What a chip costs to rent: the middle of the dated on-demand prices that the catalogue holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from data.catalogue.edited import edits_of
from data.records import Chip, Price
from data.sources import Source

RENTAL_UNIT = "chip-hour"
ON_DEMAND = "on-demand"
OWN = "rental_usd_per_hour"


@dataclass(frozen=True, kw_only=True)
class Rental:
    """A rental price and how firm it is.

    usd_per_hour   median of the prices, for one device
    low, high      the cheapest and the dearest of them
    count          how many there are; 0 for a price that the person put in
    """

    usd_per_hour: float
    low: float
    high: float
    count: int
    sources: tuple[Source, ...]

    def words(self, name: str) -> str:
        """The price and its spread: "H200 $6.87 an hour, median of 3 on-demand prices from $3.50 to $7.91"."""
        if not self.count:
            return f"{name} ${self.usd_per_hour:.2f} an hour, your own price"
        spread = f", median of {self.count} on-demand prices from ${self.low:.2f} to ${self.high:.2f}"
        return f"{name} ${self.usd_per_hour:.2f} an hour" + (spread if self.count > 1 else ", one on-demand price")


def rental_of(chip: Chip, prices: Sequence[Price]) -> Rental | None:
    """The rental price of a chip; None where nobody printed an on-demand one. Spot and reserved rates are left out.

    A price that the person put in stands before all others.
    """
    if (own := dict(edits_of(chip)).get(OWN)) is not None:
        return Rental(usd_per_hour=own, low=own, high=own, count=0, sources=chip.facts[OWN].sources)
    found = [p for p in prices if p.chip_key == chip.key and _is_on_demand(p)]
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


def _is_on_demand(price: Price) -> bool:
    return price.unit == RENTAL_UNIT and price.currency == "USD" and ON_DEMAND in price.note
