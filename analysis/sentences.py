"""Answers in words: lists that stay within a title's length, counts of users."""

from __future__ import annotations

from collections.abc import Sequence

from data.unit_printing import THIN_SPACE
from data.units import format_quantity

ANSWER_LENGTH = 130  # characters of a page's title


def joined(head: str, parts: Sequence[str], *, last: str = " and ", end: str = ".") -> str:
    """Head and as many parts as a title holds, the last joined by a word: "reads 4 TB/s: 2 × A, 1 × B or 3 × C."."""
    for count in range(len(parts), 0, -1):
        shown = list(parts[:count])
        listed = shown[0] if count == 1 else ", ".join(shown[:-1]) + last + shown[-1]
        if len(head) + len(listed) + len(end) <= ANSWER_LENGTH:
            return f"{head}{listed}{end}"
    return f"{head}{parts[0]}{end}"


def token_words(count: float) -> str:
    """ "8,192 tokens", "200k tokens"."""
    return format_quantity(count, "token").rsplit(THIN_SPACE, 1)[0] + " tokens"


def users_words(count: float) -> str:
    """ "1 user", "16 users"."""
    return f"{count:,.0f} user" + ("" if count == 1 else "s")
