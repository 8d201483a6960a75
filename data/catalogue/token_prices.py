"""What providers ask for a model's tokens: the dated prices of input and of output put together by provider."""

from __future__ import annotations

from dataclasses import dataclass

from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError
from data.records import Price
from data.sources import Source

UNIT = "1M tokens"
KINDS = ("input", "output")


@dataclass(frozen=True, kw_only=True)
class TokenPrice:
    """One provider's price list entry, USD per million tokens; `note` says how firm it is."""

    provider: str
    input_usd: float
    output_usd: float
    date: str
    note: str
    source: Source


def token_prices(catalogue: Catalogue, model_key: str) -> tuple[TokenPrice, ...]:
    """Published prices of one model, the cheapest output first; a provider without both prices is left out."""
    pairs: dict[str, dict[str, Price]] = {}
    asked = [price for price in catalogue.prices if price.unit == UNIT and price.currency == "USD"]
    names = {price.item.rpartition(" ")[0] for price in asked}
    meant = {name for name in names if _is(catalogue, name, model_key)}
    for price in asked:
        name, _, kind = price.item.rpartition(" ")
        if name in meant and kind in KINDS:
            pairs.setdefault(price.provider, {})[kind] = price
    found = [_put_together(pair["input"], pair["output"]) for pair in pairs.values() if len(pair) == len(KINDS)]
    return tuple(sorted(found, key=lambda each: (each.output_usd, each.provider)))


def _is(catalogue: Catalogue, name: str, model_key: str) -> bool:
    try:
        return catalogue.resolve_model(name).key == model_key
    except WaferlineError:
        return False


def _put_together(read: Price, made: Price) -> TokenPrice:
    return TokenPrice(
        provider=made.provider,
        input_usd=read.amount,
        output_usd=made.amount,
        date=made.date,
        note=made.note,
        source=made.source,
    )
