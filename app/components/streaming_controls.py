"""The controls that say what is resident, how tokens are routed and through which link the rest comes."""

from __future__ import annotations

import streamlit as st

from analysis.studies.streaming_costs import Streaming
from analysis.studies.streaming_links import Kind as LinkKind
from analysis.studies.streaming_routing import Kind, Routing, read_curve
from app.components import controls as ask
from app.components.problem import as_written, notice
from app.state import share_label
from data.errors import WaferlineError

ROUTINGS: tuple[Kind, ...] = ("even", "ranked", "own")
ROUTING_NAMES: dict[Kind, str] = {"even": "even", "ranked": "by rank", "own": "own curve"}
LINKS: tuple[LinkKind, ...] = ("built", "drive", "own")
LINK_NAMES: dict[LinkKind, str] = {"built": "as built", "drive": "NVMe drive", "own": "own figure"}
SHARES = tuple(share / 20 for share in range(21))
GIGABYTE = 1e9


def pick_streaming() -> Streaming:
    """Routing, most that is kept resident, how much of the transfer is hidden, and the link."""
    kind = ask.pick("Routing", ROUTINGS, key="routing", default="even", name=ROUTING_NAMES.__getitem__)
    routing = _routing(kind)
    limit = ask.slide(
        "Resident at most", SHARES, key="resident", default=1.0, name=share_label,
        help="Share of the experts that is kept, if more would fit.",
    )  # fmt: skip
    hidden = ask.slide(
        "Transfer hidden", SHARES, key="hidden", default=0.0, name=share_label,
        help="0 % loads an expert when it is asked for; 100 % knows all of them ahead.",
    )  # fmt: skip
    link = ask.pick("The rest comes from", LINKS, key="link", default="built", name=LINK_NAMES.__getitem__)
    own = _own_link() if link == "own" else 50.0
    return Streaming(
        routing=routing, resident_limit=limit, hidden_fraction=hidden, link=link, own_link_byte_per_s=own * GIGABYTE
    )


def _routing(kind: Kind) -> Routing:
    """The routing; a curve that cannot be read is named, and even routing shown instead."""
    if kind == "ranked":
        exponent = ask.number("Exponent", key="exponent", default=1.0, low=0.0, high=4.0, step=0.1, width=ask.NARROW)
        return Routing(kind=kind, exponent=exponent)
    if kind == "even":
        return Routing()
    text = st.text_input(
        "Visits by expert", key="visits", placeholder="812, 604, 397, …", bind="query-params", width=2 * ask.WIDE,
        help="As counted in your own traffic, in any order. Another number of experts than the model's is stretched.",
    )  # fmt: skip
    if not text:
        notice("Paste the visits of each expert; until then routing is even.")
        return Routing()
    try:
        return Routing(kind=kind, curve=read_curve(text))
    except WaferlineError as problem:
        said = as_written(problem.sentence())
        notice(f"{said[:1].upper()}{said[1:]} Routing is shown as even.")
        return Routing()


def _own_link() -> float:
    return ask.number("Link, GB/s a device", key="linkrate", default=50, low=1, high=10_000, step=10)
