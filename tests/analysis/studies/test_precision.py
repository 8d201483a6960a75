"""Formats by component, pruning and fusion: bytes by hand, limits, and what must not reach a prediction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.engine import Case, evaluate
from analysis.figures import precision as picture
from analysis.figures.style import ink
from analysis.parameters import starting_parameters
from analysis.studies import precision
from analysis.studies.precision_bytes import held_by_component, moved_by_component, operators_launched
from analysis.studies.precision_change import Change, changed, pruned
from analysis.study import Study
from analysis.workload import met_weights, read_cache, weights_of
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import slots, workload

KNOWN = load_catalogue()
GLM_EXPERTS = 89 * 160 * 3 * 5120 * 1536
GLM_TABLE = 151552 * 5120


def only(study: Study) -> pd.Series:  # type: ignore[type-arg]
    """The row of a study of one slot."""
    assert len(study.table) == 1
    return study.table.iloc[0]


def test_nothing_changed_changes_nothing() -> None:
    study = precision.study(workload("glm-4.6"), slots(), Change())
    table = study.table
    for name in ("weight_byte", "tokens_per_s_per_user", "output_tokens_per_s", "devices_needed"):
        np.testing.assert_array_equal(table[f"{name}_before"], table[f"{name}_after"])
    assert study.answer.startswith("Nothing is changed")


def test_experts_of_a_mixture_in_four_bits() -> None:
    """GLM-4.6 has 89 x 160 x 3 x 5,120 x 1,536 = 336 G expert weights; FP8 to NVFP4 saves 1 - 0.5625 B of each."""
    row = only(precision.study(workload("glm-4.6"), slots(("b200-sxm", 8)), Change(expert_format="nvfp4")))
    saved = row["weight_byte_before"] - row["weight_byte_after"]
    assert saved == pytest.approx(0.4375 * GLM_EXPERTS, rel=1e-9)
    assert row["tokens_per_s_per_user_after"] > row["tokens_per_s_per_user_before"]


def test_head_and_tables_in_eight_bits() -> None:
    """Embedding and head are 151,552 x 5,120 each, 16 bits in an FP8 checkpoint: 8 bits save one byte of each."""
    row = only(precision.study(workload("glm-4.6"), slots(("h200-sxm", 8)), Change(head_format="fp8")))
    assert row["weight_byte_before"] - row["weight_byte_after"] == pytest.approx(2 * GLM_TABLE, rel=1e-9)


def test_weights_alone_cannot_gain_more_than_their_bytes() -> None:
    """A 70B model on one H200 with one user reads little but weights: 16 to 8 bits is at most twice as fast."""
    one = workload("llama-3.1-70b", context_tokens=512, formats="bf16")
    change = Change(attention_format="fp8", dense_format="fp8", head_format="fp8")
    row = only(precision.study(one, slots(("h200-sxm", 2)), change))
    times = row["tokens_per_s_per_user_after"] / row["tokens_per_s_per_user_before"]
    assert 1.2 < times <= 2.0
    assert row["weight_byte_after"] / row["weight_byte_before"] == pytest.approx(0.5, abs=1e-3)


def test_fewer_wafers_are_needed_for_narrower_weights() -> None:
    """44 GB x 0.8 of weights a wafer: 354 GB need 10.1, so 11, and 207 GB need 5.9, so 6."""
    row = only(precision.study(workload("glm-4.6"), slots(("wse-3", None)), Change(expert_format="nvfp4")))
    assert (row["devices_needed_before"], row["devices_needed_after"]) == (11, 6)
    assert row["needed"] == "11 → 6"


def test_launching_half_of_the_operators_halves_their_time() -> None:
    """Launches are the only latency of a dense model on one GPU."""
    case = Case(
        architecture=KNOWN.architecture("llama-3.1-8b"), chip=KNOWN.chip("h200-sxm"), device_count=1,
        input_tokens=1024, output_tokens=0, weight_format="bf16",
    )  # fmt: skip
    whole, half, none = evaluate([replace(case, launched_fraction=share) for share in (1.0, 0.5, 0.0)])["latency_s"]
    assert half == pytest.approx(whole / 2)
    assert none == 0.0


def test_operators_by_hand() -> None:
    """A dense layer launches qkv, attention, out, up with gate, down: 80 x 5, and the head: 401."""
    believed = starting_parameters()
    case = Case(
        architecture=KNOWN.architecture("llama-3.1-70b"), chip=KNOWN.chip("h200-sxm"), device_count=8,
        weight_format="bf16", input_tokens=1024, output_tokens=0,
    )  # fmt: skip
    assert operators_launched(case, (8.0, 1.0, 1.0), believed) == 401
    assert operators_launched(replace(case, launched_fraction=0.5), (8.0, 1.0, 1.0), believed) == 200.5
    assert np.isnan(operators_launched(replace(case, chip=KNOWN.chip("wse-3")), (1.0, 1.0, 1.0), believed))


def test_activations_shrink_with_their_format_and_with_fusion() -> None:
    """16 to 8 bits halves what operators write, fusing half of it halves it again; the cache stays."""
    one, chip = workload("glm-4.6"), KNOWN.chip("h200-sxm")
    plain, narrow, fused = (moved_by_component(one, chip, *how) for how in ((2.0, 0.0), (1.0, 0.0), (1.0, 0.5)))
    assert narrow["activations"] == pytest.approx(plain["activations"] / 2)
    assert fused["activations"] == pytest.approx(plain["activations"] / 4)
    assert plain["cache"] == narrow["cache"] == read_cache(one, chip)
    case = Case(
        architecture=one.architecture, chip=chip, device_count=8, weight_format="fp8", input_tokens=8192,
        output_tokens=0, concurrency=256.0,
    )  # fmt: skip
    usual, eight = evaluate([case, replace(case, activation_format="fp8")]).to_dict("records")
    assert eight["communication_s"] < usual["communication_s"]
    assert eight["memory_s"] < usual["memory_s"]


@pytest.mark.parametrize("model", ["glm-4.6", "llama-3.1-8b", "gpt-oss-120b", "qwen3-next-80b-a3b", "gemma-3-27b"])
def test_components_add_up_to_the_model(model: str) -> None:
    """What is held is the weights and the cache; what is moved is the weights met, the cache and activations."""
    one, chip = workload(model, sequences=4.0), KNOWN.chip("h200-sxm")
    held, moved = held_by_component(one, chip), moved_by_component(one, chip, 2.0, 0.0)
    assert sum(held.values()) - held["cache"] == pytest.approx(weights_of(one, chip).total)
    weights = sum(moved[name] for name in ("attention", "dense", "experts", "head"))
    assert weights == pytest.approx(met_weights(one, chip)[0])
    assert 0 < moved["activations"] < 0.1 * sum(moved.values())


def test_wafers_skip_the_work_of_zeros_but_not_the_way() -> None:
    """Halving the weights halves their multiply-accumulates; the head, attention, fixed time and crossings stay."""
    case = Case(
        architecture=KNOWN.architecture("llama-3.1-70b"), chip=KNOWN.chip("wse-3"), device_count=4,
        weight_format="bf16", input_tokens=0, output_tokens=0,
    )  # fmt: skip
    whole, half = evaluate([case, replace(case, kept_fraction=0.5)]).to_dict("records")
    head = 128256 * 8192
    layers = 80 * (8192 * (64 + 16) * 128 + 8192 * 8192 + 3 * 8192 * 28672)
    assert half["compute_s"] / whole["compute_s"] == pytest.approx((layers / 2 + head) / (layers + head), rel=1e-6)
    assert half["latency_s"] == whole["latency_s"]
    assert half["communication_s"] == pytest.approx(whole["communication_s"])


def test_pruning_is_counted_only_where_a_chip_gains() -> None:
    two, eighth = Change(pruning="2:4"), Change(pruning="1:8")
    assert pruned(KNOWN.chip("h200-sxm"), two) == (0.5, 0.25, "")
    assert pruned(KNOWN.chip("groq-lpu-v1"), two)[0] == 1.0
    assert pruned(KNOWN.chip("wse-3"), eighth)[0] == 0.125
    assert pruned(KNOWN.chip("h200-sxm"), eighth)[0] == 1.0
    row = only(precision.study(workload("glm-4.6"), slots(("h200-sxm", 8)), eighth))
    assert row["weight_byte_after"] == row["weight_byte_before"]
    assert row["verdict"].endswith("claimed for wafers")


def test_two_of_four_saves_three_eighths_of_eight_bits() -> None:
    """5 of 8 bits stay of every layer's weight; tables, router, norms and biases are not pruned."""
    one, chip = workload("glm-4.6"), KNOWN.chip("h200-sxm")
    before, after = (weights_of(each, chip) for each in (one, changed(one, chip, Change(pruning="2:4"))))
    router = 89 * 160 * 5120 * 2
    assert np.sum(after.experts) - router == pytest.approx(0.625 * (np.sum(before.experts) - router))
    assert np.sum(after.dense_mlp) == pytest.approx(0.625 * np.sum(before.dense_mlp))
    assert (after.embedding, after.head) == (before.embedding, before.head)


