"""oha's JSON report: times in seconds, and a rate that counts failed requests too."""

from __future__ import annotations

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located, as_number
from data.readers.intake.offers import first_byte_is_ttft, offer_first_byte
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Question, Reader, Reading
from data.readers.intake.statistics import MS_PER_S, put_statistics
from data.readers.llmd.results import part
from data.readers.load_tests.samples import put_attempts

_SUMMARY = {"average": "mean", "slowest": "max", "fastest": "min"}
_FIRST_ERROR = 400  # HTTP status codes from here on tell of a failure


def _belongs(record: Record) -> bool:
    return "requestsPerSec" in part(record, "summary") and isinstance(record.get("latencyPercentiles"), dict)


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "oha")
    read = [_draft(item, answers) for item in items]
    questions = [one for _, asked in read for one in asked]
    return Reading(drafts=[draft for draft, _ in read], questions=questions[:1], skipped=left, notices=[])


def _draft(item: Located, answers: Answers) -> tuple[Draft, list[Question]]:
    record: Record = item.value if isinstance(item.value, dict) else {}
    draft, summary, at = Draft(place=item.place, line=item.line, native=record), part(record, "summary"), item.place
    figures = {name: summary.get(key) for key, name in _SUMMARY.items()}
    put_statistics(draft, "e2e", figures, f"{at}.summary", scale=MS_PER_S, unit="s")
    ranks, first = part(record, "latencyPercentiles"), part(record, "firstBytePercentiles")
    put_statistics(draft, "e2e", ranks, f"{at}.latencyPercentiles", scale=MS_PER_S, unit="s")
    if first_byte_is_ttft(answers):
        place = f"{at}.firstBytePercentiles, said to be the first token"
        put_statistics(draft, "ttft", first, place, scale=MS_PER_S, unit="s")
    draft.put("duration_s", summary.get("total"), path=f"{at}.summary.total", unit="s")
    sent, failed = _counts(record)
    path = f"{at}.statusCodeDistribution, errorDistribution"
    put_attempts(draft, sent, failed, as_number(summary.get("requestsPerSec")), path)
    asked = offer_first_byte("firstBytePercentiles.p50", MS_PER_S * (as_number(first.get("p50")) or 0.0), answers)
    return draft, asked


def _counts(record: Record) -> tuple[float | None, float | None]:
    """Requests sent, and those that ended in an error or with a status of one."""
    codes = {str(code): as_number(count) or 0.0 for code, count in part(record, "statusCodeDistribution").items()}
    errors = sum(as_number(count) or 0.0 for count in part(record, "errorDistribution").values())
    if not codes and not errors:
        return None, None
    refused = sum(count for code, count in codes.items() if (as_number(code) or 0.0) >= _FIRST_ERROR)
    return sum(codes.values()) + errors, refused + errors


READER = Reader(
    key="oha",
    title="oha report (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "engine", "weight_format", "isl_mean", "osl_mean", "output_tps", "ttft", "tpot"),
    asks=("model_raw", "hardware", "device_count", "engine", "weight_format", "isl_mean", "osl_mean"),
    sample="oha.json",
)
