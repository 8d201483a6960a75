"""Speculation against the closed form worked out here, and the properties that drafts have and have not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.engine import Case, evaluate
from analysis.figures import speculation as picture
from analysis.figures.style import ink
from analysis.parameters import starting_parameters
from analysis.studies import speculation
from analysis.studies.speculation_costs import LENGTHS, Draft, costs_of
from analysis.study import Study
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import slots, workload

KNOWN = load_catalogue()


def curve(study: Study, place: int = 0) -> pd.DataFrame:
    """Rows of one slot, one a draft length."""
    frame = study.marks["curves"]
    assert isinstance(frame, pd.DataFrame)
    return frame[frame["place"] == place].reset_index(drop=True)


def closed_form(acceptance: float, drafted: float, cost: float) -> float:
    """Speed-up with verification as dear as a plain step, as memory-bound machines have it: a geometric series."""
    return sum(acceptance**place for place in range(int(drafted) + 1)) / (drafted * cost + 1.0)


@pytest.mark.parametrize("cost", [0.0, 0.05, 0.1, 0.2])
def test_the_set_of_1_8_is_the_closed_form_on_a_memory_bound_gpu(cost: float) -> None:
    """One user, 16-bit weights, one GPU: v is 1 within 1 %, so the least acceptance gives 1.8 within 1 %.

    Lengths for which even acceptance 1 falls short, (k + 1)/(k c + 1) < 1.8, must have no acceptance.
    """
    one = workload("llama-3.1-8b", context_tokens=512, formats="bf16")
    study = speculation.study(one, slots(("h200-sxm", 1)), Draft(ratio=cost), wanted_speedup=1.8)
    reached = 0
    for row in curve(study).itertuples():
        if np.isnan(row.needed_for_speedup):
            assert closed_form(1.0, row.drafted, cost) < 1.8 * 1.01
            continue
        reached += 1
        assert closed_form(row.needed_for_speedup, row.drafted, cost) == pytest.approx(1.8, rel=0.01)
    assert reached >= 14


def test_published_claim_of_1_8_holds_for_usual_acceptances() -> None:
    """Acceptance 0.6 to 0.8 with 3 to 5 drafted tokens at a tenth of a step: 1.8 lies between the closed forms.

    (1 - 0.6^4)/0.4/1.3 = 1.67 < 1.8 < (1 - 0.8^4)/0.2/1.3 = 2.27; the least acceptance at k = 3 is therefore between.
    """
    one = workload("llama-3.1-8b", context_tokens=512, formats="bf16")
    rows = curve(speculation.study(one, slots(("h200-sxm", 1)), Draft(ratio=0.1)))
    assert all(0.6 < rows["needed_for_speedup"][drafted] < 0.8 for drafted in (3, 4, 5))


def test_wafer_verification_is_the_closed_form() -> None:
    """v = 1 + (share of the step in multiply-accumulates) x kappa x k, kappa 0.25, as the mesh law divides out."""
    one = costs_of(workload("llama-3.1-70b", formats="bf16"), slots(("wse-3", 4)), Draft())[0]
    expected = 1.0 + one.arithmetic_share * starting_parameters().mesh.reuse * LENGTHS
    assert one.arithmetic_share > 0.3
    np.testing.assert_allclose(one.verify_ratio, expected, rtol=1e-9)


def test_mixtures_verify_dearer_than_dense_models() -> None:
    """Five tokens reach D(5) = 128 (1 - (1 - 8/128)^5) = 35.3 experts of 128 instead of 8, a dense model its weights.

    One token reads 8 experts of 3 x 4,096 x 1,536 FP8 weights in each of 94 layers, five read 35.3: the experts' bytes
    alone grow by 4.4, so the step of Qwen3 235B must grow, and that of a dense model of 8B hardly.
    """
    mixture = costs_of(workload("qwen3-235b-a22b"), slots(("h200-sxm", 8)), Draft())[0]
    dense = costs_of(workload("llama-3.1-8b"), slots(("h200-sxm", 1)), Draft())[0]
    assert dense.verify_ratio[4] < 1.03
    assert mixture.verify_ratio[4] > 1.15


@pytest.mark.parametrize("chip", ["h200-sxm", "b200-sxm", "wse-3", "m3-ultra", "sambanova-sn40l"])
@pytest.mark.parametrize("model", ["glm-4.6", "llama-3.1-8b"])
def test_no_verification_beats_the_datasheet(chip: str, model: str) -> None:
    """The step is no shorter than its weights over bandwidth nor than its arithmetic over dense peak, at any length."""
    for users in (1.0, 64.0):
        for one in costs_of(workload(model, sequences=users), slots((chip, None)), Draft()):
            assert (one.verify_s * one.ceiling_per_s >= 1.0 - 1e-9).all()
            assert (np.diff(one.verify_s) >= 0).all()
            arithmetic = one.ceiling_per_s[0] / one.ceiling_per_s[-1]
            assert arithmetic <= 17.0 + 1e-9


def test_speed_with_drafts_stays_under_its_ceiling() -> None:
    study = speculation.study(workload("glm-4.6"), slots(), Draft(acceptance=1.0, ratio=0.0))
    rows = study.marks["curves"]
    assert isinstance(rows, pd.DataFrame)
    known = rows[rows["speedup"].notna()]
    speed, ceiling = known["speculative_tokens_per_s_per_user"], known["speculative_ceiling_tokens_per_s_per_user"]
    assert (speed <= ceiling * (1 + 1e-9)).all()


def test_best_length_is_inside_and_longer_drafts_are_slower() -> None:
    """The counter-example to "more is better": the curve rises and falls, and the study names its top."""
    study = speculation.study(workload("glm-4.6"), slots(), Draft(acceptance=0.7))
    rows = curve(study, place=1)
    best = study.table["best_drafted"][1]
    assert 1 <= best < 16
    assert rows["speedup"].iloc[-1] < rows["speedup"].max() == rows["speedup"][int(best)]


def test_many_users_make_drafts_worthless() -> None:
    """512 users fill the arithmetic: verifying nine tokens of each costs nearly nine times, so drafts lose."""
    alone, many = (
        speculation.study(workload("llama-3.1-8b", 1024, users), slots(("h200-sxm", 1)), Draft(drafted=8)).table
        for users in (1.0, 512.0)
    )
    assert many["verify_ratio"][0] > 2 * alone["verify_ratio"][0]
    assert many["speedup"][0] < 1.0 < alone["speedup"][0]


def test_memory_of_the_draft_counts() -> None:
    """70B in FP8 with its tables in 16 bits is 72.7 GB, and an H200 has 0.9 x 141 = 127 GB for everything.

    60 GB beside it ask for a second H200. The 8B draft is 7.0 GB of layers in FP8, 2.1 GB of tables in 16 bits and
    0.5 GB of cache at 8K: it finds room on 141 GB, and not on 90 GB, of which 81 may be used.
    """
    draft = Draft(kind="model", architecture=KNOWN.architecture("llama-3.1-8b"))
    plain = Case(
        architecture=KNOWN.architecture("llama-3.1-70b"), chip=KNOWN.chip("h200-sxm"), weight_format="fp8",
        kv_format="fp8", input_tokens=8192, output_tokens=0,
    )  # fmt: skip
    beside = replace(plain, beside_byte=60e9)
    alone, both = evaluate([plain, beside])["devices_needed"]
    assert (alone, both) == (1.0, 2.0)
    one = costs_of(workload("llama-3.1-70b"), slots(("h200-sxm", 1)), draft)[0]
    assert one.beside_byte == pytest.approx(7.0e9 + 2.1e9 + 0.54e9, rel=0.02)
    assert not one.refusal
    tight = replace(KNOWN.chip("h200-sxm"), memory_byte=90e9, memory_visible_byte=None)
    slot = replace(slots(("h200-sxm", 1))[0], chip=tight)
    assert "does not fit" in costs_of(workload("llama-3.1-70b"), [slot], draft)[0].refusal


def test_a_named_draft_costs_what_the_engine_says() -> None:
    """Its step is the engine's own answer for that model alone on one device."""
    draft = Draft(kind="model", architecture=KNOWN.architecture("llama-3.1-8b"))
    one = costs_of(workload("llama-3.1-70b"), slots(("h200-sxm", 8)), draft)[0]
    small = Case(
        architecture=KNOWN.architecture("llama-3.1-8b"), chip=KNOWN.chip("h200-sxm"), device_count=1,
        weight_format="fp8", kv_format="fp8", input_tokens=8192, output_tokens=0,
    )  # fmt: skip
    assert one.draft_s == pytest.approx(evaluate([small])["tpot_s"][0])
    assert one.draft_ratio == pytest.approx(one.draft_s / one.plain_s)


