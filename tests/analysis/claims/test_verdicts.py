"""The thirty claims against figures worked out elsewhere, and what moves when a figure of the catalogue is edited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from analysis.claims.figures import changed, figure_of
from analysis.claims.judge import CHECKS, judge, judge_all
from analysis.claims.verdict import KINDS, Verdict
from data.catalogue.catalogue import load_catalogue
from data.catalogue.claim_files import Claim, load_claims
from data.errors import UnknownNameError, WaferlineError
from data.sources import Source

KNOWN = load_catalogue()
CLAIMS = {claim.key: claim for claim in load_claims()}
ORACLE: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "oracles" / "claims.yaml").read_text())
WITHOUT_FIGURES = {"c02", "c03", "c29", "c30"}  # statements about words, vendors and quality
FIELDS = [(key, field) for key, claim in CLAIMS.items() for field in claim.fields]


def own(check: str, **given: Any) -> Claim:
    """A claim as a person may write it."""
    return Claim(
        key="mine", says="something", printed="", document="a talk", source=Source(title="A talk", kind="person"),
        at="", check=check, given=MappingProxyType(given), own=True,
    )  # fmt: skip


def plain(text: str) -> str:
    """A sentence with ordinary spaces."""
    return text.replace("\u202f", " ").replace("\u00a0", " ")


def test_thirty_claims_are_there_and_every_check_is_used_or_offered() -> None:
    assert list(CLAIMS) == [f"c{number:02}" for number in range(1, 31)] == list(ORACLE)
    unused = set(CHECKS) - {claim.check for claim in CLAIMS.values()}
    assert unused == {"capacity"}, "checks nobody names; capacity serves claims of one's own"


@pytest.mark.parametrize("key", CLAIMS)
def test_verdict_and_numbers(key: str) -> None:
    """Kind and figures of every claim are those of the oracle, and the arithmetic is written out."""
    verdict, expected = judge(CLAIMS[key], KNOWN), ORACLE[key]
    assert verdict.kind == expected["kind"]
    assert verdict.kind in KINDS
    for name, (value, tolerance) in expected["figures"].items():
        assert verdict.figures[name] == pytest.approx(float(value), rel=tolerance or 1e-9), name
    missing = [words for words in map(str, expected["says"]) if words not in plain(verdict.sentence)]
    assert not missing, verdict.sentence
    assert verdict.steps
    assert all(step.substituted and step.source for step in verdict.steps)


def test_the_smallest_and_the_largest_hop_give_c17_by_hand() -> None:
    """Ten hops of 5 us are 50 us; 1 / 748 tok/s is 1.337 ms; 50 / 1,337 = 3.7 %; 5 % are 66.9 us, a tenth 6.69 us."""
    figures = judge(CLAIMS["c17"], KNOWN).figures
    assert figures["share"] == pytest.approx(10 * 5e-6 * 747.6, rel=1e-3)
    assert figures["hop_for_claim_s"] == pytest.approx(0.05 / 747.6 / 10, rel=1e-3)


def test_claims_without_figures_are_the_four_about_words() -> None:
    assert {key for key, claim in CLAIMS.items() if not claim.fields} == WITHOUT_FIGURES


@pytest.mark.parametrize(("key", "field"), FIELDS)
def test_an_edited_figure_moves_the_verdict(key: str, field: str) -> None:
    """A quarter more in any listed figure changes what is printed; the shipped catalogue itself is untouched."""
    before = judge(CLAIMS[key], KNOWN)
    copy = changed(KNOWN, field, 1.25)
    assert figure_of(copy, field) != figure_of(KNOWN, field)
    after = judge(CLAIMS[key], copy)
    assert (after.kind, after.sentence) != (before.kind, before.sentence)
    assert judge(CLAIMS[key], KNOWN) == before


@pytest.mark.parametrize(
    ("key", "field", "factor", "kind"),
    [
        ("c10", "architectures.glm-4.6.published_rounded_parameters", 1.25, "false by a factor"),  # 888, no prefix
        ("c05", "chips.wse-3.memory_byte", 3.0, "holds"),  # 10.6 bits, 6.3 at the planned share
        ("c11", "chips.h100-sxm.bandwidth_byte_per_s", 3.0 / 3.35, "holds"),  # 3.0 TB/s make it 7,000
        ("c12", "chips.wse-3.fabric_bandwidth_byte_per_s", 8.0, "holds"),  # bytes after all
        ("c28", "chips.groq-lpu-v1.memory_byte", 2.0, "false by a factor"),  # 96 times
        ("c08", "architectures.glm-4.6.published_rounded_parameters", 0.5, "holds"),  # the count still agrees
    ],
)
def test_a_verdict_changes_its_kind(key: str, field: str, factor: float, kind: str) -> None:
    """Worked by hand in the margin."""
    assert judge(CLAIMS[key], changed(KNOWN, field, factor)).kind == kind


def speed_of(verdict: Verdict) -> float:
    """The model's speed of a claim with one context and one format."""
    return next(value for name, value in verdict.figures.items() if name.startswith(("fp8 ", "bf16 ")))


