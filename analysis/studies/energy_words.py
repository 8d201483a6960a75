"""The sentences of the energy page: who takes least, what idling adds, and what the power assumed rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.metrics import metric
from analysis.plans import GPU_ENGINE
from analysis.power_shares import kind_of, shipped_power
from analysis.studies.compare_words import energy_remarks, nothing_serves, tokens
from analysis.studies.requests import Request
from analysis.study import rows_of
from analysis.workload import Workload
from data.records import Chip
from data.units import format_number

Row = Mapping[Any, Any]
ENERGY = "energy_j_per_token"
_BASIS = {
    "gpu": "fitted to measured powers",
    "amd": "one paper, MI300X",
    "wafer": "one paper, CS-3",
    "dataflow": "one paper, SN30",
    "deterministic": "nothing measured: rated × {wall}, always",
}


def answer(workload: Workload, table: pd.DataFrame) -> str:
    """Who takes least and how much more the others take, in at most 130 characters."""
    model = workload.architecture.name
    served = [row for row in rows_of(table) if row["feasible"]]
    if not served:
        return nothing_serves(f"{model} with {tokens(workload.context_tokens)} in", table)
    known = [row for row in served if not math.isnan(row[ENERGY])]
    if not known:
        return f"The power of none of these that serve {model} is known: the catalogue gives none."
    known.sort(key=lambda row: float(row[ENERGY]))
    best, worst = known[0], known[-1]
    first = f"{best['slot']} takes least, {metric(ENERGY).format(float(best[ENERGY]))} of {model}"
    if len(known) == 1:
        return f"{best['slot']} takes {metric(ENERGY).format(float(best[ENERGY]))} of {model}{_idling(best, '; ')}."
    more = format_number(float(worst[ENERGY]) / float(best[ENERGY]), 2)
    return f"{first}; {worst['slot']} takes {more} × as much{_idling(worst, ', ')}."


def _idling(row: Row, before: str) -> str:
    """What share of its energy goes into idle hours; empty where there are none."""
    share = _idle(row)
    return f"{before}{metric('idle_energy_fraction').format(share)} of it idling" if share > 0 else ""


def _idle(row: Row) -> float:
    return float(row["idle_energy_fraction"])


def conditions(workload: Workload, request: Request, chip: Chip) -> str:
    """Lengths, users, busy hours, and what is counted."""
    thinking = f", {tokens(request.thinking_tokens)} thinking" if request.thinking_tokens else ""
    users = "one user" if workload.sequences == 1 else f"{workload.sequences:,.0f} users at once"
    return (
        f"Each output token with its share of the prompt: {tokens(workload.context_tokens)} in{thinking}, "
        f"{tokens(request.answer_tokens)} out, {users}, {workload.format_words(chip)}, busy "
        f"{100 * request.duty_fraction:.3g} % of the hours, at the wall without cooling the building. "
        "Compare has decode alone. Modelled, not measured."
    )


def row_header(row: Row) -> str:
    """Words above a row's marks."""
    if not row["feasible"]:
        return f"<b>{row['slot']}</b>  does not serve it"
    if math.isnan(row[ENERGY]):
        return f"<b>{row['slot']}</b>  power not known"
    return f"<b>{row['slot']}  {format_number(float(row[ENERGY]))}</b> J a token{_idling(row, '  ')}"


def basis(chip: Chip) -> str:
    """What the power assumed of this kind of machine rests on."""
    kind = kind_of(chip)
    wall = format_number(shipped_power().shares[kind].wall_factor)
    return _BASIS[kind].format(wall=wall)


def assumptions(table: pd.DataFrame) -> tuple[str, ...]:
    """Shares of power assumed by kind, the priors of the check, and what the engine took for granted."""
    about: dict[str, list[str]] = {}
    for row in rows_of(table):
        for part in filter(None, (each.strip() for each in str(row["assumed"]).split(";"))):
            about.setdefault(part, []).append(str(row["slot"]))
    engine = (part if len(slots) == len(table) else f"{', '.join(slots)}: {part}" for part, slots in about.items())
    unread = [str(row["slot"]) for row in rows_of(table) if row["feasible"] and math.isnan(row["ttft_s"])]
    return (
        "the check from below counts 45 pJ a byte from DRAM (30 to 60), 3 from SRAM (1 to 5) and 0.375 pJ a "
        "floating-point operation (0.25 to 0.5): priors, nothing fitted; no leakage, links, hosts or supplies",
        *([f"{', '.join(unread)}: no law for prompts is known, the answer's energy alone"] if unread else []),
        f"GPUs serve with {GPU_ENGINE}",
        *engine,
    )


def remarks(chips: Sequence[Chip], request: Request, points: pd.DataFrame) -> tuple[str, ...]:
    """How firm the powers are, and how far measured energies lie from their prediction."""
    shares = shipped_power().shares
    idle = {kind_of(chip): shares[kind_of(chip)].idle_share for chip in chips}
    said = ", ".join(f"{kind} {100 * share:.3g} %" for kind, share in idle.items())
    off = points["error"].abs() if len(points) else None
    runs = () if off is None else (
        f"{len(points)} measured runs lie {100 * float(off.median()):.0f} % from their prediction in the median, "
        "each with its source left out of the fit",
    )  # fmt: skip
    return (*energy_remarks(chips, request.duty_fraction), f"Idle power assumed, of the rated: {said}", *runs)
