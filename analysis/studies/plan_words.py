"""The sentences of a plan search: its answer, its conditions, what binds a plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.metrics import metric
from analysis.sentences import shortest_of, users_words
from analysis.studies.compare_words import BINDING, tokens
from analysis.studies.rental import rental_of
from analysis.study import short_name
from analysis.workload import Workload
from data.records import Chip, Price
from data.units import format_number

ASSUMED = (
    "a plan is one copy of the model; copies side by side serve as much a device",
    "every user of a plan is served at once, each at the full context; plans whose users would wait are left out",
    "groups that share a layer stay inside a node, and a copy has at most four stages: wider ones gained nothing here",
    "experts spread whole move as many bytes as experts cut: their uneven load is not modelled",
    "tokens per joule count rated power; cost counts rented devices that never stop",
)
NAMED_PRICES = 4
NOTHING_SERVES = "no plan tried serves it"
Row = Mapping[str, Any]


def answer(workload: Workload, winner: Row | None, found: int, target: float, against: str, refused: str = "") -> str:
    """The plan to take, or the closest one and what it lacks; `refused` is what keeps every plan from serving."""
    subject = f"{workload.architecture.name} at {tokens(workload.context_tokens)}"
    if winner is None:
        return shortest_of(*([f"No plan serves {subject}: {refused}."] if refused else []), f"No plan holds {subject}.")
    speed = float(winner["tokens_per_s_per_user"])
    if speed < target:
        head = f"None of {found:,} plans reaches {target:,.0f} tok/s per user on {subject}"
        lacks = f"{format_number(speed)}; speculation giving {format_number(target / speed)} × would do."
        none = f"No plan reaches {target:,.0f} tok/s per user on {subject}"
        ways = [f"{first}. {winner['name']} {verb} {lacks}" for verb in ("comes to", "gives") for first in (head, none)]
        return shortest_of(*ways)
    value = f"{metric(against).format(float(winner[against]))} {_PER[against]}".strip()
    each = f"{users_words(winner['users'])} at {format_number(speed)} tok/s each"
    head = f"{subject} at {target:,.0f} tok/s per user: {winner['name']}"
    unknown = math.isnan(float(winner[against]))
    return shortest_of(
        f"{head}, {winner['spread']}, {each}" + ("." if unknown else f", {value}."),
        f"{head}, {each}" + ("." if unknown else f", {value}."),
        f"{head}, {each}.",
    )


_PER = {
    "output_tokens_per_s_per_device": "a device",
    "output_tokens_per_j": "of rated power",
    "cost_usd_per_million_tokens": "",
}


def conditions(
    asked: int, rows: Sequence[Row], winner: Row | None, target: float, formats: Sequence[tuple[str, str]]
) -> str:
    """What the answer holds for; where nothing reaches the target, how the plan named compares with the fastest."""
    listed = ", ".join(f"{w.upper()} weights with {c.upper()} KV cache" for w, c in formats)
    first = (
        f"{len(rows):,} of {asked:,} plans tried serve it: {listed}. Decode, no speculation. Modelled, not measured."
    )
    fastest = max(rows, key=lambda row: float(row["tokens_per_s_per_user"]), default=None)
    if winner is None or fastest is None or float(winner["tokens_per_s_per_user"]) >= target:
        return first
    if fastest["device_count"] <= winner["device_count"]:
        return first
    speed = format_number(float(fastest["tokens_per_s_per_user"]))
    return f"{first} Named: the smallest plan nearly as fast as the fastest, {fastest['name']} at {speed}."


def binds(row: Row) -> str:
    """What limits a plan and by how much of its time."""
    share = float(row.get(f"share_{row['binding']}", math.nan))
    name = BINDING.get(str(row["binding"]), str(row["binding"]))
    return name if math.isnan(share) else f"{name}, {100 * share:.0f} %"


def price_remarks(chips: Sequence[Chip], prices: Sequence[Price]) -> tuple[str, ...]:
    """Rental prices behind the cost, the first few by name, and what has none."""
    known = [(chip, rental) for chip in chips if (rental := rental_of(chip, prices))]
    if not known:
        return ("No rental price is known for any of these: cost is blank",)
    said = [rental.words(short_name(chip)) for chip, rental in known[:NAMED_PRICES]]
    without = len(chips) - len(known)
    more = f" and {len(known) - NAMED_PRICES} more" if len(known) > NAMED_PRICES else ""
    blank = f"; {without} chips have no rental price and no cost" if without else ""
    return (f"Rental: {'; '.join(said)}{more}{blank}",)


def far_from_measured(rows: Sequence[Row]) -> tuple[str, ...]:
    """The best plans that no measured run is like."""
    far = [str(row["name"]) for row in rows if row["confidence"] == "extrapolated"]
    return (f"Extrapolated from what was measured: {', '.join(far)}",) if far else ()
