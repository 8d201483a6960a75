"""Units: text to SI floats and back; the only door to pint, with byte, FLOP, token and dollar as own dimensions.

GB is 1e9 bytes and GiB is 2**30; B is a byte and b is a bit; a letter in the wrong case is refused, not guessed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pint

from data.errors import UnitError
from data.unit_printing import MISSING, format_number, format_quantity, unit_label
from data.unit_suffixes import COUNTED, unit_of_suffix

__all__ = [
    "MISSING",
    "Quantity",
    "format_number",
    "format_quantity",
    "is_in_bits",
    "parse_quantity",
    "quantity",
    "same_dimension",
    "unit_label",
    "unit_of_suffix",
]

# Prefixes below one exist for seconds, joules and watts alone: "mb/s" must not become a thousandth of a bit.
_DEFINITIONS = """
kilo- = 1e3 = k- = K-
mega- = 1e6 = M-
giga- = 1e9 = G-
tera- = 1e12 = T-
peta- = 1e15 = P-
exa- = 1e18 = E-
kibi- = 2**10 = Ki-
mebi- = 2**20 = Mi-
gibi- = 2**30 = Gi-
tebi- = 2**40 = Ti-
pebi- = 2**50 = Pi-
second = [time] = s = sec
byte = [information] = B
flop = [arithmetic] = FLOP
token = [token] = tok
usd = [money] = USD = dollar
joule = [energy] = J
watt = joule / second = W
bit = byte / 8 = b
op = flop = OP
hertz = 1 / second = Hz
flops = flop / second = FLOPS
ops = op / second = OPS
byteps = byte / second = Bps
bitps = bit / second = bps
millisecond = 1e-3 * second = ms
microsecond = 1e-6 * second = us
nanosecond = 1e-9 * second = ns
picosecond = 1e-12 * second = ps
minute = 60 * second = min
hour = 3600 * second = h = hr
day = 86400 * second
millijoule = 1e-3 * joule = mJ
milliwatt = 1e-3 * watt = mW
watthour = 3600 * joule = Wh
percent = 0.01
"""

# Spellings of one unit word that pint cannot read as they stand; counted things have no dimension.
_SPELLINGS = {
    "FLOPs": "FLOP",
    "flops/s": "flop/s",
    "OPs": "OP",
    "ops/s": "op/s",
    "µs": "us",
    "μs": "us",
    "%": "percent",
    "kwh": "kWh",
    "kWh": "kWh",
    "sec": "second",
}
_NUMBER = re.compile(r"^([+-]?(?=\.?\d)(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s*(.*)$", re.ASCII)
_SPACES = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u2009": " ", "\u2212": "-"})


def _build_registry() -> pint.UnitRegistry[Any]:
    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(None, case_sensitive=True)
    for line in _DEFINITIONS.strip().splitlines():
        registry.define(line)
    return registry


_REGISTRY = _build_registry()


@dataclass(frozen=True)
class Quantity:
    """A value and its unit: SI (seconds, bytes, FLOP, tokens, dollars, watts), or the unit that was asked for."""

    value_si: float
    unit: str


def _word(text: str) -> str:
    """One factor of a unit as pint reads it; "1" for things that are merely counted."""
    plain = text.strip()
    single = plain.removesuffix("s") if len(plain) > 3 and plain.lower() == plain else plain
    if plain in COUNTED or single in COUNTED:
        return "1"
    if plain in _SPELLINGS:
        return _SPELLINGS[plain]
    if re.fullmatch(r"[KMGTPE]FLOPs", plain):
        return plain[:-1]
    if re.fullmatch(r"[kKMGTPE]?(toks|tokens)", plain):
        return plain[:-1]
    if re.fullmatch(r"\d+(\.\d+)?", plain) and float(plain) == 1:
        return "1"
    return single if single.endswith(("byte", "bit", "second", "hour", "watt", "joule")) else plain


@lru_cache(maxsize=1024)
def _parse_unit(text: str) -> tuple[float, str]:
    """Factor to SI and canonical SI unit of a written unit; bare text without a unit is dimensionless."""
    if not text.strip():
        return 1.0, ""
    written = text.replace(" per ", "/").replace("·", "*").replace("$", "usd")
    factors = [_word(part) for part in re.split(r"([/*])", written)]
    cleaned = "".join(factors)
    if not re.fullmatch(r"(?:[A-Za-z]+|1)(?:[/*](?:[A-Za-z]+|1))*", cleaned):
        raise _unknown_unit(text)
    try:
        base = _REGISTRY.Quantity(1.0, cleaned).to_base_units()
    except (pint.errors.PintError, AttributeError, TypeError, ValueError) as problem:
        raise _unknown_unit(text) from problem
    return float(base.magnitude), _canonical(base)


def _canonical(base: Any) -> str:
    """Unit in the project's own order of words: numerators, then denominators, watts said as watts."""
    powers = {str(name): float(power) for name, power in base.unit_items()}
    if powers.get("joule", 0) == 1 and powers.get("second", 0) == -1:
        del powers["joule"], powers["second"]
        powers["W"] = 1.0
    short = {"second": "s", "joule": "J"}
    over = [_power(short.get(name, name), power) for name, power in powers.items() if power > 0]
    under = [_power(short.get(name, name), -power) for name, power in powers.items() if power < 0]
    if not over and not under:
        return ""
    return "/".join(["*".join(sorted(over)) or "1", *sorted(under)])


