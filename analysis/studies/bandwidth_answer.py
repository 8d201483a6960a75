"""The bandwidth study's answer in words."""

from __future__ import annotations

import math

import pandas as pd

from analysis.sentences import joined, token_words, users_words
from analysis.workload import Workload
from data.records import Chip
from data.units import format_number, format_quantity

MOST_SEQUENCES = 65_536  # the search for a batch ends here
BITS_PER_BYTE, WIDEST_BITS = 8, 32


def answer_to(table: pd.DataFrame, workload: Workload, target: float, solve_for: str) -> str:
    """One sentence of at most 130 characters with the number in it."""
    model, speed = workload.architecture.name, format_quantity(target, "token/s")
    counted = [(_chip_words(row), row) for _, row in table.iterrows()]
    if solve_for == "devices":
        needed = format_quantity(float(table["required_byte_per_s"].iloc[0]), "byte/s")
        parts = [f"{format_number(row['solution'])} × {chip}" for chip, row in counted]
        return joined(f"{speed} per user on {model} reads {needed}: as much as ", parts, last=" or ")
    if solve_for == "rate":
        parts = [f"{_short(row['solution'])} on {row['slot']}" for _, row in counted]
        parts[0] = f"{format_quantity(counted[0][1]['solution'], 'token/s')} per user on {counted[0][1]['slot']}"
        return joined(f"Bandwidth alone bounds {model} to ", parts, count_rest=False)
    texts = {"width": _bits, "batch": _users}
    if solve_for == "context":
        limit = workload.architecture.max_context_tokens or math.inf
        parts = [f"{_context(row['solution'], limit)} on {row['slot']}" for _, row in counted]
    else:
        parts = [f"{texts[solve_for](row['solution'])} on {row['slot']}" for _, row in counted]
    heads = {
        "width": f"{speed} per user on {model} leaves a weight ",
        "context": f"{speed} per user on {model} holds up to a context of ",
        "batch": f"{speed} per user on {model} holds for ",
    }
    return joined(heads[solve_for], parts, count_rest=False)


def _chip_words(row: pd.Series) -> str:
    return str(row["slot"]).split(" × ", 1)[1]


def _short(value: float) -> str:
    return format_quantity(value, "token").rsplit("\u00a0", 1)[0]


def _bits(value: float) -> str:
    if math.isnan(value):
        return "nothing"
    bits = value * BITS_PER_BYTE
    return f"over {WIDEST_BITS} bits" if bits > WIDEST_BITS else f"{format_number(bits)} bits"


def _context(value: float, limit: float) -> str:
    if value >= limit:
        return "its limit"
    return "nothing" if math.isnan(value) else format_quantity(float(math.floor(value)), "token")


def _users(value: float) -> str:
    if math.isnan(value):
        return "nobody"
    return f"{value:,.0f} users and more" if value >= MOST_SEQUENCES else users_words(value)


def conditions_of(workload: Workload, chip: Chip) -> str:
    """What the answer holds for."""
    context = token_words(workload.context_tokens)
    return (
        f"Decode, {users_words(workload.sequences)} at {context} of context, {workload.format_words(chip)}, no "
        "speculation. Bandwidth alone, every device reading at its datasheet rate: a bound, not a prediction."
    )
