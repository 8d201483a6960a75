"""The sentences of the scaling study: its answer, its conditions, and where more devices give less."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from analysis.machines import places_layers
from analysis.models import mesh
from analysis.parameters import Parameters, starting_parameters
from analysis.sentences import shortest_of
from analysis.studies.compare_words import tokens
from analysis.studies.scaling_parts import layer_macs
from analysis.study import Slot, rows_of, short_name
from analysis.workload import Workload
from data.records import Chip
from data.units import format_number, format_quantity

PROMPT_FIGURES = ("first_token_s", "ring_groups", "ring_alone_s", "ring_cache_byte")
FIGURES = (
    "tokens_per_s_per_user", "share_communication", "share_hop", "output_tokens_per_s",
    "output_tokens_per_s_per_device", "running", *PROMPT_FIGURES,
)  # fmt: skip
NOTICED = 0.995  # a speed below this share of another is called slower
FEW_STAGES = 2
LONGEST = 60  # characters of a reason in the table
Row = Mapping[str, Any]


def answer(workload: Workload, table: pd.DataFrame) -> str:
    """The fastest count for one stream and the one that serves most, in one sentence."""
    subject = f"{workload.architecture.name} at {tokens(workload.context_tokens)}"
    served = [row for row in rows_of(table) if not row["verdict"]]
    if not served:
        why = str(table["reason"].iloc[0]).split(";")[0].rstrip(".")
        return shortest_of(f"{subject} runs on none of these: {why}.", f"{subject} runs on none of these machines.")
    fast = max(served, key=lambda row: float(row["tokens_per_s_per_user"]))
    most = max(served, key=lambda row: float(row["output_tokens_per_s_per_device"]))
    one = f"One stream of {subject} is fastest on {fast['slot']}, {format_number(fast['tokens_per_s_per_user'])} tok/s"
    per_device = format_number(most["output_tokens_per_s_per_device"])
    return shortest_of(
        f"{one}; all streams: {most['slot']} makes most a device, {per_device}.",
        f"{one}.",
    )


def conditions(workload: Workload, chip: Chip, link_factor: float, hop_s: float | None) -> str:
    """What the answer holds for, with what was assumed of links and hops."""
    first = (
        f"Decode, {workload.format_words(chip)}, no speculation; one copy of the model over all devices. "
        "Modelled, not measured."
    )
    changed = []
    if link_factor != 1.0:
        changed.append(f"links {link_factor:g} times the catalogue's")
    if hop_s is not None:
        changed.append(f"hops of {format_quantity(hop_s, 's')}")
    return f"{first} **Assumed: {' and '.join(changed)}.**" if changed else first


def assumptions(slots: Sequence[Slot], parameters: Parameters) -> tuple[str, ...]:
    """What the figures take for granted."""
    serving = parameters.serving
    said = [
        "in all: as many users in flight as memory holds, all at the full context",
        f"between nodes {format_quantity(serving.node_link_byte_per_s, 'byte/s')} a device and a pipeline hop of "
        f"{format_quantity(serving.hop_s, 's')}, priors",
        "experts spread whole move as many bytes as experts cut: their uneven load is not modelled",
        "a prompt divided over groups: every group holds the model, nothing of the exchange is hidden",
    ]
    if any(places_layers(slot.chip) for slot in slots):
        said.append(f"{format_quantity(parameters.mesh.hop_s, 's')} from wafer to wafer, a prior")
    return tuple(said)


def refused(row: Row) -> str:
    """Why a count cannot serve, short enough for a table."""
    needed = float(row["devices_needed"])
    if str(row["reason"]).startswith("does not fit") and not math.isnan(needed):
        return f"does not fit, {needed:,.0f} would"
    reason = str(row["reason"]).split(";")[0]
    return reason if len(reason) <= LONGEST else f"{reason[:LONGEST].rsplit(' ', 1)[0]} …"


def less_lines(workload: Workload, slot: Slot, rows: Sequence[Row]) -> list[str]:
    """Counter-examples of one slot, with their numbers; empty where more always gave more."""
    served = [row for row in rows if row["place"] == slot.place and row["feasible"]]
    if not served:
        return []
    name = short_name(slot.chip)
    if places_layers(slot.chip):
        return _wider_region(workload, slot, served)
    one, together, first = (_wider_group(name, served, *kind) for kind in _KINDS)
    told = [line for drop, line in (min(one, together), first) if drop < NOTICED]
    return [line for line in [*told[:1], _more_stages(name, served)] if line]


_KINDS = (
    ("tokens_per_s_per_user", "share_communication", "for one stream"),
    ("output_tokens_per_s", "full_share_communication", "for all streams together"),
    ("prefill_s", "", "for the first token"),
)


def _wider_group(name: str, served: Sequence[Row], column: str, share: str, what: str) -> tuple[float, str]:
    """The widest drop from one group to the next wider one, and its sentence: "tp 16 is slower than tp 8"."""
    alone = [row for row in served if row["pp"] == 1 and row["dp"] == 1 and not math.isnan(row[column])]
    power = 1 if share else -1  # times are better where small
    pairs = [((more[column] / less[column]) ** power, less, more) for less, more in pairwise(alone)]
    if not pairs:
        return 1.0, ""
    drop, less, more = min(pairs, key=lambda pair: float(pair[0]))
    unit = "token/s" if share else "s"
    why = f", {100 * more[share]:.0f} % of it communication" if share else ""
    return drop, (
        f"{name}: tp {more['tp']:.0f} is slower than tp {less['tp']:.0f} {what}, "
        f"{format_quantity(more[column], unit)} against {format_quantity(less[column], unit)}{why}."
    )


def _more_stages(name: str, served: Sequence[Row]) -> str:
    """More stages of the widest group that is staged make no stream faster."""
    staged = [row for row in served if row["dp"] == 1 and row["pp"] > 1]
    widths = {row["tp"] for row in staged if row["pp"] > FEW_STAGES} or {row["tp"] for row in staged}
    group = sorted((r for r in served if r["dp"] == 1 and widths and r["tp"] == max(widths)), key=lambda r: r["pp"])
    if len(group) < 2 or group[-1]["tokens_per_s_per_user"] > group[0]["tokens_per_s_per_user"]:
        return ""
    slow, quick = (format_number(row["tokens_per_s_per_user"]) for row in (group[-1], group[0]))
    return (
        f"{name}: {group[-1]['pp']:.0f} stages of tp {max(widths):.0f} make one stream no faster than "
        f"{group[0]['pp']:.0f}, {slow} against {quick} tok/s; they hold more streams."
    )


def _wider_region(workload: Workload, slot: Slot, served: Sequence[Row]) -> list[str]:
    """Beyond the best side of a region, crossings cost more than the added cores save."""
    believed, layers = (workload.parameters or starting_parameters()).mesh, workload.architecture.layers
    side = float(mesh.best_side(believed.mac_s, layer_macs(workload), believed.crossing_s))
    best = max(served, key=lambda row: float(row["tokens_per_s_per_user"]))
    widest = max(served, key=lambda row: float(row["device_count"]))
    if widest["tokens_per_s_per_user"] >= NOTICED * best["tokens_per_s_per_user"]:
        return []
    cores = float(mesh.region_size(slot.chip.core_count or math.nan, widest["device_count"], layers))
    slow, quick = (format_number(row["tokens_per_s_per_user"]) for row in (widest, best))
    return [
        f"{short_name(slot.chip)}: a wider wafer region stops paying near P* = {side:,.0f} cores a side: "
        f"{widest['slot']} give each layer {cores**0.5:,.0f} and reach {slow} tok/s, {best['slot']} {quick}."
    ]


def beyond(table: pd.DataFrame, most: float) -> list[str]:
    """Machines of which more devices are needed than the figures show."""
    served = table[table["tokens_per_s_per_user"].notna()]
    fewest = served.groupby("place")["device_count"].min()
    return [
        f"{row['slot']}{', the fewest that hold it,' if row['device_count'] == fewest[row['place']] else ''} "
        f"lie beyond the figures: {format_number(row['tokens_per_s_per_user'])} tok/s for one stream."
        for row in rows_of(served[served["device_count"] > most])
    ]
