"""The project's own errors: each says what is wrong, where, what was found, what was expected, and how to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class WaferlineError(Exception):
    """An error made for a person to read; the parts are kept so that pages and `--json` can show them apart."""

    def __init__(
        self, what: str, *, where: str = "", found: object = "", expected: object = "", remedy: str = ""
    ) -> None:
        self.what = what
        self.where = where
        self.found = str(found)
        self.expected = str(expected)
        self.remedy = remedy
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """All parts in one line, the empty ones left out."""
        parts = [f"{self.where}: {self.what}" if self.where else self.what]
        parts += [f"found {self.found}"] if self.found else []
        parts += [f"expected {self.expected}"] if self.expected else []
        return "; ".join(parts) + "." + (f" {self.remedy}" if self.remedy else "")


class CatalogueError(WaferlineError):
    """A catalogue file that does not say what it must, or contradicts itself."""


class UnitError(WaferlineError):
    """A quantity whose unit is missing, unknown or of another dimension."""


class UnknownNameError(WaferlineError):
    """A name that nothing in the catalogue bears; carries the near matches in `near`.

    note  why a name that is known has no entry: "no published specification"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "", note: str = "") -> None:
        self.note = note
        self.near = near_matches(name, known)
        near = (
            f"Nearest, but not the same: {', '.join(self.near)}." if note else f"Did you mean {' or '.join(self.near)}?"
        )
        remedy = near if self.near else "See `waferline catalogue list`."
        what = f"{kind} {name!r} has no entry of its own ({note})" if note else f"no {kind} is called {name!r}"
        super().__init__(what, where=where, remedy=remedy)


class AmbiguousNameError(WaferlineError):
    """A name that several catalogue entries share; carries them in `choices`."""

    def __init__(self, kind: str, name: str, choices: Iterable[str], *, where: str = "", note: str = "") -> None:
        self.choices = tuple(choices)
        remedy = f"Say which: {', '.join(self.choices)}." if self.choices else ""
        reason = f" ({note})" if note else ""
        super().__init__(f"{kind} {name!r} could be several{reason}", where=where, remedy=remedy)


class OutOfRangeError(WaferlineError):
    """An argument outside the range in which an equation means something."""


class ReadError(WaferlineError):
    """An uploaded file that cannot be read as benchmark results."""


class StoreError(WaferlineError):
    """The store cannot be opened, is held by another process, or is newer than this program."""


def near_matches(name: str, known: Iterable[str], count: int = 4) -> list[str]:
    """Up to `count` known names that look like `name`, best first; letter case and punctuation do not count."""

    def plain(text: str) -> str:
        return "".join(letter for letter in text.lower() if letter.isalnum())

    by_plain: dict[str, str] = {}
    for each in known:
        by_plain.setdefault(plain(each), each)
    wanted = plain(name)
    inside = [key for key in by_plain if wanted and (key.startswith(wanted) or wanted in key)]
    close = difflib.get_close_matches(wanted, by_plain, n=count, cutoff=0.6)
    ranked = dict.fromkeys(close[:1] + sorted(inside, key=len) + close[1:])
    return [by_plain[key] for key in ranked][:count]
