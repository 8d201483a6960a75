"""Prometheus text and query results as what every series grew by, over one scrape since start or between several."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from data.readers.intake.json_values import as_number
from data.readers.metrics_text.names import GAUGES, family_of

Series = tuple[str, tuple[tuple[str, str], ...]]
_LINE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+([^\s{}]+)(?:\s+(-?\d+(?:\.\d+)?))?\s*(?:#.*)?")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d{10}(?:\.\d+)?\b|\b\d{13}\b")
LONGEST_LINE = 20_000
_MILLISECONDS = 1e11  # times beyond are in ms


@dataclass(kw_only=True)
class Scrape:
    """Values of the series that matter at one moment; `seconds` since 1970, None if the text does not say."""

    seconds: float | None = None
    values: dict[Series, float] = field(default_factory=dict)


@dataclass(kw_only=True)
class Growth:
    """What each series grew by. `since_start` if there is one scrape only: then it is the whole life of the server.

    seconds   time between first and last scrape, None if unknown
    resets    series that fell back in between, as after a restart
    """

    values: dict[Series, float]
    since_start: bool
    seconds: float | None = None
    resets: int = 0
    first_seconds: float | None = None


def scrapes_of(lines: Iterable[str]) -> list[Scrape]:
    """Scrapes in the text: a new one begins where a series comes again or a comment with a date stands."""
    found, pending = [Scrape()], None
    for line in lines:
        if line.startswith("#"):
            moment = None if line.startswith(("# HELP", "# TYPE")) else _moment(line)
            if moment is not None:
                pending = moment
                found += [Scrape()] if found[-1].values else []
            continue
        match = _LINE.fullmatch(line.strip()) if line[:1].strip() and len(line) <= LONGEST_LINE else None
        value = _value(match[3]) if match else None
        if match is None or value is None or family_of(match[1]) is None:
            continue
        series = match[1], tuple(sorted(_LABEL.findall(match[2] or "")))
        if series in found[-1].values:
            found.append(Scrape())
        found[-1].values[series] = value
        stamp = as_number(match[4])
        found[-1].seconds = found[-1].seconds or (_seconds(stamp) if stamp else pending)
        pending = None if found[-1].seconds == pending else pending
    return [one for one in found if one.values]


def _value(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _seconds(number: float) -> float:
    return number / 1000.0 if number > _MILLISECONDS else number


def _moment(line: str) -> float | None:
    match = _DATE.search(line)
    if match is None:
        return None
    number = as_number(match[0])
    if number is not None:
        return _seconds(number)
    try:
        return datetime.fromisoformat(match[0]).timestamp()
    except ValueError:
        return None


def growth_between(scrapes: Sequence[Scrape]) -> Growth:
    """Growth from the first scrape to the last; a series that falls has restarted and counts from zero again."""
    if len(scrapes) == 1:
        return Growth(values=dict(scrapes[0].values), since_start=True, first_seconds=scrapes[0].seconds)
    last, grown, resets = dict(scrapes[0].values), dict.fromkeys(scrapes[0].values, 0.0), 0
    for scrape in scrapes[1:]:
        for series, value in scrape.values.items():
            before = last.get(series, 0.0)
            resets += value < before and not is_gauge(series)
            grown[series] = grown.get(series, 0.0) + (value - before if value >= before else value)
            last[series] = value
    times = [one.seconds for one in (scrapes[0], scrapes[-1]) if one.seconds is not None]
    seconds = times[1] - times[0] if len(times) == 2 and times[1] > times[0] else None
    return Growth(values=grown, since_start=False, seconds=seconds, resets=resets, first_seconds=scrapes[0].seconds)


def is_gauge(series: Series) -> bool:
    """True for a state at one moment, such as a queue's length: that it falls is no restart."""
    family = family_of(series[0])
    return family is not None and family[1] in GAUGES


def query_scrapes(results: Sequence[Mapping[str, object]]) -> list[Scrape]:
    """The named series of a query's result as scrapes by time; values are texts and may be NaN."""
    moments: dict[float, Scrape] = {}
    for result in results:
        labels = result.get("metric")
        named = {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
        name = named.pop("__name__", "")
        if family_of(name) is None:
            continue
        for seconds, value in points_of(result):
            scrape = moments.setdefault(seconds, Scrape(seconds=seconds))
            scrape.values[name, tuple(sorted(named.items()))] = value
    return [moments[seconds] for seconds in sorted(moments)]


def points_of(result: Mapping[str, object]) -> list[tuple[float, float]]:
    """(seconds, value) of one series of a result, in order of time; what is no number is left out."""
    raw = result.get("values") if isinstance(result.get("values"), list) else [result.get("value")]
    found = []
    for pair in raw if isinstance(raw, list) else []:
        if isinstance(pair, list) and len(pair) == 2:
            seconds, value = as_number(pair[0]), _value(str(pair[1]))
            if seconds is not None and value is not None:
                found.append((seconds, value))
    return sorted(found)
