"""The answer to one question: a sentence, a table, the arithmetic, and where every figure comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from data.catalogue.edited import EDITED
from data.errors import WaferlineError
from data.records import Chip
from data.sources import Source

PRESENTATION = ("row_header", "hover", "bound_hover", "marked_slot")  # markup of figures, not data
_SERIES = re.compile(r"^(?:GeForce|Instinct|Tesla|Cloud|GroqChip/GroqCard|Radeon) (?=\S)")
_CORES = re.compile(r" \((\d+-core) GPU\)")
_FORM = re.compile(r" (?:SXM\d?|\(.*\)|/ .*)(?=$| )")


def short_name(chip: Chip) -> str:
    """A chip's name without maker's series and form factor: "H200 SXM" -> "H200", "WSE-3 / CS-3" -> "WSE-3".

    A chip with figures of the person's own keeps its mark: "H200 (edited)".
    """
    mark = EDITED if chip.name.endswith(EDITED) else ""
    text = chip.name.removesuffix(EDITED).removeprefix(f"{chip.vendor} ")
    text = _FORM.sub("", _CORES.sub(r" \1", _SERIES.sub("", text))).strip()
    return (f"{chip.vendor} {text}" if text.startswith("LPU") else text) + mark


def counted(chip: Chip, device_count: int | float | None) -> str:
    """A slot in words: "8 × H200"; without a count yet "fewest × WSE-3"."""
    return f"{'fewest' if device_count is None else format(int(device_count), ',')} × {short_name(chip)}"


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries of plain values; a tenth of the time that `to_dict("records")` takes."""
    names = [str(name) for name in table.columns]
    return [dict(zip(names, values, strict=True)) for values in table.to_numpy(dtype=object).tolist()]


@dataclass(frozen=True, kw_only=True)
class Slot:
    """One machine compared: a chip and how many of it serve one copy of the model.

    place         0 to 5; gives the colour
    device_count  None stands for the fewest that hold the model
    """

    place: int
    chip: Chip
    device_count: int | None


@dataclass(frozen=True, kw_only=True)
class Step:
    """One line of arithmetic as a person would write it down.

    formula      the equation's own formula line: "ridge = peak / bandwidth"
    substituted  the same with numbers and units: "989 TFLOP/s / 4.8 TB/s"
    result       "206 FLOP/B"
    source       who published the equation
    """

    formula: str
    substituted: str
    result: str
    source: str
    subject: str = ""  # which slot or component the line is about, empty if it is about all


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a page shows. Cannot be built without a source.

    table       one row per thing compared; column names are metric keys of `analysis.metrics` or plain text columns
    conditions  what the answer holds for: formats, users, speculation, modelled or measured
    assumptions what the figures take for granted, shown with the arithmetic
    remarks     what the source line must add: estimates, how firm a price is
    marks       extra numbers for the figure alone, by name (ceilings, ridges, measured points)
    """

    question: str
    answer: str
    conditions: str
    table: pd.DataFrame
    steps: Sequence[Step] | Callable[[], Sequence[Step]]  # a function writes them out when somebody unfolds them
    sources: tuple[Source, ...]
    assumptions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    marks: dict[str, object] = field(default_factory=dict)

    def arithmetic(self) -> tuple[Step, ...]:
        """The steps, written out now."""
        return tuple(self.steps() if callable(self.steps) else self.steps)

    def download(self) -> pd.DataFrame:
        """The table as a file holds it: no wording of the page's own figures, what it answers and under what."""
        kept = self.table.drop(columns=[name for name in PRESENTATION if name in self.table])
        plain = {
            str(name): kept[name].map(lambda cell: cell.replace("\u00a0", " ") if isinstance(cell, str) else cell)
            for name in kept
            if not pd.api.types.is_numeric_dtype(kept[name])
        }
        return kept.assign(**plain, question=self.question, answer=self.answer, conditions=self.conditions)

    def __post_init__(self) -> None:
        if not self.sources:
            raise WaferlineError("a study has no source", where=self.question, remedy="Pass its sources.")
