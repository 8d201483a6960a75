"""GuideLLM's benchmarks.csv in both layouts: one flat header, or three header rows; a row is a run."""

from __future__ import annotations

from data.errors import ReadError
from data.readers.guidellm_report.benchmark import benchmark_draft, is_benchmark
from data.readers.guidellm_report.tables import benchmarks_of, is_flat, is_grouped
from data.readers.guidellm_report.token_times import definition_notice
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.result import Answers, Notice, Reader, Reading, Skipped


def _recognise(content: Content) -> bool:
    return is_grouped(content) or is_flat(content)


def _read(content: Content, answers: Answers) -> Reading:
    rows, skipped = benchmarks_of(content)
    drafts, notices = list[Draft](), list[Notice]()
    for line, row in rows:
        if not is_benchmark(row):
            skipped.append(Skipped(line=line, why="no latency of successful requests in the row"))
            continue
        arguments = row.get("arguments") if isinstance(row.get("arguments"), dict) else {}
        report = {"metadata": row.get("metadata"), "config": arguments, "args": arguments}
        drafts.append(benchmark_draft(row, report, f"row {line}", line))
        text = "" if notices else definition_notice(drafts[-1], row)
        notices += [Notice(kind="metric_definition", text=text, fields=("tpot_mean_ms",))] if text else []
    if not drafts:
        raise ReadError("no row of the table is a benchmark", remedy="Bring the JSON report of the same run.")
    versions = {draft.text("source_tool_version") for draft in drafts} - {""}
    version = versions.pop() if len(versions) == 1 else ""
    return Reading(drafts=drafts, questions=[], skipped=skipped, notices=notices, tool_version=version)


READER = Reader(
    key="guidellm_csv",
    title="GuideLLM table (CSV, flat or with three header rows)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format", "power_w"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="guidellm.csv",
)
