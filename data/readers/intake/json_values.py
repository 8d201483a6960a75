"""JSON as tools really write it: one value, one a line, values one after another, log lines between them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from data.readers.intake.result import Skipped

MAX_BROKEN = 100  # values that do not parse before the rest of the file is given up


@dataclass(frozen=True, kw_only=True)
class Located:
    """A JSON value with its place in words ("$", "$[3]", "line 7") and its first line."""

    value: object
    place: str
    line: int


def find_values(text: str) -> tuple[list[Located], list[Skipped]]:
    """JSON values of `text` in order, and the lines that are none; both empty if no line starts like JSON.

    Bare NaN and Infinity are read as Python floats. A value that breaks off is skipped with the parser's reason.
    """
    body = text.strip()
    if body[:1] in ("{", "["):
        value, problem = _whole(body)
        if problem == "":
            return [Located(value=value, place="$", line=1)], []
    elif not any(line.lstrip()[:1] in ("{", "[") for line in text.splitlines()):
        return [], []
    return _one_after_another(text)


def _whole(body: str) -> tuple[object, str]:
    try:
        return json.loads(body), ""
    except (ValueError, RecursionError) as error:
        return None, str(error)


def _one_after_another(text: str) -> tuple[list[Located], list[Skipped]]:
    decoder, found, skipped = json.JSONDecoder(), list[Located](), list[Skipped]()
    position, line, broken = 0, 1, 0
    while position < len(text) and broken < MAX_BROKEN:
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        start = position + len(text[position:end]) - len(text[position:end].lstrip(" \t\r,"))
        after, why = end + 1, ""
        if start < end and text[start] in "{[":
            try:
                value, stop = decoder.raw_decode(text, start)
                found.append(Located(value=value, place=f"line {line}", line=line))
                after = stop
            except (ValueError, RecursionError) as error:
                why = f"not valid JSON: {_reason(error)}"
                broken += 1
        elif start < end and text[start:end].strip(" \t\r,]}"):
            why = f"not JSON: {text[start:end].strip()[:60]!r}"
        if why:
            skipped.append(Skipped(line=line, why=why))
        line += text.count("\n", position, after)
        position = after
    if broken >= MAX_BROKEN:
        skipped.append(Skipped(line=line, why=f"the rest was not looked at: {MAX_BROKEN} values do not parse"))
    return found, skipped


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:100]


def as_number(value: object) -> float | None:
    """A finite number or None; text that spells a number counts, booleans, NaN and infinities do not."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
