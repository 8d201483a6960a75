"""Ranking and comparison of runs against arithmetic that fits on a napkin."""

from __future__ import annotations

from typing import Any

from analysis.studies.explore import SURVIVORS, Wanted, best, length_groups
from analysis.studies.explore_pair import pair
from data.records import Run

COMMON = {"model_raw": "m", "hardware": "H100", "device_count": 8, "engine": "vllm", "concurrency": 4.0,
          "isl_mean": 1000.0, "osl_mean": 100.0}  # fmt: skip


def run(name: str, outcome: Any = "ok", **values: Any) -> Run:
    """A run of the common set-up with other figures."""
    return Run(run_id=name, source_file="f.csv", source_format="table", outcome=outcome,
               values={**COMMON, **values}, fields={})  # fmt: skip


def test_speed_is_1000_over_tpot_whatever_itl_says() -> None:
    """TPOT 20 ms is 50 tok/s; an ITL of 60 ms with three tokens a chunk must not make it 17."""
    study = best([run("a", tpot_mean_ms=20.0, itl_mean_ms=60.0), run("b", itl_mean_ms=1.0, tp=1)], Wanted())
    assert study is not None
    assert list(study.table["speed"]) == [50.0]
    assert "50" in study.answer


def test_lengths_within_ten_percent_rank_together_and_others_apart() -> None:
    """1,000 and 1,090 tokens are like (9 %), 1,200 is not (20 %)."""
    runs = [run("a", isl_mean=1000.0), run("b", isl_mean=1090.0), run("c", isl_mean=1200.0)]
    groups = length_groups(runs)
    assert groups["a"] == groups["b"] != groups["c"]
    study = best([run("a", tpot_mean_ms=20.0), run("c", isl_mean=9000.0, tpot_mean_ms=5.0)], Wanted())
    assert study is not None
    assert list(study.table["lengths"]) == ["1,000 in, 100 out", "9,000 in, 100 out"]
    assert "Other lengths rank apart" in study.answer


def test_runs_at_other_depths_rank_apart_and_say_their_depth() -> None:
    """Decoding 128 tokens behind 16,384 cached ones is other work than behind none: two groups, no common winner.

    16,384 and 16,000 are like (2 %); a run of its own group is not beaten by the empty cache.
    """
    decode = {"isl_mean": 0.0, "osl_mean": 128.0}
    runs = [
        run("a", tpot_mean_ms=20.0, **decode, depth_tokens=0),
        run("b", tpot_mean_ms=25.0, **decode, depth_tokens=16384),
        run("c", tpot_mean_ms=40.0, **decode, depth_tokens=16000, tp=2),
    ]
    study = best(runs, Wanted())
    assert study is not None
    assert list(study.table["lengths"]) == [*["128 out at depth 16,000"] * 2, "128 out at depth 0"]
    assert list(study.table["speed"]) == [40.0, 25.0, 50.0]
    assert "40" in study.answer
    assert "Other lengths and depths rank apart" in study.answer
    verdicts = pair(runs[0], runs[1], runs)["verdict"]
    assert "lengths or depth differ, not comparable" in set(verdicts)


def test_partial_runs_are_ranked_only_when_asked_and_carry_a_badge() -> None:
    """A run of survivors at 10 ms would win with 100 tok/s; unasked the complete one at 50 does."""
    runs = [run("a", tpot_mean_ms=20.0), run("b", "partial", tpot_mean_ms=10.0, tp=4)]
    plain, asked = best(runs, Wanted()), best(runs, Wanted(partial=True))
    assert plain is not None
    assert asked is not None
    assert list(plain.table["run_id"]) == ["a"]
    assert "Partial or failed, so not ranked: 1" in plain.conditions
    assert list(asked.table["badge"]) == [SURVIVORS, ""]


def test_repeats_are_one_row_with_their_range() -> None:
    """25, 20 and 10 ms are 40, 50 and 100 tok/s: the middle run's speed and the range, no mean of 63."""
    study = best([run(str(t), tpot_mean_ms=t) for t in (25.0, 20.0, 10.0)], Wanted())
    assert study is not None
    (row,) = study.table.to_dict("records")
    assert row["speed"] == 50
    assert row["range"].startswith("40")
    assert row["range"].endswith("in 3 repeats")


def test_a_pair_names_configuration_first_and_weighs_results_by_the_spread_of_repeats() -> None:
    """Repeats of the first at 20 and 24 ms: a second at 22 ms is inside, one at 30 ms beyond."""
    first, again = run("a", tpot_mean_ms=20.0), run("a2", tpot_mean_ms=24.0)
    for token, word in ((22.0, "within"), (30.0, "beyond")):
        other = run("b", tpot_mean_ms=token, engine="sglang")
        frame = pair(first, other, [first, again, other])
        assert list(frame["part"]) == ["configuration", "result"]
        assert list(frame["field"]) == ["engine", "tpot_mean_ms"]
        assert word in frame["verdict"][1]


def test_pairs_without_repeats_or_of_other_lengths_say_so() -> None:
    """One run each: the noise is not known; 1,000 against 4,000 tokens: not comparable."""
    first = run("a", tpot_mean_ms=20.0)
    alone = pair(first, run("b", tpot_mean_ms=25.0, tp=8), [first])
    assert "+25.0 %, no repeats: noise unknown" in set(alone["verdict"])
    longer = pair(first, run("b", tpot_mean_ms=25.0, isl_mean=4000.0), [first])
    assert "lengths or depth differ, not comparable" in set(longer["verdict"])


def test_filters_leave_only_what_they_name() -> None:
    """Two engines, one asked for."""
    study = best([run("a", tpot_mean_ms=9.0), run("b", tpot_mean_ms=8.0, engine="x")], Wanted(engine="x"))
    assert study is not None
    assert list(study.table["run_id"]) == ["b"]
