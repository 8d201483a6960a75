"""SI floats to text for the screen: three significant digits, a no-break space before the unit."""

from __future__ import annotations

import math

UNIT_SPACE = "\u00a0"  # the narrow one all but vanishes in the web font
MISSING = "–"
_MINUS = "−"

_WORDS = {
    "byte": "B", "bit": "b", "flop": "FLOP", "op": "OP", "token": "tok", "Mtoken": "M" + UNIT_SPACE + "tok",
    "s": "s", "hour": "h", "W": "W", "J": "J", "kWh": "kWh", "usd": "$", "1": "", "percent": "%",
}  # fmt: skip
_PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps"))
_LARGE = ((1e15, "quadrillion"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_EXACT_BELOW = 10_000  # whole counts are printed in full below this, and token rates get k, M, G from it up
_COMPACT_FROM = 10_000
_SCIENTIFIC_BELOW = 1e-4
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _rounded(value: float, digits: int) -> float:
    """`value` to so many significant digits, so that 999.96 already counts as 1,000 when a prefix is chosen."""
    return float(f"{value:.{digits - 1}e}")


def _plain(value: float, digits: int) -> str:
    """A rounded number with thousands separators and without trailing zeros."""
    if value == 0:
        return "0"
    size = abs(_rounded(value, digits))
    sign = _MINUS if value < 0 else ""
    if size < _SCIENTIFIC_BELOW:
        mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
        return f"{sign}{float(mantissa):g}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    text = f"{size:,.{decimals}f}"
    return sign + (text.rstrip("0").rstrip(".") if "." in text else text)


def _with_prefix(value: float, digits: int, prefixes: tuple[str, ...] = _PREFIXES) -> tuple[str, str]:
    """Number text and SI prefix; prefixes only from 1,000 up, never below one."""
    size = abs(_rounded(value, digits))
    step = min(int(math.log10(size) // 3), len(prefixes) - 1) if size >= 1 else 0
    return _plain(value / 1000.0**step, digits), prefixes[step]


def unit_label(unit: str) -> str:
    """A unit as axes print it, without a prefix: "flop/byte" -> "FLOP/B", "" -> ""."""
    return "/".join(_WORDS.get(word, word) for word in unit.split("/")) if unit else ""


def format_number(value: float | int | None, digits: int = 3) -> str:
    """A count or ratio without a unit: "1,024", "0.62", "70.6 billion"; whole numbers below 10,000 in full."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else _MINUS + "∞"
    if abs(value) < _EXACT_BELOW and float(value).is_integer():
        return f"{int(value):,}".replace("-", _MINUS)
    size = abs(_rounded(value, digits))
    for scale, word in _LARGE:
        if size >= scale:
            return f"{_plain(value / scale, digits)}{UNIT_SPACE}{word}"
    return _plain(value, digits)


def _money(value: float, digits: int) -> str:
    """Dollars: cents are always two digits below 100, and fractions of a cent keep three significant digits."""
    size = abs(_rounded(value, digits))
    text = f"{size:.2f}" if 0.1 <= size < 100 else _plain(size, digits)
    if size >= _LARGE[-1][0]:
        text = format_number(size, digits)
    return f"{_MINUS if value < 0 else ''}${text}"


def _time(value: float, digits: int) -> str:
    size = abs(_rounded(value, digits))
    scale, word = next(((scale, word) for scale, word in _TIMES if size >= scale), _TIMES[-1] if size else _TIMES[0])
    return f"{_plain(value / scale, digits)}{UNIT_SPACE}{word}"


def _tokens(value: float, digits: int) -> str:
    """Token counts and rates: plain below 10,000, then k, M, G directly after the number."""
    if abs(_rounded(value, digits)) < _COMPACT_FROM:
        return _plain(value, digits)
    number, prefix = _with_prefix(value, digits)
    return number + prefix


def format_quantity(value: float | int | None, unit: str, digits: int = 3) -> str:
    """An SI value as the screen shows it: (4.8e12, "byte/s") -> "4.8 TB/s"; None or NaN -> "–".

    unit    "byte/s", "flop/s", "flop/byte", "token/s", "token", "s", "W", "J/token", "usd/hour", "usd/Mtoken",
            "percent" (of a fraction: 0.62 -> "62 %"), "" or "1" for a bare number
    digits  significant digits

    Prefixes are decimal and only above one; times alone go down to ms, µs, ns. Dollars carry the sign in front.
    """
    if value is None or math.isnan(value):
        return MISSING
    over, *under = unit.split("/")
    tail = "".join(f"/{_WORDS.get(word, word)}" for word in under)
    if math.isinf(value) or over in ("", "1"):
        number = format_number(value, digits)
        label = unit_label(unit)
        return f"{number}{UNIT_SPACE}{label}" if label else number
    if over == "usd":
        return _money(value, digits) + tail
    if over == "s":
        return _time(value, digits) + tail
    if over == "percent":
        return f"{_plain(value * 100, digits)}{UNIT_SPACE}%"
    label = _WORDS.get(over, over)
    if over == "token":
        whole = not under and float(value).is_integer() and abs(value) < _EXACT_BELOW
        return f"{format_number(value) if whole else _tokens(value, digits)}{UNIT_SPACE}{label}{tail}"
    number, prefix = _with_prefix(value, digits)
    return f"{number}{UNIT_SPACE}{prefix}{label}{tail}"