def test_a_draft_that_cannot_run_says_so() -> None:
    draft = Draft(kind="model", architecture=KNOWN.architecture("llama-2-7b"))
    one = costs_of(workload("llama-3.1-70b", context_tokens=65536), slots(("h200-sxm", 8)), draft)[0]
    assert one.refusal.startswith("the draft model alone: a context of 65,536 tokens is above the limit")


def test_heads_take_their_tokens_as_measured() -> None:
    """tau = 3 at a tree of 8, drafted for 0.2 of a step: 3 / (0.2 + v)."""
    draft = Draft(kind="heads", drafted=8, ratio=0.2, yielded=3.0)
    study = speculation.study(workload("llama-3.1-70b"), slots(("h200-sxm", 8)), draft)
    row = study.table.iloc[0]
    assert row["speedup"] == pytest.approx(3.0 / (0.2 + row["verify_ratio"]))
    assert curve(study)["needed_for_speedup"][8] == pytest.approx(1.8 * (0.2 + row["verify_ratio"]))


def test_machines_without_a_law_say_so() -> None:
    study = speculation.study(workload("glm-4.6"), slots(("groq-lpu-v1", None)), Draft())
    assert "several tokens a step: no law published" in study.table["verdict"][0]
    assert study.table["best_speedup"].isna().all()
    assert study.answer == f"None of these machines has an answer with drafts: {study.table['verdict'][0]}."
    picture.figure(study, ink("light"))
    picture.needs(study, ink("light"))


