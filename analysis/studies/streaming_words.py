"""The streaming study in words: the answer, what it holds for, what it takes for granted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.plans import GPU_ENGINE
from analysis.sentences import none_serve, shortest_of, token_words, users_words
from analysis.studies.streaming_costs import Held, Streaming
from analysis.study import rows_of
from analysis.workload import Workload
from data.records import Chip
from data.units import format_quantity

ALL = 1.0 - 1e-9


def share_words(share: float) -> str:
    """A share that may be close to all: "71 %", "99.56 %", "99.997 %"."""
    if math.isnan(share):
        return "–"
    digits = 0 if share < 0.99 or share >= ALL else 2 if share < 0.9999 else 3
    return f"{100 * share:.{digits}f} %"


def answer_to(table: pd.DataFrame, workload: Workload, target: float) -> str:
    """One sentence: the fastest slot, what it holds, and what the target would need."""
    known = [row for row in rows_of(table) if not math.isnan(row["tokens_per_s_per_user"])]
    if not known:
        return none_serve("None of these machines can stream this model", table["verdict"])
    best = max(known, key=lambda row: float(row["tokens_per_s_per_user"]))
    speed, model = format_quantity(best["tokens_per_s_per_user"], "token/s"), workload.architecture.name
    if best["resident_fraction"] >= ALL:
        return _all_held(f"{best['slot']} holds all of {model}: {speed} per user", known)
    held = f"with {share_words(best['resident_fraction'])} resident"
    if best["tokens_per_s_per_user"] >= target:
        return f"{best['slot']} streams {model} at {speed} per user {held}, over the {target:,.0f} asked for."
    head = f"Streaming {model}, {best['slot']} comes to {speed} per user {held}"
    if best["resident_tokens_per_s_per_user"] < target:
        whole = format_quantity(best["resident_tokens_per_s_per_user"], "token/s")
        return shortest_of(
            f"{head}, {whole} with all of it: short of {target:,.0f}.", f"{head}, {whole} with all of it."
        )
    needed = share_words(best["hit_needed_fraction"])
    return shortest_of(
        f"{head}; {target:,.0f} needs a hit rate of {needed}, it has {share_words(best['hit_fraction'])}.",
        f"{head}; {target:,.0f} needs a hit rate of {needed}.",
        f"{head}.",
    )


def _all_held(head: str, known: Sequence[Mapping[str, Any]]) -> str:
    """That the fastest machine streams nothing, beside the fastest that has to."""
    streamed = [row for row in known if row["resident_fraction"] < ALL]
    if not streamed:
        return f"{head}; nothing has to be streamed."
    next_best = max(streamed, key=lambda row: float(row["tokens_per_s_per_user"]))
    other = format_quantity(next_best["tokens_per_s_per_user"], "token/s")
    return shortest_of(f"{head}; {next_best['slot']} has to stream and comes to {other}.", f"{head}.")


def verdict(one: Held, share: float) -> str:
    """What a machine holds, or why nothing can be said."""
    if one.refusal:
        return one.refusal
    if share >= ALL:
        return "holds everything"
    kind = "layers" if one.whole_layers else "experts"
    more = f"; {one.plan.needed:,.0f} hold all" if not math.isnan(one.plan.needed) else ""
    return f"{share_words(share)} of the {kind}{more}"


def hits_title(parts: str, table: pd.DataFrame) -> str:
    """The title of the second figure: what the resident experts (or layers) catch."""
    known = [row for row in rows_of(table) if not math.isnan(row["hit_fraction"])]
    if not known:
        return f"Visits that the most popular {parts} catch"
    row = known[0]
    return (
        f"{row['slot']}: {share_words(row['resident_fraction'])} of the {parts} resident, "
        f"{share_words(row['hit_fraction'])} of the bytes a token meets"
    )


def conditions_of(workload: Workload, chip: Chip, streaming: Streaming) -> str:
    """What the answer holds for."""
    routing = streaming.routing
    kinds = {
        "even": "even routing",
        "ranked": f"routing by rank, exponent {routing.exponent:g}",
        "own": f"own routing curve of {len(routing.curve):,} experts",
    }
    return (
        f"Decode, {users_words(workload.sequences)} at {token_words(workload.context_tokens)} of context, "
        f"{workload.format_words(chip)}, {kinds[routing.kind]}, {100 * streaming.hidden_fraction:.0f} % of the "
        "transfer hidden. A bound for the link, a model for the step; not measured."
    )


def assumed_of(workload: Workload, streaming: Streaming) -> tuple[str, ...]:
    """What the figures take for granted."""
    said = [
        f"GPUs serve with {GPU_ENGINE}",
        "attention, shared parts, tables and cache are resident first; then the most popular experts, as many in every "
        "layer, and they stay",
        "missing experts move to the device that needs them; none is computed on the host",
        "the link reaches its full rate; packet headers and small transfers leave less",
        "devices that share a layer load their slices at once; a stream on wafers waits for the one wafer it is in",
        "the step itself meets as many experts as even routing would",
    ]
    if not workload.architecture.is_mixture:
        said.append("a model without experts meets all its layers with every token: the hit rate is the resident share")
    if streaming.routing.kind == "ranked":
        said.append("the exponent is an assumption, not fitted to this model's routing")
    return tuple(said)
