"""What a token costs in money, from prices and speed: made, read, mixed, and with idle hours paid for."""

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

    Floats or arrays that broadcast; the rate must be positive. What reading the prompt costs is in it, not apart.

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


def idle_paid_cost(cost_usd_per_token: Any, duty_fraction: Any) -> Any:
    """Money spent on one token when the hours without work are paid for as well. [usd/token]

    paid = cost / duty_fraction

    cost            the same with a machine that never stops         [usd/token]
    duty_fraction   share of all hours in which it serves            [1]

    Floats or arrays that broadcast; duty_fraction positive.

    Source
    ------
    Definition: the price runs all hours, tokens are made in some.
    """
    return cost_usd_per_token / duty_fraction


def answer_share(decode_s: Any, generated: Any, request_s: Any) -> Any:
    """Share of a request's time that goes into its answer; the rest reads prompts or waits for them. [1]

    share = (generated - 1) * decode / request

    decode      one token of the answer, other requests' prompts left out    [s]
    generated   tokens of the answer, the first of which comes from the prompt   [1]
    request     from the request's start on the machine to its last token    [s]

    Floats or arrays that broadcast; generated at least 1.

    Source
    ------
    Our own rule: who holds the machine pays for it; published price lists name no rule.
    """
    return (generated - 1.0) * decode_s / request_s


def input_token_cost(request_usd: Any, answer_share: Any, input_tokens: Any) -> Any:
    """Money spent on reading one token of the prompt. [usd/token]

    cost = (1 - answer_share) * request / input

    request        what one request costs                     [usd]
    answer_share   share of its time that goes into answering [1]
    input          tokens of the prompt that are read         [token]

    Floats or arrays that broadcast; input positive.

    Source
    ------
    Our own rule, as for answer_share.
    """
    return (1.0 - answer_share) * request_usd / input_tokens


def output_token_cost(request_usd: Any, answer_share: Any, output_tokens: Any) -> Any:
    """Money spent on making one token of the answer. [usd/token]

    cost = answer_share * request / output

    request        what one request costs                     [usd]
    answer_share   share of its time that goes into answering [1]
    output         tokens of the answer, thinking included    [token]

    Floats or arrays that broadcast; output positive.

    Source
    ------
    Our own rule, as for answer_share.
    """
    return answer_share * request_usd / output_tokens


def blended_cost(
    input_price_usd_per_token: Any, output_price_usd_per_token: Any, input_tokens: Any, output_tokens: Any,
    cached_fraction: Any, cached_price_fraction: Any,
) -> Any:  # fmt: skip
    """Mean price of a token of a mix of input, cached input and output. [usd/token]

    blended = (read * input_price + output * output_price) / (input + output)
    read = input * (1 - cached_fraction + cached_fraction * cached_price_fraction)

    input_price             one token of the prompt that is read                     [usd/token]
    output_price            one token of the answer                                  [usd/token]
    input                   tokens of the prompt, cached ones included               [token]
    output                  tokens of the answer                                     [token]
    cached_fraction         share of the prompt found in a prefix cache              [1]
    cached_price_fraction   price of such a token over that of one that is read      [1]
    read                    tokens of the prompt, weighted by what they are charged  [token]

    Floats or arrays that broadcast; input and output not both zero.

    Source
    ------
    Arithmetic of a price list.
    """
    read = input_tokens * (1.0 - cached_fraction + cached_fraction * cached_price_fraction)
    paid = read * input_price_usd_per_token + output_tokens * output_price_usd_per_token
    return paid / (input_tokens + output_tokens)
