"""The page on trust: errors by hand, splits kept apart, few marks, and what is set aside or not covered named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.figures import trust as picture
from analysis.figures.style import ink
from analysis.studies import trust
from analysis.studies.trust import Choice
from data.catalogue.accuracy_files import IN_SAMPLE, LEFT_OUT, Accuracy
from data.catalogue.catalogue import load_catalogue

TPOT = Choice(regime="serving", quantity="tpot_s")


def run(at: int, measured: float, inside: float, outside: float, **more: object) -> dict[str, object]:
    said = {
        "row_id": f"serving-{at:04d}", "group": "serving", "regime": "serving", "model": "llama-3.1-8b",
        "hardware": "h200-sxm", "engine": "vLLM", "quantity": "tpot_s", "measured": measured,
        "predicted_in_sample": inside, "predicted_left_out": outside, "low": outside * 0.8, "high": outside * 1.25,
        "clean": True, "note": "",
    }  # fmt: skip
    return said | more


def line(split: str, mape: float, **more: object) -> dict[str, object]:
    said = {
        "group": "serving", "regime": "serving", "quantity": "tpot_s", "rows": 3.0, "split": split,
        "left_out_by": "model" if split == LEFT_OUT else "", "mape_percent": mape, "median_percent": mape / 2,
        "p90_percent": 2 * mape, "goal_mape_percent": 13.0, "goal_median_percent": 10.5,
        "coverage_fraction": 0.8, "interval_ratio": 1.5, "note": "",
    }  # fmt: skip
    return said | more


def report(*runs: dict[str, object]) -> Accuracy:
    lines = [line(IN_SAMPLE, 10.0), line(LEFT_OUT, 12.0), line(LEFT_OUT, 14.0, left_out_by="GPU")]
    return Accuracy(summary=pd.DataFrame(lines), predictions=pd.DataFrame(list(runs)))


THREE = (
    run(1, 0.010, 0.010, 0.011),
    run(2, 0.010, 0.010, 0.013),
    run(3, 0.020, 0.020, 0.010),
    run(4, 0.010, 0.010, 0.100, clean=False, note="load did not respond"),
)


def test_errors_by_hand() -> None:
    """Left out 10 %, 30 % and 50 %: median 30, mean 30, one of three within 20 %; the fourth is set aside."""
    study = trust.study(report(*THREE), TPOT, LEFT_OUT)
    assert "Half of 3 unseen runs are within 30 %, 33 % within 20 %" in study.answer
    assert "Mean error 30 %; all rows, 1 set aside included, 248 %" in study.conditions  # (10 + 30 + 50 + 900) / 4


def test_interval_counts_clean_runs() -> None:
    """Intervals are 0.8 to 1.25 of predictions: 10 in 8.8 to 13.75, 10 not in 10.4 to 16.25, 20 not in 8 to 12.5."""
    assert "The 80\u00a0% interval holds 33 % of them" in trust.study(report(*THREE), TPOT, LEFT_OUT).conditions


def test_worst_cases_come_first_and_are_clean() -> None:
    worst = trust.study(report(*THREE), TPOT, LEFT_OUT).marks["worst"]
    assert isinstance(worst, pd.DataFrame)
    assert worst["row_id"].iloc[0] == "serving-0003"
    assert "serving-0004" not in set(worst["row_id"])


def test_in_sample_and_left_out_stand_apart() -> None:
    table = trust.group_table(report(*THREE).summary)
    assert list(table["left_out_by"]) == ["model", "GPU"]
    assert list(table["mape_percent"]) == [12.0, 14.0]
    assert list(table["mape_percent_in_sample"]) == [10.0, 10.0]


def test_a_group_without_a_split_keeps_its_in_sample_error_only() -> None:
    table = trust.group_table(pd.DataFrame([line(IN_SAMPLE, 10.0)]))
    assert list(table["mape_percent_in_sample"]) == [10.0]
    assert table["mape_percent"].isna().all()


def test_only_splits_with_predictions_are_offered() -> None:
    assert trust.splits(report(run(1, 1.0, 1.0, np.nan)), TPOT) == (IN_SAMPLE,)
    assert trust.splits(report(*THREE), TPOT) == (LEFT_OUT, IN_SAMPLE)


def test_few_marks_and_the_worst_among_them() -> None:
    """5,000 runs of random error: the drawn ones stay under the limit and hold the furthest tenth of it."""
    rng = np.random.default_rng(7)
    factors = np.exp(rng.normal(0, 0.3, 5000))
    runs = [run(at, 0.01 * (1 + at / 500), 0.01, 0.01 * (1 + at / 500) * factor) for at, factor in enumerate(factors)]
    study = trust.study(report(*runs), TPOT, LEFT_OUT)
    points = study.marks["points"]
    assert isinstance(points, pd.DataFrame)
    assert len(points) <= 1500
    far = np.argsort(-np.abs(np.log(factors)))[:100]
    assert {f"serving-{at:04d}" for at in far} <= set(points["row_id"])
    assert any("of 5,000 runs are drawn" in remark for remark in study.remarks)


def test_what_is_set_aside_is_named_with_its_rule() -> None:
    aside = trust.study(report(*THREE), TPOT, LEFT_OUT).marks["set_aside"]
    assert isinstance(aside, pd.DataFrame)
    assert aside.to_dict("records") == [{"rule": "load did not respond", "rows": 1, "example": "serving-0004"}]


def test_machines_without_a_law_are_named() -> None:
    """NorthPole publishes speeds, and no model here answers for it."""
    study = trust.study(report(*THREE), TPOT, LEFT_OUT, load_catalogue().chips.values())
    said = " ".join(str(each) for each in study.marks["not_covered"])  # type: ignore[attr-defined]
    assert "NorthPole" in said
    assert "hosted services" in said


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figure_is_square_and_holds_every_run(theme: str) -> None:
    """Axes over one range; seconds below one are drawn in ms; 0.010 s measured stands at 10."""
    study = trust.study(report(*THREE), TPOT, LEFT_OUT)
    drawing = picture.figure(study.marks["points"], TPOT.metric, ink(theme))  # type: ignore[arg-type]
    across, up = drawing["layout"]["xaxis"], drawing["layout"]["yaxis"]
    assert across["range"] == up["range"]
    assert "(ms, log)" in across["title"]["text"]
    clean, aside = drawing["data"][1], drawing["data"][2]
    assert clean["x"] == pytest.approx([10, 10, 20])
    assert aside["y"] == pytest.approx([100])


def test_nothing_to_draw_is_still_a_figure() -> None:
    study = trust.study(report(run(1, 1.0, np.nan, np.nan)), TPOT, LEFT_OUT)
    assert "No run with a prediction" in study.answer
    assert picture.figure(study.marks["points"], TPOT.metric, ink("light"))["data"]  # type: ignore[arg-type]
