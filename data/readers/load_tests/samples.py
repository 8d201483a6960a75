"""Single requests of an HTTP load test, and the run that they add up to."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from datetime import UTC, datetime

from data.readers.intake.draft import Draft, Origin
from data.readers.intake.offers import first_byte_is_ttft, offer_first_byte
from data.readers.intake.result import Answers, Question
from data.readers.intake.statistics import MS_PER_S, put_samples

LATEST_MS = 1e14
MAX_LABELS, MAX_LABEL_CHARACTERS = 50, 200
COARSE = 20  # steps of the clock that a duration must span to be told at all


@dataclass(kw_only=True)
class Samples:
    """Times of requests in ms, one entry a request; `passed` is 1, 0, or 2 where the file does not say.

    starts   when it was sent, ms since 1970, NaN where the file does not say
    """

    starts: array[float] = field(default_factory=lambda: array("d"))
    elapsed: array[float] = field(default_factory=lambda: array("d"))
    first_byte: array[float] = field(default_factory=lambda: array("d"))
    passed: bytearray = field(default_factory=bytearray)
    users: float = 0.0
    labels: set[str] = field(default_factory=set)
    nested: int = 0  # rows that only sum up other rows
    resolution_ms: float = 1.0  # of the time stamps

    def add(self, start: float | None, elapsed: float, first_byte: float | None, passed: bool | None) -> None:
        """Append one request."""
        missing = float("nan")
        self.starts.append(missing if start is None else start)
        self.elapsed.append(elapsed)
        self.first_byte.append(missing if first_byte is None else first_byte)
        self.passed.append(2 if passed is None else int(passed))

    def add_label(self, label: str) -> None:
        """Remember a kind of request, up to a limit."""
        if len(self.labels) < MAX_LABELS:
            self.labels.add(label[:MAX_LABEL_CHARACTERS])


def samples_draft(samples: Samples, names: tuple[str, str], answers: Answers) -> tuple[Draft, list[Question]]:
    """The run of these requests; latencies are of those that passed, as far as the file tells.

    names   what the file calls the time of the whole request and the time to the first byte
    """
    total, failed = len(samples.elapsed), samples.passed.count(0)
    draft = Draft(place="$", line=1, native={"requests": total, "labels": sorted(samples.labels)})
    draft.put("num_requests", total, path="requests of the file")
    if 2 not in samples.passed:
        draft.put("failed", failed, path="requests marked as failed")
    draft.put("concurrency_peak", samples.users or None, path="largest number of users at work", origin="derived")
    kept = [number for number in range(total) if samples.passed[number] != 0]
    put_span(draft, samples)
    whose = "requests" if failed == 0 else "requests that passed"
    put_samples(draft, "e2e", [samples.elapsed[n] for n in kept], f"{names[0]} of {len(kept)} {whose}")
    first = [value for n in kept if (value := samples.first_byte[n]) == value]
    questions = list[Question]()
    if first and first_byte_is_ttft(answers):
        put_samples(draft, "ttft", first, f"{names[1]} of {len(first)} {whose}, said to be the first token")
    elif first:
        questions = offer_first_byte(names[1], sum(first) / len(first), answers)
    if len(samples.labels) > 1:
        shown = ", ".join(sorted(samples.labels)[:5])
        draft.warn("mixed_requests", f"{len(samples.labels)} kinds of requests are pooled: {shown}", "e2e_mean_ms")
    return draft, questions


def put_span(draft: Draft, samples: Samples, dated: bool = True) -> None:
    """Start and duration: from the first request sent to the last one answered.

    dated   the starts are moments since 1970, not readings of a clock that began somewhere
    """
    pairs = [(start, took) for start, took in zip(samples.starts, samples.elapsed, strict=True) if start == start]
    if not pairs or len(pairs) < len(samples.elapsed):
        return
    begin, end = min(start for start, _ in pairs), max(start + took for start, took in pairs)
    if dated and 0 < begin < LATEST_MS:
        moment = datetime.fromtimestamp(begin / MS_PER_S, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        draft.put("started_at", moment, path="first request sent", origin="converted", shown=f"{begin:.0f}")
    if end - begin > COARSE * (samples.resolution_ms - 1.0):
        draft.put("duration_s", (end - begin) / MS_PER_S, path="last answer - first request", origin="derived")


def put_attempts(draft: Draft, sent: float | None, failed: float | None, rate: float | None, path: str) -> None:
    """Counts of a summary whose rate and times include failures; the rate kept is that of successes.

    rate   requests attempted in a second
    """
    draft.put("num_requests", sent, path=path)
    draft.put("failed", failed, path=path)
    if rate is not None and sent and failed is not None:
        how: Origin = "derived" if failed else "stated"
        share = "" if not failed else f" * {sent - failed:g} / {sent:g} (attempted: {rate:.6g}/s)"
        draft.put("request_rps", rate * (sent - failed) / sent, path=f"{path}{share}", origin=how, shown=f"{rate:.12g}")
    if rate and sent:
        draft.derive("duration_s", sent / rate, "requests / requests per second")
    _judge(draft, sent or 0.0, failed or 0.0)


def _judge(draft: Draft, sent: float, failed: float) -> None:
    """Outcome and warnings where failed requests are among those timed."""
    if not failed or not sent:
        return
    draft.outcome = "failed" if failed >= sent else "partial"
    draft.warn(
        "failed_requests",
        f"{failed:g} of {sent:g} requests failed ({100 * failed / sent:.3g} %): not comparable with a complete run",
        "failed",
        "num_requests",
    )
    draft.warn(
        "contain_failures",
        "the times contain failures: an error that comes back at once pulls minimum, mean and percentiles down",
        *(name for name in draft.values if name.startswith("e2e_")),
    )
