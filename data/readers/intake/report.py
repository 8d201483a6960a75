"""A read result as plain strict JSON, the form that the command line prints."""

from __future__ import annotations

from typing import Any

from data.readers.intake.result import ReadResult
from data.records import Run


def report(result: ReadResult) -> dict[str, Any]:
    """The result in dictionaries, lists, text and finite numbers; a field that is not known is absent."""
    return {
        "file": result.file,
        "format": result.format or None,
        "tool_version": result.tool_version or None,
        "status": result.status,
        "reason": result.reason or None,
        "runs": [run_report(run) for run in result.runs],
        "warnings": [
            {"kind": one.kind, "text": one.text, "run": one.run, "fields": list(one.fields)} for one in result.warnings
        ],
        "questions": [
            {"field": one.field, "text": one.text, "proposal": one.proposal or None, "because": one.because}
            for one in result.questions
        ],
        "skipped": [{"line": one.line, "why": one.why} for one in result.skipped],
    }


def run_report(run: Run) -> dict[str, Any]:
    """One run: canonical fields by name, then `fields` with where each figure comes from."""
    return {
        "run_id": run.run_id,
        "source_file": run.source_file,
        "source_format": run.source_format,
        "outcome": run.outcome,
        **run.values,
        "fields": {
            name: {"raw": one.raw, "unit": one.unit, "origin": one.origin, "path": one.path}
            for name, one in run.fields.items()
        },
    }
