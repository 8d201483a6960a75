"""One entry of Locust's JSON: counts, total time, and how many requests took how many (rounded) milliseconds."""

from __future__ import annotations

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.records import Record
from data.readers.intake.statistics import put_statistics
from data.readers.llmd.results import part
from data.readers.load_tests.samples import put_attempts

_SHARES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99}


def entry_draft(item: Located) -> Draft:
    """The run of one address; failures are in its times, as Locust counts them."""
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft = Draft(place=item.place, line=item.line, native=record)
    sent, failed = as_number(record.get("num_requests")), as_number(record.get("num_failures"))
    timed = (sent or 0.0) - (as_number(record.get("num_none_requests")) or 0.0)
    total = as_number(record.get("total_response_time"))
    if total is not None and timed > 0:
        draft.derive("e2e_mean_ms", total / timed, f"{item.place}: total_response_time / requests with a time")
    extremes = {"min": record.get("min_response_time"), "max": record.get("max_response_time")}
    put_statistics(draft, "e2e", extremes, item.place)
    _percentiles(draft, part(record, "response_times"), item.place)
    first, last = (as_number(record.get(key)) for key in ("start_time", "last_request_timestamp"))
    seconds = last - first if first is not None and last is not None and last > first else None
    draft.derive("duration_s", seconds, f"{item.place}: last_request_timestamp - start_time")
    draft.put("notes", record.get("name"), path=f"{item.place}.name")
    put_attempts(draft, sent, failed, sent / seconds if sent and seconds else None, item.place)
    return draft


def _percentiles(draft: Draft, times: Record, place: str) -> None:
    """The time at or below which each share of the requests lies; Locust rounds times before it counts them."""
    pairs = [(as_number(time), as_number(count)) for time, count in times.items()]
    known = sorted((time, count) for time, count in pairs if time is not None and count is not None and count > 0)
    total, largest = sum(count for _, count in known), draft.number("e2e_max_ms")
    for statistic, share in _SHARES.items():
        reached = 0.0
        for time, count in known:
            reached += count
            if reached >= share * total:
                time = time if largest is None else min(time, largest)
                draft.derive(f"e2e_{statistic}_ms", time, f"{place}.response_times: counts up to {share:.0%}")
                break
