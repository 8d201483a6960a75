"""A copy of a chip with figures of the person's own in it, marked so that nobody takes it for the real one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from data.catalogue.chip_files import FIELD_UNITS
from data.errors import UnknownNameError, WaferlineError
from data.records import Chip
from data.sources import Fact, Source
from data.units import format_quantity

EDITED = " (edited)"  # at the end of an edited chip's name
PRICES = ("price_usd", "rental_usd_per_hour")  # another price makes no other machine
OWN_FIGURE = "edited in this view"  # locator of a figure that the person put in
EDIT_LIMIT = len(FIELD_UNITS)
LARGEST = 1e24  # far above any figure of a device, and far below what overflows
Edits = tuple[tuple[str, float], ...]  # field of Chip and its value, in the unit that its name ends in


def edited(chip: Chip, edits: Sequence[tuple[str, float]]) -> Chip:
    """The chip with these figures instead of its own; it keeps its key and generation.

    Its name ends in "(edited)" unless only prices differ.

    edits   fields of Chip with values in SI (rental in USD an hour)

    Memory that the driver reports keeps its share of an edited memory. Raises WaferlineError for a figure that no chip
    has (with near matches), one said twice, and a value that is not above zero or not whole where it counts things.
    """
    if not edits:
        return chip
    values: dict[str, Any] = {name: _checked(chip, name, value) for name, value in edits}
    if len(values) < len(edits):
        raise WaferlineError("a figure is edited twice", where=chip.name, found=", ".join(name for name, _ in edits))
    facts = {name: _fact(chip, name, value) for name, value in values.items()}
    return replace(
        chip,
        name=chip.name if values.keys() <= set(PRICES) else chip.name.removesuffix(EDITED) + EDITED,
        facts={**chip.facts, **facts},
        **(_visible(chip, values) | values),
    )


def edits_of(chip: Chip) -> Edits:
    """The figures in which a chip differs from the catalogue's, as `edited` takes them."""
    return tuple((name, float(fact.value)) for name, fact in chip.facts.items() if fact.at == OWN_FIGURE)


def is_another_machine(chip: Chip) -> bool:
    """True where a figure of the machine itself was edited, so that nothing measured on the real one holds for it."""
    return chip.name.endswith(EDITED)


def figure_name(field: str) -> str:
    """A field's name as people say it: "bandwidth_byte_per_s" is "bandwidth", "peak_fp8_flop_per_s" "peak fp8"."""
    for ending in ("_byte_per_s", "_flop_per_s", "_op_per_s", "_usd_per_hour", "_usd", "_byte", "_w"):
        field = field.removesuffix(ending)
    return field.replace("_", " ")


def figure_text(field: str, value: float | None) -> str:
    """A figure as the screen shows it, with its unit."""
    return format_quantity(value, FIELD_UNITS[field])


def _checked(chip: Chip, name: str, value: float) -> float | int:
    if name not in FIELD_UNITS:
        raise UnknownNameError("figure of a chip", name, FIELD_UNITS, where=chip.name)
    if not (math.isfinite(value) and 0 < value < LARGEST):
        raise WaferlineError("not a possible figure", where=f"{chip.name}, {name}", found=value, expected="above zero")
    if FIELD_UNITS[name] != "1":
        return float(value)
    if not float(value).is_integer():
        raise WaferlineError("not a whole number", where=f"{chip.name}, {name}", found=value)
    return int(value)


def _fact(chip: Chip, name: str, value: float) -> Fact:
    shown = figure_text(name, value)
    before = getattr(chip, name)
    instead = f"the catalogue says {figure_text(name, before)}" if before is not None else "the catalogue has none"
    source = Source(title=f"your own figures for {chip.name.removesuffix(EDITED)}", kind="person")
    return Fact(value=value, shown=shown, sources=(source,), at=OWN_FIGURE, kind="estimate", note=instead)


def _visible(chip: Chip, values: dict[str, Any]) -> dict[str, Any]:
    """Memory that the driver reports, in proportion to the memory edited."""
    if chip.memory_visible_byte is None or chip.memory_byte is None or "memory_byte" not in values:
        return {}
    return {"memory_visible_byte": chip.memory_visible_byte * values["memory_byte"] / chip.memory_byte}
