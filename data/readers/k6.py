"""k6: points one a row (CSV) or one a line (JSON), and the summary at the end of a test in both of its shapes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.delimited import LeftOut, rows_of, wrong_width
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.offers import first_byte_is_ttft, offer_first_byte
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Reader, Reading
from data.readers.intake.statistics import MS_PER_S, put_statistics
from data.readers.llmd.results import part
from data.readers.load_tests.samples import Samples, put_attempts, samples_draft

_WHOLE, _FIRST, _FAILED = "http_req_duration", "http_req_waiting", "http_req_failed"
_GOOD = "http_req_duration{expected_response:true}"
_HEADER = ("metric_name", "timestamp", "metric_value")


def _names(content: Content) -> list[str]:
    line = next((line for line in content.lines[:3] if line.strip()), "")
    return [name.strip().strip('"') for name in line[:5_000].split(",")]


def _is_point(record: Record) -> bool:
    return record.get("type") == "Point" and "metric" in record and isinstance(record.get("data"), dict)


def _is_summary(record: Record) -> bool:
    return "http_reqs" in _metrics(record)


def _metrics(record: Record) -> dict[str, Record]:
    """Figures of every metric by its name, from each shape that the summary has had; empty for anything else."""
    for metrics in (record.get("metrics"), part(record, "results").get("metrics")):
        if isinstance(metrics, list):
            named = [(one.get("name"), one) for one in metrics if isinstance(one, dict)]
        else:
            named = list(metrics.items()) if isinstance(metrics, dict) else []
        found = {str(name): part(one, "values") or one for name, one in named if isinstance(one, dict)}
        if found:
            return found
    return {}


def _recognise(content: Content) -> bool:
    if content.values:
        head = content.records[:200]
        return any(isinstance(one.value, dict) and (_is_point(one.value) or _is_summary(one.value)) for one in head)
    return all(name in _names(content) for name in _HEADER)


def _read(content: Content, answers: Answers) -> Reading:
    summaries = [item for item in content.records if isinstance(item.value, dict) and _is_summary(item.value)]
    if summaries:
        drafts, questions = list[Draft](), list[Question]()
        for item in summaries:
            record: Record = item.value if isinstance(item.value, dict) else {}
            draft, asked = _summary(record, item.place, item.line, answers)
            drafts.append(draft)
            questions += asked
        return Reading(drafts=drafts, questions=questions[:1], skipped=list(content.unparsed), notices=[])
    skipped = LeftOut(named=list(content.unparsed))
    points = _json_points(content) if content.values else _csv_points(content, skipped)
    tally = _tally(points)
    if not tally.samples.elapsed:
        raise ReadError("the k6 output holds no http_req_duration", remedy="Bring the output of an HTTP test.")
    draft, asked = samples_draft(tally.samples, (_WHOLE, _FIRST), answers)
    _counts(draft, tally)
    return Reading(drafts=[draft], questions=asked, skipped=skipped.listed(), notices=[])


@dataclass(frozen=True, kw_only=True)
class _Point:
    metric: str
    seconds: float | None
    value: float
    tags: Mapping[str, object]


@dataclass(kw_only=True)
class _Tally:
    """Requests of the points, and how many k6 itself counted as sent and failed."""

    samples: Samples = field(default_factory=Samples)
    sent: float = 0.0
    failed: float | None = None


def _csv_points(content: Content, skipped: LeftOut) -> Iterator[_Point]:
    start = next(n for n, line in enumerate(content.lines) if line.strip())
    names = _names(content)
    for line, cells in rows_of(content.lines[start + 1 :], ",", start + 2):
        row = dict(zip(names, cells, strict=False))
        value = as_number(row.get("metric_value"))
        if len(cells) != len(names):
            skipped.add(wrong_width(line, cells, names))
        elif value is not None:
            yield _Point(metric=row["metric_name"], seconds=_seconds(row["timestamp"]), value=value, tags=row)


def _json_points(content: Content) -> Iterator[_Point]:
    for item in content.records:
        if isinstance(item.value, dict) and _is_point(item.value):
            data = item.value["data"]
            value = as_number(data.get("value"))
            if value is not None:
                seconds = _seconds(str(data.get("time")))
                yield _Point(metric=str(item.value["metric"]), seconds=seconds, value=value, tags=part(data, "tags"))


def _seconds(text: str) -> float | None:
    """Seconds since 1970 of a number (seconds, or finer units by their size) or an ISO date."""
    number = as_number(text)
    if number is None:
        try:
            return datetime.fromisoformat(text).timestamp()
        except ValueError:
            return None
    while number > 1e11:  # k6 can write ms, us and ns as well
        number /= MS_PER_S
    return number


def _tally(points: Iterable[_Point]) -> _Tally:
    tally, waiting = _Tally(), list[float]()
    for point in points:
        if point.metric == _WHOLE:
            verdict = str(point.tags.get("expected_response", "")).lower()
            passed = verdict == "true" if verdict in ("true", "false") else _by_status(point.tags)
            sent = None if point.seconds is None else point.seconds * MS_PER_S - point.value
            tally.samples.add(sent, point.value, None, passed)
            tally.samples.add_label(str(point.tags.get("name") or ""))
        elif point.metric == _FIRST:
            waiting.append(point.value)
        elif point.metric == "http_reqs":
            tally.sent += point.value
        elif point.metric == _FAILED:
            tally.failed = (tally.failed or 0.0) + point.value
        elif point.metric == "vus":
            tally.samples.users = max(tally.samples.users, point.value)
    whole = all(start != start or (start + took) % MS_PER_S == 0 for start, took in _pairs(tally.samples))
    tally.samples.resolution_ms = MS_PER_S if whole else 1.0
    if len(waiting) == len(tally.samples.elapsed):
        tally.samples.first_byte = array("d", waiting)
    return tally


def _pairs(samples: Samples) -> Iterator[tuple[float, float]]:
    return zip(samples.starts, samples.elapsed, strict=True)


def _by_status(tags: Mapping[str, object]) -> bool | None:
    status = as_number(tags.get("status"))
    return None if status is None else 200 <= status < 400


def _counts(draft: Draft, tally: _Tally) -> None:
    """k6's own count of failures wins over what the single points tell."""
    if tally.failed is not None:
        draft.put("failed", tally.failed, path="sum of http_req_failed")
    if tally.sent and tally.sent != len(tally.samples.elapsed):
        draft.warn("inconsistent", f"http_reqs counts {tally.sent:g} requests, but {len(tally.samples.elapsed)} times "
                   "are in the file", "num_requests")  # fmt: skip


