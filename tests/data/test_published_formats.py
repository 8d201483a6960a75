"""Weights that no file names: the published checkpoint's format is proposed or assumed, and said to be."""

from __future__ import annotations

import json
from typing import Any

from app import cache
from data.readers import ReadResult, read_bytes
from data.records import Run, RunField
from data.store.published_formats import published_format, with_published_format
from data.store.resolve import resolve_names
from tests.data.reading import vllm

KNOWN = cache.catalogue()
GPT_OSS = "bf16 (experts mxfp4)"  # OpenAI's model card: MoE weights in MXFP4, everything else in BF16


def read(**values: Any) -> ReadResult:
    """A vLLM result with other values, its names resolved."""
    return resolve_names(read_bytes("result.json", json.dumps(vllm(**values)).encode()), KNOWN)


def question(result: ReadResult) -> Any:
    """The question about the weights."""
    return next(one for one in result.questions if one.field == "weight_format")


def guessed(path: str, origin: Any = "assumed") -> Run:
    """A run of gpt-oss-20b whose weights were read as bfloat16."""
    field = RunField(raw="bfloat16", unit="", origin=origin, path=path)
    values = {"model_id": "gpt-oss-20b", "weight_format": "bfloat16"}
    return Run(run_id="r", source_file="f", source_format="sglang_serving", outcome="ok", values=values,
               fields={"weight_format": field})  # fmt: skip


def test_published_formats_name_experts_that_differ() -> None:
    assert published_format(KNOWN.architectures["gpt-oss-20b"]) == GPT_OSS
    assert published_format(KNOWN.architectures["deepseek-v3"]) == "fp8"  # its report: trained and published in FP8
    assert published_format(KNOWN.architectures["llama-3.1-8b"]) == "bf16"


def test_weights_that_no_file_says_are_proposed_and_not_taken() -> None:
    result = read(model_id="openai/gpt-oss-20b")
    assert question(result).proposal == GPT_OSS
    assert question(result).because.startswith("as published")
    assert "weight_format" not in result.runs[0].values


def test_a_type_to_compute_in_is_no_weight_format() -> None:
    """bfloat16 beside no quantization: the checkpoint's format is assumed with its reason; a stated one is left."""
    path = "$.server_info.dtype (no quantization named)"
    run = with_published_format(guessed(path), KNOWN.architectures)
    assert run.values["weight_format"] == GPT_OSS
    assert run.fields["weight_format"].origin == "assumed"
    assert run.fields["weight_format"].path.startswith("as published")
    for kept in (guessed("$.dtype", "stated"), guessed(path, "person"), guessed("from the model's name")):
        assert with_published_format(kept, KNOWN.architectures) is kept


def test_the_name_of_a_file_wins_over_what_was_published() -> None:
    said = json.dumps(vllm(model_id="openai/gpt-oss-20b")).encode()
    result = resolve_names(read_bytes("run_fp8.json", said), KNOWN)
    assert question(result).proposal == "fp8"
