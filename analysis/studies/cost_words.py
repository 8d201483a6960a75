"""The sentences of the cost page: what is cheapest, against what is asked, and how firm the prices are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.metrics import metric
from analysis.plans import GPU_ENGINE
from analysis.studies.compare_words import nothing_serves, tokens
from analysis.studies.rental import Rental
from analysis.studies.requests import Request
from analysis.study import rows_of, short_name
from analysis.workload import Workload
from data.catalogue.token_prices import TokenPrice
from data.records import Chip

Row = Mapping[Any, Any]
BLENDED = "blended_usd_per_million_tokens"


def usd(value: float) -> str:
    """A cost of a million tokens: "$1.20"."""
    return metric("cost_usd_per_million_tokens").format(value).split("/")[0]


def answer(workload: Workload, request: Request, table: pd.DataFrame, asked: pd.DataFrame, target: float) -> str:
    """The cheapest that is fast enough, against the cheapest price list, in at most 130 characters."""
    model = workload.architecture.name
    served = [row for row in rows_of(table) if row["feasible"]]
    if not served:
        return nothing_serves(f"{model} with {tokens(workload.context_tokens)} in", table)
    priced = [row for row in served if not math.isnan(row[BLENDED])]
    if not priced:
        return f"Nobody prints an hourly price of any of these; {model} has no cost here until you put one in."
    fast = [row for row in priced if row["fast_enough"]]
    best = min(fast or priced, key=lambda row: float(row[BLENDED]))
    cost = f"{best['slot']} at {usd(float(best[BLENDED]))} a million tokens"
    first = f"Cheapest for {model}: {cost}"
    if not fast:
        return f"{first}, but none with a price reaches {target:,.0f} tok/s per user."
    if asked.empty:
        return f"{first}; no provider's price for it is known here."
    low, high = float(asked["blended_usd"].min()), float(asked["blended_usd"].max())
    span = usd(low) if math.isclose(low, high) else f"{usd(low)} to {usd(high)}"
    return f"{first}; providers ask {span}."


def conditions(workload: Workload, request: Request, chip: Chip) -> str:
    """Lengths, users, occupancy and how the price is divided, in one line."""
    thinking = f", {tokens(request.thinking_tokens)} thinking" if request.thinking_tokens else ""
    cached = f" ({100 * request.cached_fraction:.3g} % cached)" if request.cached_fraction else ""
    users = "one user" if workload.sequences == 1 else f"{workload.sequences:,.0f} users at once"
    return (
        f"Blended over {tokens(workload.context_tokens)} in{cached}{thinking} and {tokens(request.answer_tokens)} out, "
        f"{users}, {workload.format_words(chip)}, busy {100 * request.duty_fraction:.3g} % of paid hours. "
        "Speeds with prompts read in between; Compare has decode alone. Modelled, not measured; dated rental prices."
    )


def reaches(pair: tuple[float, str], target: float) -> str:
    """Whether a slot is fast enough, in words."""
    speed, reason = pair
    if math.isnan(speed):
        return str(reason).rstrip(".")
    return "yes" if speed >= target else f"{target / speed:.3g} × too slow"


def row_header(row: Row) -> str:
    """Words above a row's marks."""
    if not row["feasible"]:
        return f"<b>{row['slot']}</b>  does not serve it"
    if math.isnan(row[BLENDED]):
        allowed = float(row.get("break_even_usd_per_hour", math.nan))
        more = "" if math.isnan(allowed) else f", break-even ${allowed:,.2f}"
        return f"<b>{row['slot']}</b>  no printed price{more}"
    return f"<b>{row['slot']}  {usd(float(row[BLENDED]))}</b> a million tokens"


def remarks(
    rentals: Sequence[Rental | None], chips: Sequence[Chip], published: Sequence[TokenPrice]
) -> tuple[str, ...]:
    """How firm every price is."""
    named = [(rental, short_name(chip)) for rental, chip in zip(rentals, chips, strict=True)]
    said = dict.fromkeys(rental.words(name) if rental else f"{name}: nobody prints a price" for rental, name in named)
    dates = sorted({each.date for each in published})
    lists = f"Price lists of {len(published)} providers as of {', '.join(dates)}" if published else ""
    return tuple(filter(None, (*said, lists)))


def assumptions(workload: Workload, request: Request, table: pd.DataFrame) -> tuple[str, ...]:
    """The rules of the division, and what the engine took for granted."""
    about: dict[str, list[str]] = {}
    for row in rows_of(table):
        for part in filter(None, (each.strip() for each in str(row["assumed"]).split(";"))):
            about.setdefault(part, []).append(str(row["slot"]))
    engine = (part if len(slots) == len(table) else f"{', '.join(slots)}: {part}" for part, slots in about.items())
    unread = [str(row["slot"]) for row in rows_of(table) if row["feasible"] and row["answer_share"] >= 1]
    return (
        "a request's price is divided between prompt and answer by the time either takes on the machine; thinking "
        "is charged as answer",
        "a cached token costs nothing on the machines compared, and "
        f"{100 * request.cached_price_fraction:.3g} % of an input token in the price lists",
        *(
            [f"{', '.join(unread)}: no law for prompts is known, all of the price falls on the answer"]
            if unread
            else []
        ),
        f"GPUs serve with {GPU_ENGINE}",
        *engine,
    )
