"""GuideLLM's benchmarks.json and .yaml, 0.1 to 0.8: every benchmark of the report is a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from data.errors import ReadError
from data.readers.guidellm_report.benchmark import benchmark_draft, is_benchmark
from data.readers.guidellm_report.token_times import definition_notice
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.result import Answers, Notice, Reader, Reading, Skipped
from data.readers.intake.yaml_documents import documents

_YAML = re.compile(r"^benchmarks:\s*$", re.M)
_YAML_METRICS = re.compile(r"^\s+(?:request_latency|time_to_first_token_ms):\s*$", re.M)

Report = Mapping[str, Any]


def _recognise(content: Content) -> bool:
    return _reports(content) != [] if content.values else _is_yaml(content)


def _is_yaml(content: Content) -> bool:
    return _YAML.search(content.text) is not None and _YAML_METRICS.search(content.text) is not None


def _reports(content: Content) -> list[tuple[Report, str, int]]:
    """(report, place, line) of every object or YAML document that holds benchmarks."""
    items = content.records if content.values else documents(content)
    found = [(item.value, item.place, item.line) for item in items if isinstance(item.value, dict)]
    return [(value, place, line) for value, place, line in found if _benchmarks(value)]


def _benchmarks(report: Report) -> list[tuple[int, Report]]:
    if is_benchmark(report):  # one entry of `benchmarks`, kept alone
        return [(0, report)]
    listed = report.get("benchmarks")
    return [(n, one) for n, one in enumerate(listed) if is_benchmark(one)] if isinstance(listed, list) else []


def _read(content: Content, answers: Answers) -> Reading:
    reports = _reports(content)
    drafts, skipped, notices = list[Draft](), list[Skipped](content.unparsed), list[Notice]()
    for report, place, line in reports:
        read = _benchmarks(report)
        pairs = [(benchmark_draft(one, report, f"{place}.benchmarks[{n}]", line), one) for n, one in read]
        drafts += [draft for draft, _ in pairs]
        total = len(report["benchmarks"]) if isinstance(report.get("benchmarks"), list) else 0
        if total > len(read):
            why = f"{total - len(read)} entries of {place}.benchmarks are no generative benchmark"
            skipped.append(Skipped(line=line, why=why))
        texts = [text for draft, one in pairs if (text := definition_notice(draft, one))]
        notices += [Notice(kind="metric_definition", text=text, fields=("tpot_mean_ms",)) for text in texts[:1]]
    if not drafts:
        raise ReadError("no GuideLLM benchmark in the file", expected="benchmarks with metrics by request status")
    versions = {draft.text("source_tool_version") for draft in drafts} - {""}
    return Reading(
        drafts=drafts,
        questions=[],
        skipped=skipped,
        notices=notices,
        tool_version=versions.pop() if len(versions) == 1 else "",
    )


READER = Reader(
    key="guidellm",
    title="GuideLLM report (JSON, YAML)",
    recognise=_recognise,
    read=_read,
    lacks=("hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format", "power_w"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="guidellm.json",
)
