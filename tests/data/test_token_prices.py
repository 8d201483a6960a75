"""Published token prices, put together by provider."""

from __future__ import annotations

from data.catalogue.catalogue import load_catalogue
from data.catalogue.token_prices import token_prices


def test_input_and_output_of_a_provider_stand_together() -> None:
    """Together's packaged price list of 2026-11-30: GLM-4.6 at $0.60 in and $2.20 out."""
    found = {each.provider: each for each in token_prices(load_catalogue(), "glm-4.6")}
    assert (found["Together"].input_usd, found["Together"].output_usd) == (0.6, 2.2)
    assert found["Together"].date == "2026-11-30"
    assert found["Together"].source.title


def test_the_cheapest_stands_first() -> None:
    found = token_prices(load_catalogue(), "llama-3.3-70b")
    assert [each.output_usd for each in found] == sorted(each.output_usd for each in found)


def test_a_model_that_nobody_sells_has_no_price() -> None:
    assert token_prices(load_catalogue(), "opt-175b") == ()
