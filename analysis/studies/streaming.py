"""What happens if not all weights fit: which speed is left, and what would have to be resident for more?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.models.streaming import hit_rate_needed, rate_with_hits, transfer_time
from analysis.provenance import estimates_in, sources_of
from analysis.studies import streaming_words as words
from analysis.studies.streaming_costs import Held, Streaming, held_by
from analysis.studies.streaming_links import link_words
from analysis.studies.streaming_routing import hit_fraction, met
from analysis.studies.streaming_steps import steps_of
from analysis.study import Slot, Study
from analysis.workload import Workload

QUESTION = "If not all weights fit, how fast can the rest be fetched, and what must be resident for a speed?"
FIELDS = ("memory_visible_byte", "memory_byte", "bandwidth_byte_per_s", "second_tier_bandwidth_byte_per_s")
# Closer where curves bend: at the start if few experts are popular, at the end where the last misses decide.
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96, 0.98, 0.99, 0.995, 1.0)
HALVINGS = 40


def study(
    workload: Workload, slots: Sequence[Slot], streaming: Streaming, *, target_token_per_s: float = 1000.0
) -> Study:
    """Speed of one user on every slot with what it holds resident, and what the target would need.

    Table: one row a slot with keys of `analysis.metrics`. Marks: `curves`, one row a slot and resident share with the
    speed; `hits`, the visits that the most popular experts catch; `even_routing`; `parts`, what is resident or not:
    "experts" or "layers"; `target_token_per_s`, `hits_title`.
    """
    machines = held_by(workload, slots, streaming)
    table = pd.DataFrame([_row(one, streaming, target_token_per_s) for one in machines])
    chips, parts = [slot.chip for slot in slots], "layers" if machines[0].whole_layers else "experts"
    links = [source for one in machines for source in one.link.sources]
    return Study(
        question=QUESTION,
        answer=words.answer_to(table, workload, target_token_per_s),
        conditions=words.conditions_of(workload, chips[0], streaming),
        table=table,
        steps=lambda: list(steps_of(machines, table, streaming, target_token_per_s)),
        sources=tuple(dict.fromkeys((*sources_of(workload.architecture, chips, FIELDS), *links))),
        remarks=estimates_in(chips, FIELDS),
        assumptions=words.assumed_of(workload, streaming),
        marks={
            "curves": pd.DataFrame([row for one in machines for row in _curve(one, streaming)]),
            "hits": _hits(machines[0]),
            "target_token_per_s": target_token_per_s,
            "hits_title": words.hits_title(parts, table),
            "parts": parts,
            "even_routing": streaming.routing.kind == "even",
        },
    )


def resident_share(one: Held, streaming: Streaming) -> float:
    """What is kept: as much as fits, or less where less is asked for."""
    return min(one.fits_share, streaming.resident_limit)


def _row(one: Held, streaming: Streaming, target: float) -> dict[str, object]:
    share = resident_share(one, streaming)
    row: dict[str, object] = {
        "slot": one.plan.name,
        "place": one.plan.slot.place,
        "vendor": one.plan.slot.chip.vendor,
        "device_count": one.plan.device_count,
        "devices_needed": one.plan.needed,
        "weight_byte": one.weight_byte,
        "link": link_words(one.link),
        "load_s": float(transfer_time(one.weight_byte, one.plan.device_count, one.link.byte_per_s or math.nan)),
        "resident_fraction": share,
        "verdict": words.verdict(one, share),
    }
    return row | (_blank() if one.refusal else _speeds(one, streaming, share, target))


def _speeds(one: Held, streaming: Streaming, share: float, target: float) -> dict[str, object]:
    """Speeds and hit rates of a machine that can stream."""
    hit, touched, link = one.hit_fraction(share), one.touched_byte, one.link_byte_per_s
    with np.errstate(divide="ignore"):
        bound = float(rate_with_hits(link, touched, min(hit, 1.0))) if hit < 1 else math.inf
    return {
        "tokens_per_s_per_user": 1.0 / one.step_time(share, streaming.hidden_fraction),
        "resident_tokens_per_s_per_user": 1.0 / one.step_s,
        "stream_bound_tokens_per_s_per_user": bound,
        "hit_fraction": hit,
        "hit_needed_fraction": float(hit_rate_needed(target, touched, link)),
        "resident_needed_fraction": _needed(one, streaming, target),
        "touched_byte": touched,
        "missed_byte": one.missed_byte(share),
        "outside_byte": (1.0 - share) * one.streamable_byte,
        "experts_met": met(one.parts[0].popular, one.rows),
    }


def _blank() -> dict[str, object]:
    names = ("tokens_per_s_per_user", "resident_tokens_per_s_per_user", "stream_bound_tokens_per_s_per_user")
    shares = ("hit_fraction", "hit_needed_fraction", "resident_needed_fraction")
    return dict.fromkeys((*names, *shares, "touched_byte", "missed_byte", "outside_byte", "experts_met"), math.nan)


def _needed(one: Held, streaming: Streaming, target: float) -> float:
    """Least resident share at which the machine reaches the target, by halving; nan where it never does."""

    def reached(share: float) -> bool:
        return 1.0 / one.step_time(share, streaming.hidden_fraction) >= target

    if not reached(1.0) or one.link.byte_per_s is None:
        return math.nan
    low, high = 0.0, 1.0
    for _ in range(0 if reached(0.0) else HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return 0.0 if reached(0.0) else high


def _curve(one: Held, streaming: Streaming) -> list[dict[str, object]]:
    """Speed over the resident share, with a point where the memory ends."""
    if one.refusal:
        return []
    at, plan = resident_share(one, streaming), one.plan
    shares = sorted({*SHARES, one.fits_share, at}) if one.link.byte_per_s is not None else [at]
    return [
        {
            "slot": plan.name,
            "place": plan.slot.place,
            "vendor": plan.slot.chip.vendor,
            "resident_fraction": share,
            "tokens_per_s_per_user": 1.0 / one.step_time(share, streaming.hidden_fraction),
            "hit_fraction": one.hit_fraction(share),
            "fits": share <= one.fits_share,
            "held": share == at,
        }
        for share in shares
    ]


def _hits(one: Held) -> pd.DataFrame:
    """Visits caught by the most popular experts of the first block that routes, beside even routing."""
    popular = one.parts[0].popular
    return pd.DataFrame(
        {
            "resident_fraction": SHARES,
            "caught_fraction": [hit_fraction(popular, share) for share in SHARES],
        }
    )
