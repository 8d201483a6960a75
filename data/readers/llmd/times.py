"""Times as benchmark reports write them: ISO 8601 durations, seconds since 1970, dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number

_DURATION = re.compile(r"P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_SECONDS_OF = (86_400.0, 3_600.0, 60.0, 1.0)
_LATEST_S = 1e11  # beyond any date; larger numbers are milliseconds or worse


def iso_seconds(raw: object) -> float | None:
    """Seconds of "PT1M2.5S" or of a plain number; None for anything else."""
    match = _DURATION.fullmatch(raw.strip()) if isinstance(raw, str) else None
    if match is None or not any(match.groups()):
        return as_number(raw)
    return sum(float(part) * unit for part, unit in zip(match.groups(), _SECONDS_OF, strict=True) if part)


def utc_start(draft: Draft, raw: object, path: str) -> None:
    """The start time as ISO text: a date as it stands, seconds since 1970 in UTC."""
    seconds = as_number(raw)
    if seconds is None:
        if isinstance(raw, str) and re.match(r"\d{4}-\d\d-\d\d", raw):
            draft.put("started_at", raw, path=path)
    elif 0 < seconds < _LATEST_S:
        moment = datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        draft.put("started_at", moment, path=path, origin="converted", shown=str(raw))
