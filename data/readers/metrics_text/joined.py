"""Scrapes of one server in files of their own, brought together: one run over the time between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from data.errors import ReadError
from data.readers.intake.content import decode
from data.readers.metrics_text.exposition import Scrape, is_gauge, scrapes_of

LARGEST_BYTE = 20_000_000
SHARED = 0.9  # of the series of the smaller scrape that the other must hold too
HEAD_BYTE = 20_000
_TEXT = re.compile(rb"^# (?:HELP|TYPE) \S|^(?:vllm|sglang|tgi|trtllm|lmdeploy)[:_]\w+[{ ]", re.M)
_STARTED = re.compile(r"^process_start_time_seconds(?:\{[^}\n]*\})?\s+(\S+)", re.M)
_NAMED_TIME = re.compile(r"(?<!\d)(\d{10})(?!\d)|(\d{4})-?(\d\d)-?(\d\d)[T_ -]?(\d\d)[:-]?(\d\d)[:-]?(\d\d)(?!\d)")

Files = Sequence[tuple[str, bytes]]


@dataclass(frozen=True, kw_only=True)
class _Single:
    """A file that holds one scrape of a serving engine."""

    name: str
    text: str
    scrape: Scrape
    started: str

    @property
    def counted(self) -> float:
        """Sum of all counters, which only grows while the server runs."""
        return sum(value for series, value in self.scrape.values.items() if not is_gauge(series))


def joined(files: Files) -> list[tuple[str, bytes]]:
    """The files as they are to be read: scrapes of one server as one file in order of time, everything else alone.

    The server is the same if the scrapes share their series and the moment at which its process started, and every
    counter of the later file is at least that of the earlier one.
    """
    singles = {name: one for name, content in files if (one := _single(name, content)) is not None}
    groups: list[list[_Single]] = []
    for one in sorted(singles.values(), key=lambda each: each.counted):
        home = next((group for group in groups if _follows(group[-1], one)), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    together = {each.name: group for group in groups if len(group) > 1 for each in group}
    found, done = list[tuple[str, bytes]](), set[str]()
    for name, content in files:
        if name not in together:
            found.append((name, content))
        elif name not in done:
            found.append(_one_file(together[name]))
            done |= {each.name for each in together[name]}
    return found


def looks_scraped(head: bytes) -> bool:
    """True if the first bytes of a file look like metrics in Prometheus' text form."""
    return _TEXT.search(head) is not None


def _single(name: str, content: bytes) -> _Single | None:
    if len(content) > LARGEST_BYTE or not looks_scraped(content[:HEAD_BYTE]):
        return None
    try:
        text = decode(name, content).text
    except ReadError:
        return None
    scrapes, started = scrapes_of(text.splitlines()), _STARTED.search(text)
    if len(scrapes) != 1:
        return None
    return _Single(name=name, text=text, scrape=scrapes[0], started=started[1] if started else "")


def _follows(earlier: _Single, later: _Single) -> bool:
    """Can `later` be the same server some time after `earlier`?"""
    before, after = earlier.scrape.values, later.scrape.values
    both = [series for series in before if series in after]
    if earlier.started != later.started or len(both) < SHARED * min(len(before), len(after)):
        return False
    counters = [series for series in both if not is_gauge(series)]
    grown = any(after[series] > before[series] for series in counters)
    return grown and all(after[series] >= before[series] for series in counters)


def _one_file(group: Iterable[_Single]) -> tuple[str, bytes]:
    """The scrapes one after another, each under a comment with the moment that its file's name gives."""
    parts, names = list[str](), list[str]()
    for one in group:
        moment = _moment(one.name)
        parts.append(f"# scrape {moment}\n{one.text.rstrip()}\n" if moment else f"{one.text.rstrip()}\n")
        names.append(PurePath(one.name).name)
    return " + ".join(names), "".join(parts).encode()


def _moment(name: str) -> str:
    """A moment as a comment gives it, out of a file's name; empty if it holds none."""
    match = _NAMED_TIME.search(PurePath(name).name)
    if match is None:
        return ""
    year, month, day, hour, minute, second = match.groups()[1:]
    return match[1] or f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