@pytest.mark.parametrize(
    ("context_tokens", "sequences"), [(0.0, 1.0), (0.0, 16.0), (4096.0, 8.0)], ids=["empty", "empty, 16", "4K"]
)
def test_a_step_of_several_tokens_is_a_step_of_as_many_users(context_tokens: float, sequences: float) -> None:
    """Matrices cannot tell five tokens of one user from one token of five; only the cache and the host can.

    With an empty cache the two steps take the same time but for the host's time of each user; with a full one, five
    tokens of a user read its cache once where five users read five.
    """
    base = Case(
        architecture=KNOWN.architecture("qwen3-30b-a3b"), chip=KNOWN.chip("h200-sxm"), device_count=1,
        weight_format="fp8", input_tokens=context_tokens, output_tokens=0, concurrency=sequences, new_tokens=5.0,
    )  # fmt: skip
    drafted, users = evaluate([base, replace(base, new_tokens=1.0, concurrency=5 * sequences)]).to_dict("records")
    seconds = ("memory_s", "compute_s", "communication_s")
    first, second = (sum(row[name] for name in seconds) for row in (drafted, users))
    if context_tokens == 0:
        assert first == pytest.approx(second, rel=1e-9)
    else:
        assert first < second
    assert drafted["host_s"] == pytest.approx(users["host_s"] / 5)


def test_answers_move_with_the_workload() -> None:
    """Every control reaches the answer: a draft without cost and full acceptance gives k + 1 over v."""
    free = Draft(acceptance=1.0, ratio=0.0, drafted=4)
    one: Workload = workload("llama-3.1-8b", context_tokens=512, formats="bf16")
    table = speculation.study(one, slots(("h200-sxm", 1)), free).table
    assert table["speedup"][0] == pytest.approx(5.0 / table["verify_ratio"][0])
    assert table["best_drafted"][0] == 16
