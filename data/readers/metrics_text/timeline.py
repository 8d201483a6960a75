"""What a serving engine did between each scrape of its metrics and the next."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from data.errors import ReadError
from data.readers.intake.content import Content, decode
from data.readers.metrics_text.exposition import Growth, Scrape, growth_between, is_gauge, query_scrapes, scrapes_of
from data.readers.metrics_text.names import family_of
from data.readers.metrics_text.serving import serving_draft

MOST_SCRAPES = 50_000
_AVERAGED = frozenset({"cache_used"})  # shares, which engines do not add up to
_BRING = "Bring scrapes of the engine's /metrics, one after another, or the JSON of query_range for its metrics."


@dataclass(frozen=True, kw_only=True)
class Interval:
    """The time between two scrapes.

    start_s, end_s   seconds since 1970
    values           canonical fields of a run (docs/run-record.md), and running, waiting, cache_used (share),
                     preemptions and failed as the engine counts them
    restarted        True if counters fell back in between
    """

    start_s: float
    end_s: float
    values: Mapping[str, float] = field(repr=False)
    restarted: bool = False

    @property
    def span_s(self) -> float:
        """Length of the interval."""
        return self.end_s - self.start_s


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Intervals in order of time, the engine and model whose metrics they are, and what was passed over."""

    intervals: tuple[Interval, ...]
    engine: str
    model: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_timeline(files: Sequence[tuple[str, bytes]], every_s: float | None = None) -> Timeline:
    """The timeline of one or more files, (name, content) in the order of time where they do not say it.

    every_s   seconds between scrapes that carry no time of their own

    Raises ReadError where a file holds no metric of a serving engine, where times are missing, or for fewer than two
    scrapes.
    """
    scrapes = [scrape for name, content in files for scrape in _scrapes(decode(name, content))]
    if len(scrapes) > MOST_SCRAPES:
        raise ReadError("too many scrapes", found=f"{len(scrapes):,}", expected=f"at most {MOST_SCRAPES:,}",
                        remedy="Use query_range with a longer step.")  # fmt: skip
    timed = _timed(scrapes, every_s)
    intervals, notes = _intervals(timed)
    labels = _labels(scrapes)
    return Timeline(
        intervals=tuple(intervals),
        engine=" + ".join(sorted(labels["engine"])),
        model=" + ".join(sorted(labels["model_name"])),
        files=tuple(name for name, _ in files),
        notes=tuple(notes),
    )


def _scrapes(content: Content) -> list[Scrape]:
    found = _queried(content) if content.values else scrapes_of(content.lines)
    if not found:
        raise ReadError("no metric of a serving engine", where=content.name, remedy=_BRING)
    return found


def _queried(content: Content) -> list[Scrape]:
    """Scrapes from answers to queries, several one after another or in a list, put together by their time."""
    results: list[Mapping[str, object]] = []
    for one in content.records:
        query = one.value if isinstance(one.value, dict) else {}
        if query.get("status", "success") != "success":
            raise ReadError("the query failed", where=content.name, found=str(query.get("error"))[:200])
        data = query.get("data", query)
        series = data.get("result") if isinstance(data, dict) else None
        results += [each for each in series if isinstance(each, dict)] if isinstance(series, list) else []
    return query_scrapes(results)


def _timed(scrapes: Sequence[Scrape], every_s: float | None) -> list[Scrape]:
    """Scrapes in order of time; those without one are taken `every_s` apart."""
    missing = sum(one.seconds is None for one in scrapes)
    if len(scrapes) < 2:
        raise ReadError(
            "one scrape tells averages since the server's start",
            expected="two or more, minutes apart",
            remedy="To take them: waferline monitor record http://host:8000 -o scrapes.txt",
        )
    if missing and missing < len(scrapes):
        raise ReadError("some scrapes carry a time and some do not", found=f"{missing} of {len(scrapes)} without")
    if missing and not every_s:
        raise ReadError("the scrapes carry no times", expected="a comment with the time before each, or a fixed step",
                        remedy="Say how many seconds apart they were taken, with --every or on the page.")  # fmt: skip
    if missing and every_s:
        return [replace(one, seconds=number * every_s) for number, one in enumerate(scrapes)]
    return sorted(scrapes, key=lambda one: one.seconds or 0.0)


def _intervals(scrapes: Sequence[Scrape]) -> tuple[list[Interval], list[str]]:
    pairs = [(one, two) for one, two in pairwise(scrapes) if (two.seconds or 0.0) > (one.seconds or 0.0)]
    if not pairs:
        raise ReadError("every scrape carries the same time", remedy=_BRING)
    found = [_interval(one, two) for one, two in pairs]
    same, restarts = len(scrapes) - 1 - len(pairs), sum(one.restarted for one in found)
    notes = [f"{same} scrapes repeat the time of the one before"] * bool(same)
    return found, notes + [f"counters fell back {restarts} times: the server restarted"] * bool(restarts)


def _interval(before: Scrape, after: Scrape) -> Interval:
    growth = growth_between([before, after])
    growth.values = {series: grown for series, grown in growth.values.items() if series in after.values}
    values = {
        name: float(value)
        for name, value in serving_draft(growth).values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    if "completed" in values and growth.seconds:
        values["request_rps"] = values["completed"] / growth.seconds
    return Interval(
        start_s=before.seconds or 0.0,
        end_s=after.seconds or 0.0,
        values=values | _gauges(after) | _preempted(growth),
        restarted=growth.resets > 0,
    )


def _gauges(scrape: Scrape) -> dict[str, float]:
    """State at the end of an interval: requests added up over engines, shares averaged."""
    found: dict[str, list[float]] = defaultdict(list)
    for series, value in scrape.values.items():
        family = family_of(series[0])
        if family and is_gauge(series) and family[1] != "cache_config" and math.isfinite(value):
            found[family[1]].append(value)
    return {what: sum(each) / (len(each) if what in _AVERAGED else 1) for what, each in found.items()}


def _preempted(growth: Growth) -> dict[str, float]:
    found = [value for (name, _), value in growth.values.items() if (family_of(name) or "   ")[1] == "preemptions"]
    return {"preemptions": sum(found)} if found else {}


def _labels(scrapes: Iterable[Scrape]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"engine": set(), "model_name": set()}
    for scrape in scrapes:
        for name, pairs in scrape.values:
            family = family_of(name)
            found["engine"] |= {family[0]} if family else set()
            found["model_name"] |= {value for key, value in pairs if key == "model_name"}
    return found
