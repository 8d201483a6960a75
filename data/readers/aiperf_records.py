"""AIPerf's profile_export.jsonl: one request a line, pooled into one run, read line by line however many there are."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from data.readers.intake.content import Content
from data.readers.intake.delimited import LeftOut
from data.readers.intake.json_values import Located
from data.readers.intake.records import MAX_REQUESTS, pick
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.nvidia.requests import is_request, pool
from data.readers.nvidia.sections import ASKS

_FIRST_LINE_CHARACTERS = 1_000_000


def _by_line(content: Content) -> bool:
    """True if the first line with text is one whole request."""
    head = content.text[:_FIRST_LINE_CHARACTERS].lstrip()
    first = _value(head.partition("\n")[0]) if head.startswith('{"') else None
    return isinstance(first, dict) and is_request(first)


def _value(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _recognise(content: Content) -> bool:
    if _by_line(content):
        return True
    return any(isinstance(item.value, dict) and is_request(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    left = LeftOut()
    if _by_line(content):
        draft, questions, skipped = pool(_lines(content, left), answers)
    else:
        items, left.named = pick(content, is_request, "AIPerf request", MAX_REQUESTS)
        draft, questions, skipped = pool(items, answers)
    return Reading(drafts=[draft], questions=questions, skipped=[*left.listed(), *skipped], notices=[])


def _lines(content: Content, left: LeftOut) -> Iterator[Located]:
    """The JSON value of every line, one at a time."""
    for number, line in enumerate(io.StringIO(content.text), start=1):
        if not line.strip():
            continue
        value = _value(line)
        if value is None:
            left.add(Skipped(line=number, why="not valid JSON"))
        else:
            yield Located(value=value, place=f"line {number}", line=number)


READER = Reader(
    key="aiperf_records",
    title="AIPerf records of single requests (JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "concurrency", "request_rate", "hardware", "device_count", "tp", "engine", "weight_format"),
    asks=ASKS,
    sample="aiperf_records.jsonl",
    first=True,
)
