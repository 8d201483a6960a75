"""inference-perf's per_request_lifecycle_metrics.json: one request an entry, pooled into one run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.records import MAX_REQUESTS, Record, numbers, pick
from data.readers.intake.result import Answers, Reader, Reading
from data.readers.intake.statistics import MS_PER_S, put_samples
from data.readers.llmd.results import part
from data.readers.load_tests.samples import Samples, put_span

TWO_EVENTS = 1.2  # stream events per token beyond which events are not tokens


def _belongs(record: Record) -> bool:
    timed = "start_time" in record and "end_time" in record
    return timed and isinstance(record.get("info"), dict) and "error" in record


def _recognise(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records[:100])


def _read(content: Content, answers: Answers) -> Reading:
    items, left = pick(content, _belongs, "inference-perf request", MAX_REQUESTS)
    stages: dict[object, list[Record]] = {}
    for item in items:
        if isinstance(item.value, dict):
            stages.setdefault(as_number(item.value.get("stage_id")), []).append(item.value)
    drafts = [_pooled(records, stage) for stage, records in stages.items()]
    return Reading(drafts=drafts, questions=[], skipped=left, notices=[])


def _pooled(records: list[Record], stage: object) -> Draft:
    """The run of one stage, or of the whole file where requests name no stage."""
    place = "all requests" if stage is None else f"requests of stage {stage:g}"
    good = [record for record in records if not record.get("error")]
    if not records:
        raise ReadError("no request in the file")
    draft = Draft(place=place, line=1, native={"requests": len(records)})
    draft.put("num_requests", len(records), path=place)
    draft.put("notes", None if stage is None else f"stage {stage:g}", path="stage_id")
    draft.put("completed", len(good), path=f"{place} without error")
    samples = Samples()
    for record in records:
        start, end = as_number(record.get("start_time")), as_number(record.get("end_time"))
        if start is not None and end is not None and end >= start:
            samples.add(MS_PER_S * start, MS_PER_S * (end - start), None, None)
    put_span(draft, samples, dated=False)
    _lengths(draft, good, place)
    _latencies(draft, good, place)
    return draft


def _lengths(draft: Draft, good: Iterable[Record], place: str) -> None:
    for side, key, total in (("isl", "input_tokens", "total_input_tokens"), ("osl", "output_tokens",
                                                                            "total_output_tokens")):  # fmt: skip
        known = [count for record in good if (count := as_number(part(record, "info").get(key))) is not None]
        if known:
            draft.put(total, sum(known), path=f"info.{key} of {place}, summed", origin="derived")
            draft.lengths_fixed = min(known) == max(known) if side == "osl" else draft.lengths_fixed
    seconds = draft.number("duration_s")
    for name, total in (("input_tps", "total_input_tokens"), ("output_tps", "total_output_tokens")):
        tokens = draft.number(total)
        draft.derive(name, tokens / seconds if tokens is not None and seconds else None, f"{total} / duration")


def _latencies(draft: Draft, good: Iterable[Record], place: str) -> None:
    """Times of answered requests; TPOT over the tokens counted, gaps between stream events as ITL."""
    found = _Times()
    for record in good:
        found.add(record)
    put_samples(draft, "e2e", found.whole, f"end_time - start_time of {place}")
    put_samples(draft, "ttft", found.first, f"first output_token_times - start_time of {place}")
    put_samples(draft, "tpot", found.token, f"(last - first of output_token_times) / (output_tokens - 1) of {place}")
    put_samples(draft, "itl", found.gaps, f"gaps of output_token_times of {place}")
    if found.events > TWO_EVENTS * found.tokens > 0:
        draft.warn(
            "stream_events",
            f"{found.events:g} stream events for {found.tokens:g} tokens: ITL is per event; TPOT is taken over tokens",
            "itl_mean_ms",
            "tpot_mean_ms",
        )


@dataclass(kw_only=True)
class _Times:
    """Times in ms, a value a request; gaps a value a stream event."""

    whole: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    token: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    events: float = 0.0
    tokens: float = 0.0

    def add(self, record: Record) -> None:
        """Take one answered request; where nothing was streamed all comes at once, and only the whole time counts."""
        start, end = as_number(record.get("start_time")), as_number(record.get("end_time"))
        if start is None or end is None or end < start:
            return
        self.whole.append(MS_PER_S * (end - start))
        info = part(record, "info")
        times, tokens = numbers(info.get("output_token_times")) or [], as_number(info.get("output_tokens")) or 0.0
        if len(times) < 2 or times[0] < start:
            return
        self.first.append(MS_PER_S * (times[0] - start))
        self.gaps += [MS_PER_S * (after - before) for before, after in pairwise(times) if after >= before]
        self.events, self.tokens = self.events + len(times), self.tokens + tokens
        if tokens > 1:
            self.token.append(MS_PER_S * (times[-1] - times[0]) / (tokens - 1))


READER = Reader(
    key="inference_perf_requests",
    title="inference-perf records of single requests (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "device_count", "tp", "engine_version", "weight_format", "concurrency", "power_w"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="inference_perf_requests.json",
)
