"""What a published claim would mean: its figure solved for what it takes for granted.

All arguments are floats or arrays that broadcast, and pint quantities alike.
"""

from __future__ import annotations

from typing import Any


def layers_in_a_token(rate_token_per_s: Any, layer_s_per_token: Any) -> Any:
    """Decoder layers that one stream can pass between two tokens. [1]

    layers = 1 / (rate * layer)

    rate    speed of one stream                    [token/s]
    layer   time of one layer for one token        [s/token]

    Floats or arrays that broadcast, both positive. Crossings between devices are not taken off.

    Source
    ------
    Layers run one after the other for a single stream.
    """
    return 1.0 / (rate_token_per_s * layer_s_per_token)


def mesh_peak(cores: Any, lanes: Any, clock_hz: Any, mac_flop: Any = 2.0) -> Any:
    """Dense arithmetic rate of a mesh of equal cores. [FLOP/s]

    peak = cores * lanes * mac * clock

    cores   cores at work                                       [1]
    lanes   multiply-accumulates of one core in a cycle         [1]
    clock   cycles a second                                     [1/s]
    mac     arithmetic of one multiply-accumulate               [FLOP]

    Floats or arrays that broadcast.

    Source
    ------
    Counting.
    """
    return cores * lanes * mac_flop * clock_hz


def width_that_fits(memory_byte: Any, weight_fraction: Any, weights: Any) -> Any:
    """Widest weight with which all weights fit into a share of a memory. [B]

    width = weight_fraction * memory / weights

    memory            memory there is                       [B]
    weight_fraction   share of it that weights may take     [1]
    weights           weights of the model, their number    [1]

    Floats or arrays that broadcast, weights positive. Eight bits are one byte; scales count as part of the width.

    Source
    ------
    Counting.
    """
    return weight_fraction * memory_byte / weights


def weights_at_width(weights: Any, width_byte: Any) -> Any:
    """Memory that so many weights take. [B]

    taken = weights * width

    weights   weights, their number              [1]
    width     one weight, scales included        [B]

    Floats or arrays that broadcast.

    Source
    ------
    Counting.
    """
    return weights * width_byte


def cache_at_length(context_tokens: Any, entry_byte_per_token: Any) -> Any:
    """Cache of one sequence whose layers all keep every token. [B]

    cache = context * entry

    context   tokens in the sequence                            [token]
    entry     keys and values of one token, all layers          [B/token]

    Floats or arrays that broadcast.

    Source
    ------
    Pope et al. (2022), arXiv 2211.05102, section 2.
    """
    return context_tokens * entry_byte_per_token


def cache_entry(layers: Any, kv_heads: Any, head_width: Any, element_byte_per_token: Any, vectors: Any = 2.0) -> Any:
    """Keys and values that one token leaves in all layers. [B/token]

    entry = vectors * layers * kv_heads * head_width * element

    layers       layers that keep a cache                     [1]
    kv_heads     heads in the cache                           [1]
    head_width   elements of one head                         [1]
    element      bytes of one element of one token            [B/token]
    vectors      2: a key and a value                         [1]

    Floats or arrays that broadcast.

    Source
    ------
    Ainslie et al. (2023), arXiv 2305.13245 (grouped queries); counting.
    """
    return vectors * layers * kv_heads * head_width * element_byte_per_token


def room_for_each(room_tokens: Any, users: Any) -> Any:
    """Tokens of context that each user has if all share the room alike. [token]

    each = room / users

    room    tokens of cache that fit in all       [token]
    users   sequences held at once                [1]

    Floats or arrays that broadcast, users positive.

    Source
    ------
    Counting.
    """
    return room_tokens / users


def hop_share(wafers: Any, hop_s: Any, step_s: Any) -> Any:
    """Share of the time between two tokens that is spent between devices in line. [1]

    share = (wafers - 1) * hop / step

    wafers   devices in line                              [1]
    hop      latency from one to the next                 [s]
    step     time between two tokens, hops included       [s]

    Floats or arrays that broadcast, wafers at least 1, step positive.

    Source
    ------
    Counting: a line of N devices has N - 1 crossings.
    """
    return (wafers - 1.0) * hop_s / step_s


def hop_for_share(share: Any, wafers: Any, step_s: Any) -> Any:
    """Latency of a hop that makes the hops a given share of the time between two tokens. [s]

    hop = share * step / (wafers - 1)

    share    share of the time spent between devices         [1]
    wafers   devices in line, more than one                  [1]
    step     time between two tokens, hops included          [s]

    Floats or arrays that broadcast.

    Source
    ------
    The share of the hops solved for the hop.
    """
    return share * step_s / (wafers - 1.0)


def break_even_price(saving_fraction: Any, cost_usd_per_token: Any, rate_token_per_s: Any, devices: Any) -> Any:
    """What one device may cost while it runs so that its tokens are cheaper by a share. [usd/s]

    price = (1 - saving_fraction) * cost * rate / devices

    saving_fraction   share by which a token must be cheaper            [1]
    cost              cost of a token on the machine compared with      [usd/token]
    rate              output tokens of all devices together             [token/s]
    devices           devices that serve one copy                       [1]

    Floats or arrays that broadcast, devices positive.

    Source
    ------
    Cost of a token solved for the price.
    """
    return (1.0 - saving_fraction) * cost_usd_per_token * rate_token_per_s / devices


def occupancy_needed(price_usd_per_s: Any, break_even_usd_per_s: Any) -> Any:
    """Share of its full rate that a machine must sell to break even. [1]

    occupancy = price / break_even

    price        what one device costs while it runs                        [usd/s]
    break_even   what it may cost if every token of its full rate is sold   [usd/s]

    Floats or arrays that broadcast, break_even positive. Above 1 it cannot break even.

    Source
    ------
    Definition.
    """
    return price_usd_per_s / break_even_usd_per_s
