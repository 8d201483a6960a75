"""What a million tokens cost on each machine, read and made apart, and what would make them cheaper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.models.claims import break_even_price, occupancy_needed
from analysis.models.cost import blended_cost, cost_per_token, idle_paid_cost, input_token_cost, output_token_cost
from analysis.models.serving import request_time
from analysis.provenance import own_figures_in, sources_of
from analysis.scales import HOUR_S, MILLION
from analysis.studies import cost_words as words
from analysis.studies.cost_steps import steps_of
from analysis.studies.rental import Rental, rental_of
from analysis.studies.requests import Request, served
from analysis.study import Slot, Study, rows_of
from analysis.workload import Workload
from data.catalogue.token_prices import TokenPrice
from data.records import Price

QUESTION = "What do a million tokens cost here, and what would make them cheaper?"
FIELDS = ("memory_byte", "bandwidth_byte_per_s", "peak_bf16_flop_per_s", "link_bandwidth_byte_per_s")
OCCUPANCIES = tuple(share / 100 for share in range(5, 101, 5))
ENDS = ("low", "high")


def study(
    workload: Workload,
    slots: Sequence[Slot],
    request: Request,
    *,
    prices: Sequence[Price] = (),
    published: Sequence[TokenPrice] = (),
    target_token_per_s: float = 1.0,
    saving_fraction: float = 0.5,
) -> Study:
    """Costs of up to six slots under one kind of request, kept as busy as it says. [USD per million tokens]

    published            what providers ask for this model's tokens
    target_token_per_s   speed wanted for each user; the cheapest is looked for among those that reach it
    saving_fraction      how much cheaper than the first slot the break-even price makes the others

    A request's price is its share of the machine's hours; it is divided between prompt and answer by the time either
    takes. Table: one row a slot with keys of `analysis.metrics`. Marks: `published` (provider, input, output, blended),
    `break_even` (place, slot, occupancy, usd_per_hour), `target`.
    """
    rentals = [rental_of(slot.chip, prices) for slot in slots]
    table = _with_words(_table(workload, slots, request, rentals, target_token_per_s), request, saving_fraction)
    asked = _published(published, workload, request)
    chips = [slot.chip for slot in slots]
    return Study(
        question=QUESTION,
        answer=words.answer(workload, request, table, asked, target_token_per_s),
        conditions=words.conditions(workload, request, slots[0].chip),
        table=table,
        steps=lambda: steps_of(workload, request, table, saving_fraction),
        sources=(
            *sources_of(workload.architecture, chips, FIELDS),
            *dict.fromkeys(source for rental in rentals if rental for source in rental.sources),
            *dict.fromkeys(each.source for each in published),
        ),
        assumptions=words.assumptions(workload, request, table),
        remarks=(*own_figures_in(chips), *words.remarks(rentals, chips, published)),
        marks={
            "published": asked,
            "break_even": _curves(table, request, saving_fraction),
            "target": target_token_per_s,
            "saving": saving_fraction,
        },
    )


def _with_words(table: pd.DataFrame, request: Request, saving: float) -> pd.DataFrame:
    """The table with its break-even prices, and what stands above each row."""
    table = table.assign(**_break_even(table, request, saving))
    return table.assign(row_header=[words.row_header(row) for row in rows_of(table)])


def _table(
    workload: Workload, slots: Sequence[Slot], request: Request, rentals: Sequence[Rental | None], target: float
) -> pd.DataFrame:
    answers = served(workload, slots, request)
    hourly = np.array([rental.usd_per_hour if rental else np.nan for rental in rentals])
    count, rate = (answers[name].astype(float).to_numpy() for name in ("device_count", "output_tokens_per_s"))
    costs = _costs(workload, request, hourly, count, rate, answers["answer_share"].to_numpy(dtype=float))
    for end in ENDS:
        name = f"{end}_output_tokens_per_s"
        if name in answers:
            share = answers["answer_share"].to_numpy(dtype=float)
            moved = _costs(workload, request, hourly, count, answers[name].astype(float).to_numpy(), share)
            costs |= {f"{end}_rate_blended": moved["blended_usd_per_million_tokens"]}
    speed = answers["tokens_per_s_per_user"].astype(float)
    first = answers["ttft_s"].astype(float)
    return answers.assign(
        **costs,
        device_usd_per_hour=hourly,
        price_usd_per_hour=hourly * count,
        price_after=[rental.short() if rental else "nobody prints one" for rental in rentals],
        price_words=[rental.firmness() if rental else "nobody prints one" for rental in rentals],
        time_to_answer_s=request_time(first, answers["tpot_s"].astype(float), request.made_tokens),
        reaches=[words.reaches(row, target) for row in zip(speed, answers["reason"], strict=True)],
        fast_enough=(speed >= target).to_numpy(),
    )


def _costs(
    workload: Workload, request: Request, hourly: Any, count: Any, rate: Any, share: Any
) -> dict[str, Any]:  # fmt: skip
    """Input, output and blended cost of a million tokens, idle hours paid for. (slots,)"""
    rate = np.where(rate > 0, rate, np.nan)
    per_token = idle_paid_cost(cost_per_token(hourly / HOUR_S, count, rate), request.duty_fraction)
    whole = per_token * request.made_tokens
    reading = input_token_cost(whole, share, max(workload.context_tokens, 1.0))
    reading = np.where(share < 1, reading, np.nan)
    making = output_token_cost(whole, share, request.made_tokens)
    lengths = (workload.context_tokens, request.made_tokens, request.cached_fraction, 0.0)
    mixed = blended_cost(np.nan_to_num(reading), making, *lengths)
    return {
        "request_usd": whole,
        "input_usd_per_million_tokens": MILLION * reading,
        "output_usd_per_million_tokens": MILLION * making,
        "blended_usd_per_million_tokens": MILLION * mixed,
    }


def _break_even(table: pd.DataFrame, request: Request, saving: float) -> dict[str, Any]:
    """What one device may cost an hour to be so much cheaper than the first slot, and the hours it must serve."""
    allowed = _allowed(table, request, saving, request.duty_fraction)
    needed = occupancy_needed(table["device_usd_per_hour"].astype(float), _allowed(table, request, saving, 1.0))
    return {"break_even_usd_per_hour": allowed, "occupancy_needed_fraction": needed}


def _allowed(table: pd.DataFrame, request: Request, saving: float, duty: float) -> Any:
    """Break-even price of a device hour of every slot but the first at this occupancy. [usd/hour] (slots,)

    Whole requests are compared, cached tokens free on both machines; a machine whose prompts take more of its time
    gains more by them.
    """
    work = _paid_share(table["answer_share"].astype(float), request)
    first = float(table["request_usd"].iloc[0]) * float(work.iloc[0])
    cost = first / (request.made_tokens * work)
    count, rate = table["device_count"].astype(float), table["output_tokens_per_s"].astype(float)
    price = break_even_price(saving, cost, rate * duty, count) * HOUR_S
    return price.where(np.arange(len(table)) > 0)


def _paid_share(answer_share: Any, request: Request) -> Any:
    """Share of a request that is left when cached tokens cost nothing. (slots,)"""
    return 1.0 - request.cached_fraction * (1.0 - answer_share)


def _published(published: Sequence[TokenPrice], workload: Workload, request: Request) -> pd.DataFrame:
    """Price lists with the same mix blended in. (providers)"""
    columns = ("provider", "input_usd", "output_usd", "blended_usd", "date", "note")
    lengths = (workload.context_tokens, request.made_tokens, request.cached_fraction, request.cached_price_fraction)
    rows = [
        (each.provider, each.input_usd, each.output_usd,
         float(blended_cost(each.input_usd, each.output_usd, *lengths)), each.date, each.note)
        for each in published
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(columns)).sort_values("blended_usd", kind="stable")


def _curves(table: pd.DataFrame, request: Request, saving: float) -> pd.DataFrame:
    """Break-even price of every slot but the first over the share of hours it serves."""
    rows = [
        (row["place"], row["slot"], duty, full * duty)
        for row, full in zip(rows_of(table), _allowed(table, request, saving, 1.0), strict=True)
        if not np.isnan(full)
        for duty in OCCUPANCIES
    ]
    return pd.DataFrame(rows, columns=["place", "slot", "occupancy", "usd_per_hour"])
