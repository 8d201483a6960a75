"""JMeter: logs of single samples (JTL) in CSV and XML, aggregate and summary reports, the dashboard's statistics."""

from __future__ import annotations

import re

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.result import Answers, Question, Reader, Reading, Skipped
from data.readers.load_tests.aggregate import aggregate_drafts, dashboard_drafts, is_aggregate, is_dashboard
from data.readers.load_tests.jtl import guessed_header, header_of, read_rows, read_xml
from data.readers.load_tests.samples import Samples, samples_draft

_COLUMNS = "meaning:columns"


def _is_xml(content: Content) -> bool:
    return content.text.lstrip()[:1] == "<" and re.search(r"<testResults\b", content.text[:5_000]) is not None


def _recognise(content: Content) -> bool:
    if content.values:
        return len(content.values) == 1 and is_dashboard(content.values[0].value)
    if _is_xml(content) or is_aggregate(content):
        return True
    return header_of(content) is not None or guessed_header(content) is not None


def _read(content: Content, answers: Answers) -> Reading:
    first = content.values[0].value if content.values else None
    if isinstance(first, dict):
        drafts, skipped = dashboard_drafts(first)
        return Reading(drafts=drafts, questions=[], skipped=skipped, notices=[])
    if is_aggregate(content):
        drafts, skipped = aggregate_drafts(content)
        if not drafts:
            raise ReadError("the JMeter report holds no row of results")
        return Reading(drafts=drafts, questions=[], skipped=skipped, notices=[])
    samples, skipped, questions = _log(content, answers)
    if not samples.elapsed:
        raise ReadError("the JMeter log holds no sample", remedy="Check that the test ran and wrote its results.")
    draft, asked = samples_draft(samples, ("elapsed", "Latency"), answers)
    return Reading(drafts=[draft], questions=[*questions, *asked], skipped=skipped, notices=[])


def _log(content: Content, answers: Answers) -> tuple[Samples, list[Skipped], list[Question]]:
    """Samples of a log, with the question that columns without names raise."""
    if _is_xml(content):
        return (*read_xml(content.text), [])
    named = header_of(content)
    if named is not None:
        at, delimiter, names = named
        return (*read_rows(content.lines[at + 1 :], at + 2, delimiter, names), [])
    guessed = guessed_header(content)
    if guessed is None:
        raise ReadError("the JMeter log has neither header nor samples in JMeter's order")
    delimiter, names = guessed
    said = [name.strip() for name in answers.get(_COLUMNS, "").split(",") if name.strip()]
    if said and (len(said) != len(names) or not {"timeStamp", "elapsed"} <= set(said)):
        raise ReadError("the answer about the columns does not fit", found=", ".join(said),
                        expected=f"{len(names)} names, timeStamp and elapsed among them")  # fmt: skip
    samples, skipped = read_rows(content.lines, 1, delimiter, said or names)
    return samples, skipped, [] if said else [_columns_question(content, names)]


def _columns_question(content: Content, names: list[str]) -> Question:
    line = next(line for line in content.lines if line.strip())
    return Question(
        field=_COLUMNS,
        text="The log has no header. Are its columns " + ", ".join(names) + "?",
        proposal=",".join(names),
        because=f"JMeter's order around the column of true and false; the first line is {line[:200]!r}",
        blocking=True,
    )


READER = Reader(
    key="jmeter",
    title="JMeter log (JTL as CSV or XML), aggregate and summary report (CSV), dashboard statistics (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "engine", "weight_format", "isl_mean", "osl_mean", "output_tps", "ttft", "tpot"),
    asks=("model_raw", "hardware", "device_count", "engine", "weight_format", "isl_mean", "osl_mean"),
    sample="jmeter.csv",
)
