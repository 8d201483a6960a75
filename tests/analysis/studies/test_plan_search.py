"""The plan search: a frontier checked pair by pair, the answer GLM-4.6 is known for, and what would have to change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.engine import evaluate
from analysis.figures import plan_search as picture
from analysis.figures.style import ink
from analysis.frontier import on_frontier
from analysis.sentences import ANSWER_LENGTH
from analysis.studies.plan_changes import changes_for
from analysis.studies.plan_grid import family_of, grid, servers
from analysis.studies.plan_search import AGAINST, Wanted, study
from analysis.study import Study, rows_of
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import workload

KNOWN = load_catalogue()
FEW = [KNOWN.chips[key] for key in ("h200-sxm", "b200-sxm", "wse-3", "groq-lpu-v1")]
EIGHT = (("fp8", "fp8"),)


def found(model: str = "glm-4.6", context: float = 8192, target: float = 1000, **more: Any) -> Study:
    wanted = Wanted(target_token_per_s=target, **({"formats": EIGHT} | more))
    return study(workload(model, context), FEW, wanted, KNOWN.prices)


@given(st.lists(st.tuples(st.integers(1, 9), st.one_of(st.integers(1, 9), st.just(float("nan")))), max_size=30))
def test_frontier_is_what_no_other_point_beats(points: list[tuple[int, float]]) -> None:
    """Second route: every pair compared. Of equal points one is kept; unknown values are never on the frontier."""
    speed, value = np.array([p[0] for p in points], float), np.array([p[1] for p in points], float)
    marked = on_frontier(speed, value)
    kept = {points[at] for at in np.flatnonzero(marked)}
    assert len(kept) == marked.sum()
    known = [p for p in points if p[1] == p[1]]
    beaten = {p for p in known for q in known if q != p and q[0] >= p[0] and q[1] >= p[1]}
    assert kept == set(known) - beaten


def test_frontier_of_the_study_against_all_pairs() -> None:
    for against, sign in (("output_tokens_per_s_per_device", 1), ("cost_usd_per_million_tokens", -1)):
        plans = rows_of(found(against=against).marks["plans"])  # type: ignore[arg-type]
        points = {(r["tokens_per_s_per_user"], sign * r[against]) for r in plans if r[against] == r[against]}
        best = {(r["tokens_per_s_per_user"], sign * r[against]) for r in plans if r["frontier"]}
        assert best
        for speed, value in best:
            assert not any(s >= speed and v >= value and (s, v) != (speed, value) for s, v in points)


def test_glm_at_8k_names_the_closest_and_what_would_do() -> None:
    """Independent implementation: 11 wafers give 748 tok/s, so speculation giving 1,000 / 748 = 1.34 × would do."""
    answer = found()
    assert answer.answer.endswith("11 × WSE-3 comes to 748; speculation giving 1.34 × would do.")
    wafers = answer.table[answer.table["family"] == "Cerebras WSE"].iloc[0]
    assert wafers["accepted_tokens_per_step"] == pytest.approx(1000 / 748, rel=0.002)
    assert wafers["with_bandwidth"] == "no gain"  # the region's read does not bind
    assert wafers["device_count"] == 11


def test_every_family_has_a_row_with_its_binding_term() -> None:
    table = found(context=200_000).table
    assert set(table["family"]) == {"NVIDIA Hopper", "NVIDIA Blackwell", "Cerebras WSE", "Groq LPU"}
    assert table["binds"].str.len().gt(0).all()
    gpus = table[table["family"].str.startswith("NVIDIA")]
    assert gpus["cost_usd_per_million_tokens"].notna().all()
    assert (gpus["accepted_tokens_per_step"] > 5).all()


def test_what_would_do_does() -> None:
    """Second route: wafers asked at 8K and 16K by hand; a speed between the two is reached at 8K, not at 16K."""
    model = workload("llama-3.1-70b", 131_072)
    wafers = [KNOWN.chips["wse-3"]]
    plan = next(p for p in grid(model, wafers, EIGHT) if p.users == 1)
    at_8k, at_16k = (
        evaluate([replace(plan.case, input_tokens=tokens)])["tokens_per_s_per_user"][0] for tokens in (8192.0, 16384.0)
    )
    assert at_16k < at_8k
    wanted = Wanted(target_token_per_s=(at_8k + at_16k) / 2, formats=EIGHT)
    changes = changes_for(model, [plan], [{"tokens_per_s_per_user": 100.0}], wanted.target_token_per_s)[0]
    assert changes["with_context"] == "8K would do"
    assert changes["accepted_tokens_per_step"] == pytest.approx(wanted.target_token_per_s / 100)
    assert changes["with_bandwidth"] in ("no gain",) or " ×: " in changes["with_bandwidth"]


def test_a_target_within_reach_takes_the_best_plan_at_it() -> None:
    answer = found(target=80, against="cost_usd_per_million_tokens")
    winner = answer.marks["winner"]
    plans = rows_of(answer.marks["plans"])  # type: ignore[arg-type]
    reaching = [r["cost_usd_per_million_tokens"] for r in plans if r["tokens_per_s_per_user"] >= 80]
    assert winner["cost_usd_per_million_tokens"] == np.nanmin(reaching)  # type: ignore[index]
    assert answer.table["accepted_tokens_per_step"].isna().all()


def test_no_plan_waits_for_room_and_all_fit() -> None:
    plans = found().marks["plans"]
    assert (plans["running"] >= plans["users"] - 1e-9).all()  # type: ignore[index]


def test_thousands_of_plans_on_all_families_on_sale() -> None:
    """One call: every plan of every server chip on sale; engine and search agree on the first of them."""
    chips = servers(KNOWN.chips.values())
    plans = grid(workload("glm-4.6"), chips, (("fp8", "fp8"), ("bf16", "bf16")))
    assert len(plans) > 3000
    assert {"NVIDIA Hopper", "AMD CDNA 3", "Cerebras WSE", "Groq LPU", "Google TPU"} <= {family_of(c) for c in chips}
    assert all(chip.available for chip in chips)
    assert len({(p.name, p.spread, p.users, p.weights) for p in plans}) == len(plans)
    assert len(evaluate([plan.case for plan in plans[:5]])) == 5


def test_a_model_that_nothing_holds() -> None:
    answer = study(workload("llama-3-8b", 200_000), FEW, Wanted(target_token_per_s=10), KNOWN.prices)
    said = "a context of 200,000 tokens is above the limit of Llama 3 8B: 8,192"
    assert answer.answer == f"No plan serves Llama 3 8B at 200K: {said}."
    assert answer.arithmetic() == ()


@pytest.mark.parametrize("against", AGAINST.values())
@pytest.mark.parametrize(("model", "target"), [("glm-4.6", 100.0), ("llama-3.1-8b", 1.0), ("kimi-k2", 5000.0)])
def test_figures_draw_and_answers_are_short(model: str, target: float, against: str) -> None:
    answer = found(model, target=target, against=against)
    assert len(answer.answer) <= ANSWER_LENGTH
    assert "nan" not in answer.answer
    drawn = picture.figure(answer, {"wse-3": 2}, ink("light"))
    json.dumps(drawn, allow_nan=False)
    go.Figure(drawn)
    assert answer.arithmetic()