def _summary(record: Record, place: str, line: int, answers: Answers) -> tuple[Draft, list[Question]]:
    """One end-of-test summary."""
    found = _metrics(record)
    draft = Draft(place=place, line=line, native={"metrics": found, "state": record.get("state")})

    def values(name: str) -> Record:
        return found.get(name, {})

    sent, rate = as_number(values("http_reqs").get("count")), as_number(values("http_reqs").get("rate"))
    share = as_number(values(_FAILED).get("rate", values(_FAILED).get("value")))  # its `passes` are the failures
    failed = None if share is None or sent is None else float(round(share * sent))
    only_good = bool(failed) and bool(values(_GOOD))
    chosen = _GOOD if only_good else _WHOLE
    put_statistics(draft, "e2e", values(chosen), f"{place}.metrics.{chosen}")
    if first_byte_is_ttft(answers):
        put_statistics(draft, "ttft", values(_FIRST), f"{place}.metrics.{_FIRST}, said to be the first token")
    users = as_number(values("vus_max").get("max", values("vus_max").get("value")))
    draft.put("concurrency_peak", users, path=f"{place}.metrics.vus_max")
    lasted = part(record, "state").get("testRunDurationMs")
    draft.put("duration_s", lasted, path=f"{place}.state.testRunDurationMs", scale=1 / MS_PER_S, unit="ms")
    put_attempts(draft, sent, failed, rate, f"{place}.metrics.http_reqs, http_req_failed")
    if only_good:
        draft.notices = [one for one in draft.notices if one[0] != "contain_failures"]
    return draft, offer_first_byte(_FIRST, as_number(values(_FIRST).get("avg")) or 0.0, answers)


READER = Reader(
    key="k6",
    title="k6 points (CSV, JSON) and summary (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "engine", "weight_format", "isl_mean", "osl_mean", "output_tps", "ttft", "tpot"),
    asks=("model_raw", "hardware", "device_count", "engine", "weight_format", "isl_mean", "osl_mean"),
    sample="k6.json",
)
