"""What an answer says of experts published in another format than the other weights."""

from __future__ import annotations

import pytest

from analysis.engine import Case, evaluate
from data.catalogue.catalogue import load_catalogue

KNOWN = load_catalogue()


@pytest.mark.parametrize(
    ("model", "weight", "expert", "said"),
    [
        ("gpt-oss-120b", "", "", ["weights bf16 with mxfp4 experts, as published"]),
        ("gpt-oss-120b", "bf16", "", ["experts stay in mxfp4, as published"]),
        ("gpt-oss-120b", "bf16 (experts mxfp4)", "", []),
        ("gpt-oss-120b", "bf16", "fp8", []),
        ("gpt-oss-120b", "fp8", "", []),
        ("kimi-k2.5", "", "", ["weights bf16 with int4 experts, as published"]),
        ("kimi-k2.5", "bf16", "", ["experts stay in int4, as published"]),
        ("kimi-k2.5", "fp8", "", []),
        ("qwen3-235b-a22b", "", "", ["weights bf16, the model's native format"]),
        ("llama-3.1-8b", "", "", ["weights bf16, the model's native format"]),
    ],
)
def test_experts_in_another_format_are_named(model: str, weight: str, expert: str, said: list[str]) -> None:
    case = Case(
        architecture=KNOWN.architecture(model), chip=KNOWN.chip("h100-sxm"), weight_format=weight, expert_format=expert
    )
    parts = evaluate([case])["assumed"].iloc[0].split("; ")
    assert [each for each in parts if "weights" in each or "experts" in each] == said
    assert "cache in 16 bits" in parts


def test_experts_that_stay_narrow_explain_why_fp8_takes_more_than_bf16() -> None:
    """Kimi K2.5 in BF16 keeps its INT4 experts; in FP8 they take a byte each. The answer in BF16 must say so."""
    model, chip = KNOWN.architecture("kimi-k2.5"), KNOWN.chip("h100-sxm")
    wide, narrow = (
        row
        for _, row in evaluate(
            [Case(architecture=model, chip=chip, weight_format=each) for each in ("bf16", "fp8")]
        ).iterrows()
    )
    assert narrow["weight_byte"] > wide["weight_byte"]
    assert "as published" in wide["assumed"]