def test_an_assumed_gain_stays_out_of_every_prediction() -> None:
    plain, gained = (
        precision.study(workload("glm-4.6"), slots(), Change(expert_format="nvfp4", assumed_gain=gain))
        for gain in (1.0, 1.54)
    )
    columns = [name for name in plain.table if not name.startswith("assumed")]
    pd.testing.assert_frame_equal(plain.table[columns], gained.table[columns])
    assert plain.table["assumed_tokens_per_s_per_user"].isna().all()
    ratio = gained.table["assumed_tokens_per_s_per_user"] / gained.table["tokens_per_s_per_user_after"]
    assert (ratio <= 1.54 * (1 + 1e-12)).all()
    ceiling = gained.table["ceiling_tokens_per_s_per_user_after"].to_numpy()
    assert not (gained.table["assumed_tokens_per_s_per_user"].to_numpy() > ceiling * (1 + 1e-9)).any()
    assert "assumed" in gained.conditions
    assert any("no prediction holds it" in each for each in gained.remarks)


def test_a_model_that_fits_only_when_narrowed_says_so() -> None:
    study = precision.study(workload("llama-3.1-70b", formats="bf16"), slots(("h100-sxm", 1)), Change(
        attention_format="int4", dense_format="int4"))  # fmt: skip
    assert study.answer.endswith("1 × H100 80GB holds it now, which it did not before.")
    assert only(study)["verdict"] == "fits now"