def _power(name: str, power: float) -> str:
    return name if power == 1 else f"{name}**{power:g}"


def _unknown_unit(text: str) -> UnitError:
    return UnitError(
        "unknown unit",
        found=repr(text.strip()),
        expected="a unit such as GB, GiB, TB/s, Tb/s, TFLOP/s, TOP/s, tok/s, ms, W, USD/hour",
        remedy="Letter case counts: B is a byte, b is a bit, prefixes are k M G T P.",
    )


def parse_quantity(text: str, expected: str = "", *, where: str = "") -> Quantity:
    """Read "4.8 TB/s" as 4.8e12 byte/s. [the unit is in the answer]

    text      number and unit; "4.8 TB/s", "141GB", "24 GiB", "214 Pb/s" (bits), "$2.50/hour", "1,200 tok/s"
    expected  unit whose dimension the text must have and in which the answer is then given ("usd/hour" stays per hour);
              empty if any will do, "1" if it must be a bare number

    Raises UnitError, naming what was found and expected, if the number or the unit cannot be read or does not match.
    """
    cleaned = str(text).translate(_SPACES).strip()
    money = cleaned.startswith("$")
    match = _NUMBER.match(cleaned.removeprefix("$").strip())
    if match is None or not re.search(r"\d", match[1]):
        raise UnitError("not a number with a unit", where=where, found=repr(text), expected=expected or "4.8 TB/s")
    unit_text = f"usd{match[2]}" if money else match[2]
    try:
        factor, unit = _parse_unit(unit_text)
    except UnitError as problem:
        raise UnitError(
            problem.what, where=where, found=repr(text), expected=expected or problem.expected, remedy=problem.remedy
        ) from problem
    value = _times(match[1].replace(",", ""), factor)
    if not math.isfinite(value):
        raise UnitError("not a finite number", where=where, found=repr(text), expected=expected or "a finite number")
    if not expected:
        return Quantity(value, unit)
    _check_dimension(unit, expected, text, where)
    return Quantity(value / _parse_unit("" if expected == "1" else expected)[0], expected)


def _times(number: str, factor: float) -> float:
    """Written number times factor, rounded once: 989.4 T is 989400000000000 and not a neighbour of it."""
    return float(Decimal(number) * Decimal(factor)) if factor.is_integer() else float(number) * factor


def is_in_bits(text: str) -> bool:
    """True if a quantity is written in bits, as "214 Pb/s" or "400 Gbps" is; such a figure is an eighth in bytes."""
    written = str(text).translate(_SPACES).strip()
    return bool(re.search(r"[\d\s][kKMGTPE]?i?(b|bit|bits|bps)(/|$|\s)", written))


def same_dimension(unit: str, other: str) -> bool:
    """True if two units measure one kind of thing: byte/s and GB/s do, byte and bit/s do not."""
    first, second = (_parse_unit("" if each == "1" else each)[1] for each in (unit, other))
    return first == second


def _check_dimension(unit: str, expected: str, text: str, where: str) -> None:
    if same_dimension(unit, expected):
        return
    remedy = f"Write it in {expected}." if unit else f"Write the unit too, for example {expected}."
    raise UnitError("wrong kind of unit", where=where, found=repr(text), expected=expected, remedy=remedy)


def quantity(value: Any, unit: str) -> Any:
    """A pint quantity in SI for dimension checks; `value` may be a float or an array, "" means dimensionless."""
    factor, canonical = _parse_unit("" if unit == "1" else unit)
    return _REGISTRY.Quantity(value * factor, canonical or "dimensionless")
