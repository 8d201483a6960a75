"""Parameter files with new values: the text of the shipped ones, numbers replaced, so that notes and sources stay."""

from __future__ import annotations

import re
from collections.abc import Mapping

from analysis.calibration.spreads import Spreads
from data.catalogue.parameter_files import PARAMETER_FOLDER
from data.errors import CatalogueError

DIGITS = 4
Ranges = Mapping[str, tuple[float, float]]


def renewed(key: str, values: Mapping[str, float], ranges: Ranges, dated: str) -> str:
    """The text of one parameter file with these values and ranges and this date.

    Raises CatalogueError if the file has no such parameter.
    """
    text = (PARAMETER_FOLDER / f"{key}.yaml").read_text(encoding="utf-8")
    text = re.sub(r"^dated: .*$", f"dated: {dated}", text, flags=re.MULTILINE)
    for name, value in values.items():
        text = _entry(text, key, name, value, ranges.get(name))
    return text


def _entry(text: str, key: str, name: str, value: float, span: tuple[float, float] | None) -> str:
    pattern = re.compile(rf"^(  {name}: {{)value: [^,]+,( low: [^,]+, high: [^,]+,)?", re.MULTILINE)
    if not pattern.search(text):
        raise CatalogueError("no such parameter", where=f"{key}.yaml", found=name)
    kept = "" if span is None else f" low: {_number(min(span[0], value))}, high: {_number(max(span[1], value))},"
    return pattern.sub(lambda found: f"{found[1]}value: {_number(value)},{kept}", text)


def intervals_text(spreads: Spreads, dated: str) -> str:
    """The text of the file of intervals."""
    shipped = (PARAMETER_FOLDER / "intervals.yaml").read_text(encoding="utf-8")
    head = re.sub(r"^dated: .*$", f"dated: {dated}", shipped[: shipped.index("values:")], flags=re.MULTILINE)
    lines = []
    for (regime, quantity), pair in sorted(spreads.items()):
        for side, value in zip(("low", "high"), pair, strict=True):
            number = _number(value)
            lines.append(f"  {regime}_{quantity}_{side}: {{value: {number}, neutral: {number}, source: calibration}}")
    return head + "values:\n" + "\n".join(lines) + "\n"


def _number(value: float) -> str:
    """Four significant digits in a form that YAML reads as a number."""
    text = f"{value:.{DIGITS}g}"
    mantissa, _, power = text.partition("e")
    return text if not power else f"{mantissa if '.' in mantissa else mantissa + '.0'}e{power}"
