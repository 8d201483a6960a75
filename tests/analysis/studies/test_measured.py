"""Measured against modelled: gaps by hand, shares of bandwidth and arithmetic by hand, what is left out, the figure."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from analysis.engine import evaluate
from analysis.figures.measured import figure
from analysis.figures.style import ink
from analysis.studies import measured
from analysis.studies.benchmark_cases import Measured, case_of, comparable
from analysis.studies.measured_cases import QUANTITIES, compute_used
from analysis.studies.measured_words import difference
from data.catalogue.catalogue import Catalogue, load_catalogue
from tests.analysis.studies.test_benchmarks import run

TPOT, TTFT, E2E, RATE = QUANTITIES


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return load_catalogue()


def runs_of(known: Catalogue, *loads: dict[str, float | str | None]) -> list[Measured]:
    """Comparable runs, one a dictionary of what differs from one request at once."""
    runs = [run(str(at), **load) for at, load in enumerate(loads)]
    return comparable(runs, known.architectures, known.chips)[0]


def test_a_gap_is_measured_over_modelled(known: Catalogue) -> None:
    """Twice the predicted time is 2.0, in words 100 % more; half of it 50 % less. The prediction is the engine's."""
    predicted = float(evaluate([case_of(runs_of(known, {})[0])])["tpot_s"].iloc[0])
    doubled, halved = (runs_of(known, {"tpot_mean_ms": 1e3 * predicted * factor}) for factor in (2.0, 0.9))
    study, _ = measured.study(doubled, TPOT, "users")
    assert study is not None
    assert study.table["measured_over_modelled"].iloc[0] == pytest.approx(2.0)
    assert study.table["gap"].iloc[0].endswith("100 % more")
    faster, _ = measured.study(halved, TPOT, "users")
    assert faster is not None
    assert "10 % less" in faster.answer


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(1.31, "31 % more"), (0.69, "31 % less"), (1.04, "the same"), (0.96, "the same"), (2.4, "2.4 times that")]
)  # fmt: skip
def test_gaps_in_words(ratio: float, words: str) -> None:
    assert difference(ratio) == words


def test_arithmetic_used_by_hand(known: Catalogue) -> None:
    """Two operations a weight met: 2 x 7.504924672e9 = 15.01 GFLOP; scores and values of 1,152 tokens of context:

    32 layers x 4 x 32 heads x 128 x 1,152 = 0.604 GFLOP. 15.61 GFLOP in 6.4 ms are 2.44 TFLOP/s of 989: 0.247 %.
    """
    assert compute_used(runs_of(known, {})[0]) == pytest.approx(15.61e9 / 6.4e-3 / 989e12, rel=0.01)


def test_a_run_without_the_quantity_is_listed_with_the_reason(known: Catalogue) -> None:
    runs = runs_of(known, {"ttft_mean_ms": 40.0}, {"ttft_mean_ms": None})
    study, left_out = measured.study(runs, TTFT, "users")
    assert study is not None
    assert len(study.table) == 1
    assert [each.reason for each in left_out] == ["it does not state the time to first token"]
    none, every = measured.study(runs[1:], TTFT, "users")
    assert none is None
    assert len(every) == 1


def test_rates_and_request_times_are_compared_too(known: Catalogue) -> None:
    """A closed loop of one: request time = TTFT + 255 TPOT, and its rate is 256 tokens over that."""
    predicted = evaluate([case_of(runs_of(known, {})[0])])
    e2e = float(predicted["e2e_s"].iloc[0])
    runs = runs_of(known, {"e2e_mean_ms": 1e3 * e2e, "output_tps": 256 / e2e})
    for quantity in (E2E, RATE):
        study, _ = measured.study(runs, quantity, "users")
        assert study is not None
        assert study.table["measured_over_modelled"].iloc[0] == pytest.approx(1.0, rel=1e-6)


def test_runs_over_time_are_drawn_where_they_say_when(known: Catalogue) -> None:
    starts = ("2026-11-30T11:03:01", "2026-11-30T12:03:01.5+00:00", "yesterday", None)
    runs = runs_of(known, *({"started_at": start} for start in starts))
    study, _ = measured.study(runs, TPOT, "time")
    assert study is not None
    assert len(study.table) == 4
    assert len(study.marks["drawn"]) == 2  # type: ignore[arg-type]
    assert "2 without a start time are not drawn" in study.conditions


def test_the_table_says_the_gap_without_repeating_the_figures(known: Catalogue) -> None:
    predicted = float(evaluate([case_of(runs_of(known, {})[0])])["tpot_s"].iloc[0])
    times = (1.5e3 * predicted, 3e3 * predicted, 1.0)
    study, _ = measured.study(runs_of(known, *({"tpot_mean_ms": each} for each in times)), TPOT, "users")
    assert study is not None
    assert study.table["off"].tolist() == ["50 % more", "3.0 times as much", "faster than memory allows"]


def test_a_speed_memory_forbids_is_doubted_and_stays_out_of_the_median(known: Catalogue) -> None:
    study, _ = measured.study(runs_of(known, {}, {"tpot_mean_ms": 2.0}), TPOT, "users")
    assert study is not None
    assert "1 more is faster than memory allows" in study.conditions
    alone, _ = measured.study(runs_of(known, {}), TPOT, "users")
    assert alone is not None
    assert study.answer == alone.answer


@pytest.mark.parametrize("over", measured.OVERS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_is_one_that_plotly_accepts(known: Catalogue, over: measured.Over, theme: str) -> None:
    runs = runs_of(known, {}, {"concurrency": 16.0, "tpot_mean_ms": 9.2}, {"device_count": 2, "tpot_mean_ms": 4.0})
    study, _ = measured.study(runs, TPOT, over)
    assert study is not None
    go.Figure(**figure(study, ink(theme)))
