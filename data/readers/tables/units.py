"""Units as they stand in headers, cells and notes, with the factor into the canonical unit."""

from __future__ import annotations

import re

TIME_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3, "min": 60e3, "h": 3600e3}
_TIME_WORDS = {
    "ns": "ns",
    "nanoseconds": "ns",
    "us": "us",
    "µs": "us",
    "μs": "us",
    "microseconds": "us",
    "ms": "ms",
    "msec": "ms",
    "msecs": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "millisekunden": "ms",
    "s": "s",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "sekunden": "s",
    "sek": "s",
    "min": "min",
    "mins": "min",
    "minute": "min",
    "minutes": "min",
    "minuten": "min",
    "h": "h",
    "hr": "h",
    "hour": "h",
    "hours": "h",
    "stunden": "h",
}
_RATE = re.compile(
    r"(?<![a-z])(?P<kilo>k(?=tok)|k )?(?P<what>tok(?:en)?s?|req(?:uest)?s?|anfragen|prompts?|t|r)\s?"
    r"(?:/|per |p(?=s\b)|je |pro )\s?(?P<per>seconds?|secs?|sekunden?|minutes?|min|s|m)\b",
    re.I,
)
_UNDERSCORED = re.compile(r"(?<![a-z])(?P<what>tok(?:en)?s?|req(?:uest)?s?)[ _]s(?:ec)?\b", re.I)  # tok_s, req_s
_SHORT = re.compile(r"\b(tps|rps|qps)\b", re.I)
_NOTE = re.compile(
    r"\b(?:times?|latenc(?:y|ies)|zeiten|latenzen|values?|durations?|everything|all)\b[^.;]{0,30}?"
    r"\b(?:in|are|:)\s*\(?([a-zµμ]+)\b",
    re.I,
)


def time_unit(text: str) -> str | None:
    """The time unit that this text is, spelled ns, us, ms, s, min or h."""
    return _TIME_WORDS.get(text.strip().strip(".()[]").lower())


def rate_unit(text: str) -> tuple[str, float] | None:
    """("tokens" or "requests", factor into one a second) if the text holds a rate's unit."""
    match = _RATE.search(text)
    if match:
        what = "requests" if match["what"].lower()[0] in "rap" else "tokens"
        factor = 1.0 if match["per"].lower().startswith("s") else 1 / 60
        return what, factor * (1000 if match["kilo"] else 1)
    underscored = _UNDERSCORED.search(text)
    if underscored:
        return "tokens" if underscored["what"].lower().startswith("t") else "requests", 1.0
    short = _SHORT.search(text)
    return ("tokens" if short[1].lower() == "tps" else "requests", 1.0) if short else None


def note_unit(text: str) -> str | None:
    """The unit that a remark gives for all times of a table ("all times in ms")."""
    match = _NOTE.search(text)
    return time_unit(match[1]) if match else None


_MULTIPLES = {"k": 1e3, "m": 1e6}
_HARMLESS = re.compile(r"tok(en)?s?|req(uest)?s?|users?|gpus?|devices?|seqs?|w|watts?|j|x|requests?/run", re.I)


def plain_factor(text: str) -> float | None:
    """Factor of what stands behind a number that is no time: 1 for nothing or a known word, None if it is not known."""
    rate, word = rate_unit(text), text.strip()
    if not word or _HARMLESS.fullmatch(word):
        return 1.0
    return rate[1] if rate else _MULTIPLES.get(word.lower())


def factor_into(unit: str, target: str) -> float | None:
    """Canonical unit of `target` per `unit`; None if the unit is not one of time for a time field."""
    if target.endswith("_ms"):
        return TIME_MS.get(unit)
    if target.endswith("_s"):
        milliseconds = TIME_MS.get(unit)
        return None if milliseconds is None else milliseconds / 1000
    return 1.0