def test_quality_is_always_mentioned() -> None:
    study = precision.study(workload("llama-3.1-70b"), slots(("h200-sxm", 8)), Change(dense_format="int4"))
    assert any("accuracy gate" in each for each in study.remarks)


@pytest.mark.parametrize("change", [Change(), Change(pruning="any", kept_fraction=0.1, assumed_gain=3.0)])
@pytest.mark.parametrize("model", ["glm-4.6", "kimi-k2", "gemma-2-2b"])
def test_figures_draw_for_every_kind_of_answer(change: Change, model: str) -> None:
    study = precision.study(workload(model), slots(("h200-sxm", 1), ("wse-3", None), ("dmatrix-corsair", 8)), change)
    for theme in ("light", "dark"):
        picture.figure(study, ink(theme))
        picture.bytes_moved(study, ink(theme))
    assert len(study.answer) <= 130
    assert len(str(study.marks["components_title"])) <= 130


@pytest.mark.parametrize(
    "wrong", [{"kept_fraction": 0.0}, {"kept_fraction": 1.5}, {"fused_fraction": -0.1}, {"launched_fraction": 2.0},
              {"index_byte": float("nan")}, {"new_tokens": float("nan")}, {"head_format": "fp9"}],
)  # fmt: skip
def test_numbers_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    case = Case(architecture=KNOWN.architecture("llama-3.1-8b"), chip=KNOWN.chip("h200-sxm"), output_tokens=0)
    row = evaluate([replace(case, **wrong)]).iloc[0]  # type: ignore[arg-type]
    assert not row["feasible"]
    assert np.isnan(row["tokens_per_s_per_user"])
