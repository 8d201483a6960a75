"""The sentences of a comparison: its answer, what it holds for, and what stands beside each mark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from analysis.metrics import metric
from analysis.power_shares import kind_of, shipped_power
from analysis.sentences import shortest_of
from analysis.study import rows_of, short_name
from data.units import format_number

if TYPE_CHECKING:
    from analysis.studies.rental import Rental
    from analysis.study import Slot
    from analysis.workload import Workload
    from data.records import Chip

Row = Mapping[str, Any]  # one slot of the table
_FIRM = {
    "gpu": "Power of GPUs fitted to measurements on A100 to B200",
    "amd": "Power of AMD GPUs after one paper's MI300X",
    "wafer": "A wafer idles at 80 % of its rated power and decodes at all of it, one paper's measurement",
    "dataflow": "Power of dataflow machines after one paper's SN30",
    "deterministic": "*Estimate*: no measured power of deterministic chips, rated power all the time",
}
BINDING = {
    "memory": "memory bandwidth",
    "compute": "arithmetic",
    "latency": "kernel latency",
    "communication": "communication",
    "host": "host work",
    "capacity": "capacity",
    "queue": "queueing",
}


def tokens(count: float) -> str:
    """A context length as people say it: 8K, 200K, 1M; 1,024 tokens are 1K, round decimal counts as well."""
    for unit, letter in ((1024 * 1024, "M"), (1024, "K"), (1_000_000, "M"), (1000, "K")):
        if count >= unit and count % unit == 0:
            return f"{count // unit:.0f}{letter}"
    return f"{count:,.0f}"


def answer(workload: Workload, rows: Sequence[Row], target_token_per_s: float) -> str:
    """The answer in at most 130 characters, with its number."""
    subject = f"{workload.architecture.name} at {tokens(workload.context_tokens)}"
    served = [row for row in rows if row["feasible"]]
    at_once = [row for row in served if not is_short(row)]
    if not served:
        return nothing_serves(subject, rows)
    if not at_once:
        most = max(served, key=lambda row: float(row["running"]))
        return f"No machine here holds {workload.sequences:,.0f} users of {subject}; {most['slot']} holds {held(most)}."
    best = max(at_once, key=lambda row: float(row["tokens_per_s_per_user"]))
    speed, target = float(best["tokens_per_s_per_user"]), target_token_per_s
    if speed < target:
        head = f"None reaches {target:,.0f} tok/s per user on {subject}"
        lacks = f"{format_number(speed)}; speculation giving {format_number(target / speed)} × would do."
        return shortest_of(f"{head}. {best['slot']} comes closest at {lacks}", f"{head}; {best['slot']} makes {lacks}")
    reaching = [row for row in at_once if float(row["tokens_per_s_per_user"]) >= target]
    many = f"{len(reaching)} of {len(rows)} reach" if len(reaching) > 1 else "Only one of these reaches"
    return f"{many} {target:,.0f} tok/s per user on {subject}; {best['slot']} is fastest at {format_number(speed)}."


def is_short(row: Row) -> bool:
    """True where some of the users wait, because memory holds the caches of fewer."""
    return bool(row["binding"] == "queue")


def held(row: Row) -> str:
    """Users whose caches a machine holds at once."""
    return f"{float(row['running']):,.0f} at once"


def nothing_serves(subject: str, table: pd.DataFrame | Sequence[Row]) -> str:
    """Why nothing serves it, within a title: the fewest devices that would hold it, or what refuses all of them."""
    rows = rows_of(table) if isinstance(table, pd.DataFrame) else table
    full = [row for row in rows if row["binding"] == "capacity"]
    short = [row for row in full if not math.isnan(row["devices_needed"])]
    if not short and len(full) == len(rows):
        return f"{subject} fits none of these, and no count of their chips that was tried holds it."
    if not short:
        reason = next(str(row["reason"]) for row in rows if row["binding"] != "capacity").rstrip(".")
        head = f"{subject} runs on none of these"
        return shortest_of(f"{head}: {reason}.", f"{head}: {reason.split(':')[0]}.", f"{head}; the table says why.")
    row = min(short, key=lambda each: float(each["devices_needed"]))
    chip = str(row["slot"]).split("× ", 1)[-1]
    return f"{subject} fits none of these: {format_number(float(row['devices_needed']))} × {chip} would hold it."


def conditions(workload: Workload, slots: Sequence[Slot], rows: Sequence[Row]) -> str:
    """What the answer holds for, in one line."""
    users = "one user" if workload.sequences == 1 else f"{workload.sequences:,.0f} users at once"
    formats = workload.format_words(slots[0].chip)
    first = f"Decode, {users}, {formats}, no speculation. Cost and energy leave prompts out. Modelled, not measured."
    served = [row for row in rows if row["feasible"]]
    far = [str(row["slot"]) for row in served if row["confidence"] == "extrapolated"]
    if not far:
        return first
    return f"{first} Extrapolated from what was measured: {'all' if len(far) == len(served) else ', '.join(far)}."


_HELD = {
    "power": ("rated power", "rated_power_w"),
    "price": ("price of an hour", "price_usd_per_hour"),
    "throughput": ("output of the whole system", "output_tokens_per_s"),
}


def held_equal(equal: str, table: Sequence[Row]) -> str:
    """What is held equal, how many whole copies of each that gives, and what it leaves alone; empty as set."""
    if equal not in _HELD:
        return ""
    name, key = _HELD[equal]
    rows = [row for row in table if row["feasible"] and row["copies"] == row["copies"]]
    if not rows:
        return f" Nothing can be held equal: no {name} is known."
    most = max(float(row[key]) for row in rows)
    rates = [format_number(float(row["output_tokens_per_s_of_copies"])) for row in rows]
    each = [f"{float(row['copies']):,.0f} × ({row['slot']})" for row in rows]
    totals = "; ".join(f"{copies} {rate} tok/s" for copies, rate in zip(each, rates, strict=True))
    return (
        f" Held equal: {name}, {metric(key).format(most)}, in whole copies, which changes totals; the speed per user "
        f"does not. In all: {totals}."
    )


def binds(row: Row) -> str:
    """What limits a slot and by how much of its time; or why it has no rate."""
    if not row["feasible"]:
        return str(row["reason"]).rstrip(".")
    if is_short(row):
        return f"memory: {held(row)}, the rest wait".replace(" ", "\u00a0")
    share = float(row.get(f"share_{row['binding']}", float("nan")))
    name = BINDING.get(str(row["binding"]), str(row["binding"]))
    return name if math.isnan(share) else f"{name}, {100 * share:.0f} %".replace(" ", "\u00a0")


def row_header(row: Row) -> str:
    """Words above a mark, under 45 characters."""
    if not row["feasible"]:
        needed = float(row["devices_needed"])
        if row["binding"] != "capacity":
            return f"<b>{row['slot']}</b>  cannot serve it"
        wanted = "" if math.isnan(needed) or needed == row["device_count"] else f", {needed:,.0f} would"
        return f"<b>{row['slot']}</b>  does not fit{wanted}"
    name = BINDING.get(str(row["binding"]), str(row["binding"]))
    why = f"holds {held(row)}" if is_short(row) else f"{name} binds"
    return f"<b>{row['slot']}  {format_number(float(row['tokens_per_s_per_user']))}</b> tok/s  {why}"


def hover(model: str, row: Row) -> str:
    """The exact value, then the inputs."""
    if not row["feasible"]:
        return str(row["reason"])
    shown = ("tokens_per_s_per_user", "output_tokens_per_s", "decode_step_s", "ceiling_tokens_per_s_per_user")
    lines = [f"{metric(key).label}: {metric(key).format(float(row[key]))}" for key in shown]
    return "<br>".join([f"<b>{row['slot']}</b>", *lines, f"{model}, {binds(row)}"])


def bound_hover(row: Row) -> str:
    """What the hollow mark means."""
    key = "naive_tokens_per_s_per_user"
    return (
        f"<b>{row['slot']}</b><br>{metric(key).label}: {metric(key).format(float(row[key]))}"
        "<br>all bandwidth over the weights one token reads: no machine gets there"
    )


def assumptions(rows: Sequence[Row]) -> tuple[str, ...]:
    """What the engine took for granted, each once, with the slots it is about."""
    about: dict[str, list[str]] = {}
    for row in rows:
        for part in filter(None, (each.strip() for each in str(row["assumed"]).split(";"))):
            about.setdefault(part, []).append(str(row["slot"]))
    return tuple(part if len(slots) == len(rows) else f"{', '.join(slots)}: {part}" for part, slots in about.items())


def remarks(rentals: Sequence[Rental | None], chips: Sequence[Chip], duty_fraction: float) -> tuple[str, ...]:
    """How firm prices and energies are."""
    named = [(rental, short_name(chip)) for rental, chip in zip(rentals, chips, strict=True)]
    prices = dict.fromkeys(rental.words(name) for rental, name in named if rental)
    return (*energy_remarks(chips, duty_fraction), *prices)


def energy_remarks(chips: Sequence[Chip], duty_fraction: float) -> tuple[str, ...]:
    """What the energy column counts and how well its power is known for these kinds of machine."""
    book, kinds = shipped_power(), dict.fromkeys(kind_of(chip) for chip in chips)
    firm = [_FIRM[kind] for kind in kinds]
    busy = "serving all the time" if duty_fraction >= 1 else f"serving {100 * duty_fraction:.3g} % of the time"
    spread = f" (80 % of left-out measurements lie from {book.low_factor:.2f} to {book.high_factor:.2f} of it)"
    first = f"Modelled energy at the wall, {busy}{spread if 'gpu' in kinds else ''}"
    return (first, *firm)
