"""The sentences about speeds that may hold speculation."""

from __future__ import annotations

import pandas as pd

from analysis.sentences import shortest_of

CONDITIONS = (
    "Published speeds of one stream over predictions without speculation; vendor and independent figures kept apart. "
    "What a source leaves open is computed both ways."
)
ASSUMED = (
    "devices not disclosed: the fewest that hold the model and twice as many; dataflow machines also a whole rack",
    "context not disclosed: 128 and 8,192 tokens",
    "format not disclosed: the model's native one, and FP8",
    "one user alone on the machine: a hosted endpoint shares it, so its own speed may be higher",
    "kernels as old as the law: faster ones look like speculation here",
)
RELAYED = "Relayed figures are marked by who measured, not by who relayed"
SIDES = {"high": "fastest reading", "low": "slowest reading", "bound": "bound that no reading exceeds"}
BEYOND = 1.25  # above this, a speed is outside what the law's own error explains


def answer(known: pd.DataFrame) -> str:
    """How many speeds no prediction reaches, with the range of tokens a step that would."""
    if known.empty:
        return "No published speed of an SRAM machine can be compared here."
    over = known[known["tau_low"] > BEYOND]
    if over.empty:
        return f"All {len(known)} published speeds of SRAM machines are within reach without speculation."
    span = f"{over['tau_low'].min():.2g} to {over['tau_high'].max():.2g}"
    return shortest_of(
        f"{len(over)} of {len(known)} published speeds of SRAM machines exceed every prediction without speculation, "
        f"by {span} times.",
        f"{len(over)} of {len(known)} published speeds need speculation or newer kernels: {span} tokens a step.",
    )


def devices(fewest: int, most: int, *, stated: bool) -> str:
    """The count used: "4", "fewest 16, also 32"."""
    return f"{fewest:,}" if stated or fewest == most else f"not said: {fewest:,} to {most:,}"


def verdict(low: float, high: float, least: float) -> str:
    """What a published speed says about drafts."""
    if least > 1:
        return f"speculates: at least {least:.2g} tokens a step at any count computed"
    if low > BEYOND:
        return f"drafts or newer kernels: {low:.2g} to {high:.2g}"
    if high < 1 / BEYOND:
        return "slower than predicted without drafts"
    return "within the prediction without drafts"


def untold(reason: str) -> str:
    """Why a published speed cannot be compared."""
    if "no entry" in reason:
        return "not testable: the model's architecture is not published"
    return f"not testable: {reason.rstrip('.')}" if reason else "not testable: no law for this machine"
