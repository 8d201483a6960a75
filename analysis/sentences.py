"""Answers in words: lists that stay within a title's length, counts of users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from data.unit_printing import UNIT_SPACE
from data.units import format_quantity

ANSWER_LENGTH = 130  # characters of a page's title


def joined(head: str, parts: Sequence[str], *, last: str = " and ", end: str = ".", count_rest: bool = True) -> str:
    """Head and as many parts as a title holds: "reads 4 TB/s: 2 × A, 1 × B or 3 × C."; what is left out is counted.

    count_rest   False where "and 2 others" would not read as a sentence
    """
    whole = list_words(parts, last)
    if len(head) + len(whole) + len(end) <= ANSWER_LENGTH:
        return f"{head}{whole}{end}"
    for count in range(len(parts) - 1, 0, -1):
        left = len(parts) - count
        rest = f"{last}{left} other" + ("" if left == 1 else "s")
        listed = ", ".join(parts[:count]) + rest if count_rest else list_words(parts[:count], last)
        if len(head) + len(listed) + len(end) <= ANSWER_LENGTH:
            return f"{head}{listed}{end}"
    return f"{head}{parts[0]}{end}"


def list_words(parts: Sequence[str], last: str = " and ") -> str:
    """ "A", "A and B", "A, B and C"."""
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + last + parts[-1]


def shortest_of(*sentences: str) -> str:
    """The first sentence that a title holds, else the shortest; pass them from full to terse."""
    fitting = [each for each in sentences if len(each) <= ANSWER_LENGTH]
    return fitting[0] if fitting else min(sentences, key=len)


def none_serve(head: str, reasons: Iterable[str]) -> str:
    """That nothing serves, with the reason where all share one; else the table says why."""
    shared = sorted({str(each).rstrip(".") for each in reasons})
    named = [f"{head}: {shared[0]}."] if len(shared) == 1 and shared[0] else []
    return shortest_of(*named, f"{head}; the table says why.")


def token_words(count: float) -> str:
    """ "8,192 tokens", "200k tokens"."""
    return format_quantity(count, "token").rsplit(UNIT_SPACE, 1)[0] + " tokens"


def runs_words(count: int) -> str:
    """ "1 run", "1,200 runs"."""
    return f"{count:,} run" + ("" if count == 1 else "s")


def users_words(count: float) -> str:
    """ "1 user", "16 users"."""
    return f"{count:,.0f} user" + ("" if count == 1 else "s")
