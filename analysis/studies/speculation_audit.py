"""Do published speeds of machines that hold weights on chip need speculation, and how many tokens a step?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.case_table import ReadRow, read_rows
from analysis.engine import Case, evaluate
from analysis.explain import explain
from analysis.models.accuracy import accepted_tokens_needed
from analysis.studies import speculation_audit_words as words
from analysis.study import Step, Study, short_name
from data.catalogue.catalogue import Catalogue
from data.catalogue.measurement_files import block_of, load_blocks
from data.sources import Source

QUESTION = "Do the published speeds of SRAM machines need speculation?"
BLOCKS = ("sram", "sramx")
METRIC = "decode_tps_per_user"
EXECUTIONS = ("mesh", "deterministic", "dataflow")
CONTEXTS = (128.0, 8192.0)  # tokens, where the source says none: nearly empty, and a long chat
MORE = 2  # times the fewest devices, where the source gives no count
OTHER_FORMAT = "fp8"  # beside the native format, where the source gives none
SAME = ("hardware", "model", "evidence", "source_date", "value")  # one announcement told twice
FIGURES = (
    *(f"{side}_tokens_per_s_per_user" for side in ("low", "high", "bound")),
    *("tau_low", "tau_high", "tau_at_least"),
)
Row = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published speed of one user, and the case it states."""

    row: Row
    read: ReadRow

    @property
    def speed(self) -> float:
        """As published. [token/s]"""
        return float(self.row["value"])


def study(rows: Sequence[Row], catalogue: Catalogue) -> Study:
    """Published speeds against predictions without speculation. [tokens a step]

    rows   rows of the measured table, as text; those of the blocks and metric above are used

    What a source leaves open (devices, context, format) is computed both ways, so a prediction is a range and so is
    tau = measured / predicted. Against the loosest bound that any reading allows, tau is at least measured / bound.

    Table: one row a published speed, vendor and others never joined; rows that no law or model answers have no range.
    """
    published = _published(rows, catalogue)
    table = pd.DataFrame([_line(one, own) for one, own in zip(published, _answers(published), strict=True)])
    known = table[table["low_tokens_per_s_per_user"].notna()] if len(table) else table
    return Study(
        question=QUESTION,
        answer=words.answer(known),
        conditions=words.CONDITIONS,
        table=table,
        steps=tuple(_steps(known)),
        sources=_sources(published),
        assumptions=words.ASSUMED,
        remarks=(words.RELAYED,),
    )


def _published(rows: Sequence[Row], catalogue: Catalogue) -> list[Published]:
    known, chips = catalogue.chip_names(), catalogue.chips.values()
    on_chip = {chip.key for chip in chips if chip.execution in EXECUTIONS}
    mine = [
        row
        for row in rows
        if block_of(row["id"]) in BLOCKS and row["metric"] == METRIC and row["hardware"] in known
        if catalogue.chip(row["hardware"]).key in on_chip
    ]
    kept = list({tuple(row[name] for name in SAME): row for row in reversed(mine)}.values())[::-1]
    read = read_rows([dict(row) for row in kept], catalogue)
    return [Published(row=row, read=one) for row, one in zip(kept, read, strict=True)]


def _answers(published: Sequence[Published]) -> list[pd.DataFrame]:
    """Answered readings of every published speed; two calls to the engine in all."""
    readings = [(at, case) for at, one in enumerate(published) for case in _readings(one)]
    if not readings:
        return [_none() for _ in published]
    needed = evaluate([case for _, case in readings])["devices_needed"].to_list()
    variants = [
        (at, variant)
        for (at, case), fewest in zip(readings, needed, strict=True)
        for variant in _counted(published[at], case, fewest)
    ]
    table = evaluate([case for _, case in variants]) if variants else _none()
    table["of"] = [at for at, _ in variants]
    table = table[table["tokens_per_s_per_user"].notna()]
    return [table[table["of"] == at] for at in range(len(published))]


def _none() -> pd.DataFrame:
    return pd.DataFrame({"tokens_per_s_per_user": pd.Series(dtype=float)})


def _readings(one: Published) -> list[Case]:
    """Decode steps of one user in the contexts and formats that the source leaves open."""
    case, row = one.read.case, one.row
    if case is None:
        return []
    said = float(row["input_tokens"]) + float(row["output_tokens"] or 0) / 2 if row["input_tokens"] else None
    formats = (case.weight_format,) if row["weight_format"] else (case.weight_format, OTHER_FORMAT)
    base = replace(case, concurrency=1.0, output_tokens=0.0)
    contexts = (said,) if said else CONTEXTS
    return [replace(base, input_tokens=tokens, weight_format=name) for tokens in contexts for name in formats]


def _counted(one: Published, case: Case, fewest: float) -> list[Case]:
    """A reading with the stated count; else with the fewest devices, twice as many, and one rack of them."""
    if one.row["device_count"]:
        return [case]
    if not np.isfinite(fewest):
        return []
    rack = case.chip.scale_up_device_count if case.chip.execution == "dataflow" else None
    counts = {int(fewest), MORE * int(fewest)} | ({rack} if rack and rack > fewest else set())
    return [replace(case, device_count=count) for count in sorted(counts)]


def _line(one: Published, own: pd.DataFrame) -> dict[str, object]:
    row = one.row
    said: dict[str, object] = {
        "row_id": row["id"],
        "machine": short_name(one.read.case.chip) if one.read.case else row["hardware"],
        "model": row["model"],
        "date": row["source_date"],
        "by": row["evidence"],
        "speculative": row["speculative"],
        "measured_tokens_per_s_per_user": one.speed,
    }
    if own.empty:
        return said | dict.fromkeys(FIGURES, np.nan) | {"devices": "", "verdict": words.untold(one.read.reason)}
    return said | _range(one, own)


def _range(one: Published, own: pd.DataFrame) -> dict[str, object]:
    """Slowest and fastest prediction, the loosest bound, and what the published speed asks of each."""
    speed, read = own["tokens_per_s_per_user"], own["read_bound_tokens_per_s_per_user"]
    bounds = np.fmin(own["ceiling_tokens_per_s_per_user"].to_numpy(), read.to_numpy())
    values = (float(speed.min()), float(speed.max()), float(np.nanmax(bounds)))
    slow, fast, least = (float(accepted_tokens_needed(one.speed, each)) for each in values)
    fewest, most = int(own["device_count"].min()), int(own["device_count"].max())
    figures = dict(zip(FIGURES, (*values, fast, slow, least), strict=True))
    devices = words.devices(fewest, most, stated=bool(one.row["device_count"]))
    return figures | {"devices": devices, "verdict": words.verdict(fast, slow, least)}


def _steps(known: pd.DataFrame) -> list[Step]:
    """The first independent figure against both ends of its prediction and against its bound."""
    if known.empty:
        return []
    row = known.sort_values("by", kind="stable").iloc[-1 if known["by"].eq("vendor").all() else 0]
    return [
        explain(
            accepted_tokens_needed,
            subject=f"{row['machine']}, {row['model']}, {row['date']}, against the {side}",
            measured_token_per_s=float(row["measured_tokens_per_s_per_user"]),
            predicted_token_per_s=float(row[f"{name}_tokens_per_s_per_user"]),
        )
        for name, side in words.SIDES.items()
    ]


def _sources(published: Sequence[Published]) -> tuple[Source, ...]:
    """Documents of the speeds used."""
    known = load_blocks()
    found = [known[block_of(one.row["id"])].references[one.row["source"]] for one in published]
    return tuple(dict.fromkeys(found)) or (Source(title="No published speed is at hand", kind="measurement"),)
