"""From a format's drafts to the result handed out: answers, derived fields, checks, identities, questions."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import PurePath

from data.readers.intake.answers import apply, missing
from data.readers.intake.checks import check
from data.readers.intake.content import Content
from data.readers.intake.derive import complete
from data.readers.intake.draft import Draft, clean
from data.readers.intake.identity import identity, warm_repeats
from data.readers.intake.result import Answers, Notice, Reader, Reading, ReadResult, Skipped
from data.records import Run

MAX_NATIVE_CHARACTERS = 20_000
SAME_NOTICE = 3  # runs that may each carry the same warning before it is said once for the file
_BULKY = ("generated_texts", "itls", "ttfts", "input_lens", "output_lens", "errors", "server_info")


def finish(content: Content, raw: bytes, reader: Reader, reading: Reading, answers: Answers) -> ReadResult:
    """The result of a file that `reader` has read."""
    apply(reading.drafts, answers)
    runs, notices, repeated = _runs(clean(PurePath(content.name).name), reader.key, reading.drafts)
    questions = [*reading.questions, *missing(reading.drafts, reader.asks, content.name, answers, content.beside)]
    open_count = sum(question.blocking for question in questions)
    return ReadResult(
        file=clean(PurePath(content.name).name),
        format=reader.key,
        tool_version=reading.tool_version,
        status="questions" if open_count else "taken",
        reason=_open(open_count),
        runs=tuple(runs),
        warnings=_gathered([*reading.notices, *notices]),
        questions=tuple(questions),
        skipped=(*reading.skipped, *repeated),
        sha256=hashlib.sha256(raw).hexdigest(),
        size_byte=len(raw),
        answers=dict(answers),
    )


def _runs(file: str, key: str, drafts: list[Draft]) -> tuple[list[Run], list[Notice], list[Skipped]]:
    """Completed and checked runs, their warnings, and drafts that repeat a run of the same file."""
    runs: dict[str, Run] = {}
    notices: list[Notice] = []
    repeated: list[Skipped] = []
    for draft in drafts:
        complete(draft)
        check(draft)
        run = _run(file, key, draft)
        if run.run_id in runs:
            repeated.append(Skipped(line=draft.line, why=f"{draft.place} repeats a run of this file, figure by figure"))
            continue
        runs[run.run_id] = run
        notices += [Notice(kind=kind, text=text, run=run.run_id, fields=names) for kind, text, names in draft.notices]
    for run, text in warm_repeats(runs.values()):
        notices.append(Notice(kind="warm_repeat", text=text, run=run.run_id, fields=("output_tps",)))
    return list(runs.values()), notices, repeated


def refused(name: str, raw: bytes, reason: str, *, key: str = "", skipped: tuple[Skipped, ...] = ()) -> ReadResult:
    """The result of a file that holds nothing to take."""
    return ReadResult(
        file=clean(PurePath(name).name),
        format=key,
        tool_version="",
        status="refused",
        reason=reason,
        skipped=skipped,
        sha256=hashlib.sha256(raw).hexdigest(),
        size_byte=len(raw),
    )


def _open(count: int) -> str:
    """Why a file with so many blocking questions is not taken yet."""
    if not count:
        return ""
    subject = "1 question about the meaning or unit of a figure is" if count == 1 else (
        f"{count:,} questions about the meaning or unit of figures are")  # fmt: skip
    return f"{subject} open"


def _gathered(notices: list[Notice]) -> tuple[Notice, ...]:
    """Notices in order; one that more than three runs share word for word is said once, for the file."""
    same: dict[tuple[str, str], list[Notice]] = {}
    for one in notices:
        same.setdefault((one.kind, one.text), []).append(one)
    found: list[Notice] = []
    for (kind, text), group in same.items():
        if len(group) > SAME_NOTICE:
            found.append(Notice(kind=kind, text=f"{text} ({len(group)} runs)", fields=group[0].fields))
        else:
            found += group
    return tuple(found)


def _run(file: str, key: str, draft: Draft) -> Run:
    return Run(
        run_id=draft.known_id or identity(draft),
        source_file=file,
        source_format=key,
        outcome=draft.outcome or "ok",
        values=dict(draft.values),
        fields=dict(draft.fields),
        native=_native(draft),
    )


def _native(draft: Draft) -> str:
    kept = {str(key): _strict(value) for key, value in draft.native.items() if key not in _BULKY}
    text = clean(json.dumps(kept, ensure_ascii=False))
    return text if len(text) <= MAX_NATIVE_CHARACTERS else json.dumps({"left_out": f"{len(text)} characters"})


def _strict(value: object, depth: int = 0) -> object:
    """The value without NaN and infinities (kept as text), cut at ten levels."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return "…" if depth > 9 else {str(key): _strict(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return "…" if depth > 9 else [_strict(item, depth + 1) for item in value[:200]]
    return value
