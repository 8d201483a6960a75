"""MLPerf Inference results: LoadGen's summary of a run, and the tables of submitters."""

from __future__ import annotations

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.mlperf_results.summary import TITLE, blocks, summary_draft
from data.readers.mlperf_results.table import is_row, is_table, row_drafts, table_rows


def _any_row(content: Content) -> bool:
    return any(isinstance(item.value, dict) and is_row(item.value) for item in content.records)


def _recognise(content: Content) -> bool:
    if content.values:
        return _any_row(content)
    return TITLE in content.text or is_table(content) is not None


def _read(content: Content, answers: Answers) -> Reading:
    header = is_table(content)
    if content.values:
        items, skipped = pick(content, is_row, "MLPerf")
        rows: list[tuple[int, Record]] = []
        rows += [(number, item.value) for number, item in enumerate(items, start=1) if isinstance(item.value, dict)]
    elif TITLE in content.text or header is None:
        return _summaries(content)
    else:
        rows, skipped = table_rows(content, header)
    drafts, questions = row_drafts(rows, answers)
    return Reading(drafts=drafts, questions=questions, skipped=skipped, notices=[])


def _summaries(content: Content) -> Reading:
    drafts, skipped, refused = list[Draft](), list[Skipped](), list[ReadError]()
    for line, block in blocks(content.lines):
        try:
            draft = summary_draft(line, block)
        except ReadError as error:
            refused.append(error)
            skipped.append(Skipped(line=line, why=error.what))
            continue
        if any(name.endswith(("_tps", "_rps", "_ms")) for name in draft.values):
            drafts.append(draft)
        else:
            skipped.append(Skipped(line=line, why="the summary breaks off before any figure"))
    if not drafts:
        raise refused[0] if refused else ReadError("the MLPerf summary holds no figure", remedy="Bring the whole file.")
    return Reading(drafts=drafts, questions=[], skipped=skipped, notices=[])


READER = Reader(
    key="mlperf",
    title="MLPerf Inference (mlperf_log_summary.txt, summary.csv, summary_results.json)",
    recognise=_recognise,
    read=_read,
    lacks=("failed", "itl", "isl_mean", "model_raw and hardware in the txt", "latencies in the tables"),
    asks=("model_raw", "hardware", "device_count", "engine", "engine_version", "weight_format"),
    sample="mlperf.txt",
)
