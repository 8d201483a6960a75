"""Prometheus: text scrapes of a serving engine, and the JSON that a query or a query over a range returns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.fields import FIELDS
from data.readers.intake.records import Record
from data.readers.intake.result import Answers, Question, Reader, Reading
from data.readers.metrics_text.exposition import Growth, growth_between, points_of, query_scrapes, scrapes_of
from data.readers.metrics_text.serving import serving_draft

_TEXT = re.compile(
    r"^# (?:HELP|TYPE) [a-zA-Z_:]\S*|^(?:vllm|sglang|tgi|trtllm)[:_][a-z0-9_]+(?:\{[^}\n]*\})? \S+(?: -?\d+)?\s*$", re.M
)
_SERIES = "meaning:series"
_AVERAGED = ("output_tps", "input_tps", "total_tps", "request_rps", "power_w", "concurrency_mean")
_REMEDY = "Bring the engine's own metrics (vllm:…, sglang:…, tgi_…), at best one scrape before and one after the run."


def _is_query(record: Record) -> bool:
    bare = record.get("resultType") in ("matrix", "vector", "scalar") and "result" in record
    return bare or (record.get("status") in ("success", "error") and ("data" in record or "errorType" in record))


def _query(content: Content) -> Record | None:
    """The answer to a query; answers to several, one after another or in a list, as one with all their series."""
    found = [one.value for one in content.records if isinstance(one.value, dict) and _is_query(one.value)]
    if len(found) <= 1:
        return found[0] if found else None
    results = [one for query in found for one in _results(query)]
    return {"status": "success", "data": {"resultType": "matrix", "result": results}}


def _results(query: Record) -> list[Record]:
    """The series of an answer."""
    data = query.get("data", query)
    raw = data.get("result") if isinstance(data, dict) else None
    return [one for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []


def _recognise(content: Content) -> bool:
    if content.values:
        return _query(content) is not None
    return _TEXT.search(content.text) is not None


def _read(content: Content, answers: Answers) -> Reading:
    query = _query(content)
    if query is not None:
        return _answer(query, answers)
    scrapes = scrapes_of(content.lines)
    if not scrapes:
        raise ReadError("this scrape holds no metric of a serving engine", remedy=_REMEDY)
    growth = growth_between(scrapes)
    return _reading(growth, _time_question(growth, answers))


def _time_question(growth: Growth, answers: Answers) -> list[Question]:
    """Scrapes carry no time of their own: without it there are counts and latencies, but no rates."""
    if growth.since_start or growth.seconds or "duration_s" in answers:
        return []
    text = "How many seconds passed between the first scrape and the last? Without it the run has no rates."
    return [Question(field="duration_s", text=text, because="neither the scrapes nor the files' names give a time")]


def _reading(growth: Growth, questions: Sequence[Question] = ()) -> Reading:
    draft = serving_draft(growth)
    if not growth.since_start and not draft.number("completed", "ttft_mean_ms", "itl_mean_ms", "e2e_mean_ms",
                                                   "output_tps"):  # fmt: skip
        raise ReadError("nothing was served between the scrapes", remedy=_REMEDY)
    measured = any(name.endswith(("_ms", "_tps")) or name == "completed" for name in draft.values)
    if not measured:
        raise ReadError("this scrape holds no count or latency of requests", remedy=_REMEDY)
    return Reading(drafts=[draft], questions=list(questions), skipped=[], notices=[])


def _answer(query: Record, answers: Answers) -> Reading:
    """What a query returned: series with names as if scraped, or one series whose meaning only the person knows."""
    if query.get("status", "success") != "success":
        raise ReadError("the query failed", found=str(query.get("error"))[:200], remedy="Repeat the query.")
    results = _results(query)
    if not any(points_of(one) for one in results):
        raise ReadError("the query returned no number", remedy="Query a time at which the server was at work.")
    scrapes = query_scrapes(results)
    return _reading(growth_between(scrapes)) if scrapes else _unnamed(results, answers)


def _unnamed(results: Sequence[Mapping[str, object]], answers: Answers) -> Reading:
    """Series of an expression carry no name: ask what they are, and average over time what may be averaged."""
    said = answers.get(_SERIES, "")
    if len(results) > 1:
        raise ReadError("the result holds several series without a metric's name", found=f"{len(results)} series",
                        remedy="Sum them in the query, or query the metrics themselves.")  # fmt: skip
    points = points_of(results[0])
    if said and said not in _AVERAGED:
        known = said in FIELDS
        why = "a percentile or latency cannot be averaged over time" if known else "there is no such field"
        raise ReadError(f"the series cannot be taken as {said}: {why}", expected=" or ".join(_AVERAGED))
    mean, seconds = sum(value for _, value in points) / len(points), points[-1][0] - points[0][0]
    draft = Draft(place="$.data.result[0]", line=1, native={"points": len(points), "mean": mean})
    draft.derive("duration_s", seconds or None, "last - first point")
    if said:
        draft.put(said, mean, path=f"mean of {len(points)} points, called {said} by the person", origin="person")
        return Reading(drafts=[draft], questions=[], skipped=[], notices=[])
    question = Question(
        field=_SERIES,
        text=f"What does the series measure ({len(points)} points, mean {mean:.6g})? "
        f"Answer one of {', '.join(_AVERAGED)}.",
        because="the result of an expression carries neither name nor unit",
        blocking=True,
    )
    return Reading(drafts=[draft], questions=[question], skipped=[], notices=[])


READER = Reader(
    key="prometheus",
    title="Prometheus text scrapes and query results (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine_version", "weight_format", "rates from a single scrape"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="prometheus.txt",
)
