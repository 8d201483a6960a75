"""What a token costs in money, from prices and speed."""

from __future__ import annotations

from typing import Any

import numpy as np

_TOLERANCE = 1e-9  # keeps an exact multiple whole in floating point


def cost_per_token(price_usd_per_s: Any, devices: Any, rate_token_per_s: Any) -> Any:
    """Money spent on one output token by a machine that never stops. [usd/token]

    cost = price * devices / rate

    price      what one device costs for the time it runs        [usd/s]
    devices    devices that serve one copy of the model          [1]
    rate       output tokens of all of them together             [token/s]

    Floats or arrays that broadcast; the rate must be positive. Reading the prompt is not charged apart.

    Source
    ------
    Definition: money per time over tokens per time.
    """
    return price_usd_per_s * devices / rate_token_per_s


def copies_within(budget: Any, needed: Any) -> Any:
    """How many whole copies a budget of power, money or tokens/s allows. [1]

    copies = floor(budget / needed)

    budget     what may be spent, in any unit                     [1]
    needed     what one copy takes, in the same unit              [1]

    Floats or arrays that broadcast; needed positive. A whole multiple stays whole despite rounding.

    Source
    ------
    Arithmetic.
    """
    return np.floor(budget / needed + _TOLERANCE)
