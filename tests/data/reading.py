"""Short ways for the reader tests to read bytes, objects and reference files."""

from __future__ import annotations

import json
from typing import Any

from data.readers import ReadResult, read_bytes
from data.records import Run
from tests.shared_files import shared_path


def read_object(value: object, name: str = "result.json", **answers: str) -> ReadResult:
    """A Python value as one JSON file."""
    return read_bytes(name, json.dumps(value).encode(), answers)


def read_text(text: str, name: str = "table.csv", answers: dict[str, str] | None = None) -> ReadResult:
    """A text as a file."""
    return read_bytes(name, text.encode(), answers)


def read_sample(name: str, answers: dict[str, str] | None = None, folder: str = "samples") -> ReadResult:
    """A file of the reference collection; skips where the collection is missing."""
    path = shared_path(folder, name)
    return read_bytes(path.name, path.read_bytes(), answers)


def accept(result: ReadResult) -> dict[str, str]:
    """The proposals of all open questions, as the answers of a person who agrees."""
    return {one.field: one.proposal for one in result.questions if one.blocking}


def only(result: ReadResult) -> Run:
    """The one run of a result."""
    assert len(result.runs) == 1, result.reason
    return result.runs[0]


def kinds(result: ReadResult) -> set[str]:
    """Kinds of the warnings."""
    return {one.kind for one in result.warnings}


def vllm(**changes: Any) -> dict[str, Any]:
    """A vLLM serve record whose figures agree: 100 requests of 1000/100 tokens in 10 s; None drops a key."""
    record: dict[str, Any] = {
        "date": "20250102-030405",
        "backend": "openai",
        "model_id": "meta-llama/Llama-3.1-8B-Instruct",
        "num_prompts": 100,
        "request_rate": "inf",
        "burstiness": 1.0,
        "max_concurrency": 10,
        "duration": 10.0,
        "completed": 100,
        "failed": 0,
        "total_input_tokens": 100_000,
        "total_output_tokens": 10_000,
        "request_throughput": 10.0,
        "output_throughput": 1000.0,
        "total_token_throughput": 11_000.0,
        "mean_ttft_ms": 50.0,
        "mean_tpot_ms": 9.0,
        "mean_itl_ms": 9.0,
    }
    return {key: value for key, value in {**record, **changes}.items() if value is not None}