@pytest.mark.parametrize(
    ("times", "kind"), [(0.5, "holds"), (1.0, "holds"), (2.0, "holds only if"), (50.0, "false by a factor")]
)
def test_own_speed_claim(times: float, kind: str) -> None:
    """Half the prediction holds, twice needs drafts, fifty times is beyond any drafts."""
    given: dict[str, Any] = {"chip": "h200-sxm", "device_count": 8.0, "model": "glm-4.6", "context_tokens": 8192.0,
                             "weight_format": "fp8", "cache_format": "fp8"}  # fmt: skip
    speed = speed_of(judge(own("speed", claimed_token_per_s=1.0, **given), KNOWN))
    verdict = judge(own("speed", claimed_token_per_s=times * speed, **given), KNOWN)
    assert verdict.kind == kind
    assert verdict.figures["tau_low"] == pytest.approx(times, rel=1e-6)


def test_own_speed_claim_on_too_few_devices_names_the_count() -> None:
    given: dict[str, Any] = {"chip": "wse-3", "device_count": 1.0, "model": "glm-4.6", "context_tokens": 8192.0,
                             "weight_format": "fp8"}  # fmt: skip
    verdict = judge(own("speed", claimed_token_per_s=700.0, **given), KNOWN)
    assert verdict.kind == "holds only if"
    assert "11 × WSE" in plain(verdict.sentence)


@pytest.mark.parametrize(("count", "kind"), [(8.0, "holds"), (1.0, "holds only if")])
def test_own_capacity_claim(count: float, kind: str) -> None:
    """GLM-4.6 in FP8 weighs 354 GB: eight times 141 GB hold it, one does not."""
    given: dict[str, Any] = {"chip": "h200-sxm", "model": "glm-4.6", "context_tokens": 8192.0, "users": 4.0,
                             "weight_format": "fp8"}  # fmt: skip
    assert judge(own("capacity", device_count=count, **given), KNOWN).kind == kind


def test_what_a_claim_lacks_or_misspells_is_named() -> None:
    with pytest.raises(WaferlineError, match="needs claimed_token_per_s"):
        judge(own("speed", chip="wse-3"), KNOWN)
    with pytest.raises(UnknownNameError, match="capacity"):
        judge(own("capasity"), KNOWN)
    with pytest.raises(UnknownNameError):
        judge(own("times_memory", chip="wse-33", other="h100-sxm", claimed_times=1.0), KNOWN)
    listed = judge_all([own("capasity")], KNOWN)
    assert listed[0][1].kind == "not testable"


def test_a_model_without_law_is_not_testable() -> None:
    """A chip whose latency form has no law gives no speed, and the verdict says so instead of raising."""
    claim = own("speed", chip="tt-wormhole-n150", model="llama-3.1-8b", claimed_token_per_s=10.0, context_tokens=0.0)
    no_bandwidth = replace(KNOWN.chip("tt-wormhole-n150"), bandwidth_byte_per_s=None)
    copy = replace(KNOWN, chips=MappingProxyType({**KNOWN.chips, "tt-wormhole-n150": no_bandwidth}))
    assert judge(claim, copy).kind == "not testable"


def test_paths_that_name_nothing_are_refused() -> None:
    with pytest.raises(UnknownNameError):
        figure_of(KNOWN, "chips.wse-3.memory")
    with pytest.raises(UnknownNameError):
        figure_of(KNOWN, "architectures.glm-4.6.heads")
    with pytest.raises(WaferlineError):
        figure_of(KNOWN, "prices.wse-3.x")
