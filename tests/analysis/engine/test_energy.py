"""Power and energy columns of the engine and of the case table, by hand arithmetic."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from analysis.engine import Case, evaluate
from analysis.power_shares import kind_of, shipped_power
from analysis.predict import predict
from data.catalogue.catalogue import load_catalogue
from data.errors import OutOfRangeError

KNOWN = load_catalogue()


def case(chip: str, count: int | None = None, model: str = "llama-3.1-8b", **more: object) -> Case:
    said = {"architecture": KNOWN.architecture(model), "chip": KNOWN.chip(chip), "device_count": count}
    return Case(**(said | more))  # type: ignore[arg-type]


def table(**cells: object) -> pd.DataFrame:
    row = {"model": "Llama-3.1-8B", "hardware": "H100-SXM-80GB", "device_count": 1, "concurrency": 8} | cells
    return pd.DataFrame([row]).astype(str)


def test_a_wafer_draws_its_rating_while_it_decodes() -> None:
    """CS-3 rated 23 kW, decoding at about 100 % (arXiv 2604.10852): 23,000 W over the output rate."""
    row = evaluate([case("wse-3", 1)]).iloc[0]
    assert row["power_w"] == pytest.approx(23_000)
    assert row["energy_j_per_token"] == pytest.approx(23_000 / row["output_tokens_per_s"])
    assert "whole system" in row["assumed"]


def test_duty_cycle_counts_idle_hours() -> None:
    """At 34 % duty a CS-3 averages 23 x (0.34 + 0.66 x 0.8) = 19.96 kW, spread over 34 % of the tokens."""
    always, seldom = evaluate([case("wse-3", 1), case("wse-3", 1, duty_fraction=0.34)]).to_dict("records")
    assert seldom["power_w"] == pytest.approx(19_964, abs=1)
    expected = 19_964 / 0.34 / 23_000 * always["energy_j_per_token"]
    assert seldom["energy_j_per_token"] == pytest.approx(expected, rel=1e-4)
    assert "34 % of the time" in seldom["assumed"]


def test_gpus_draw_between_idle_and_busy() -> None:
    """H100 rated 700 W: measured 345 to 690 W while decoding (LLM-Inference-Bench, ML.ENERGY), idle 20 %."""
    answers = evaluate([case("h100-sxm", 1, concurrency=users) for users in (1, 16, 128)])
    assert answers["power_w"].between(0.2 * 700, 700).all()
    assert answers["power_w"].between(345, 690).all()
    assert answers["energy_j_per_token"].is_monotonic_decreasing  # more users share the same power


def test_power_at_the_wall_is_the_devices_times_a_factor() -> None:
    devices, wall = evaluate([case("h200-sxm", 8), case("h200-sxm", 8, at_wall=True)]).to_dict("records")
    factor = shipped_power().shares["gpu"].wall_factor
    assert wall["power_w"] == pytest.approx(factor * devices["power_w"])
    assert wall["energy_j_per_token"] == pytest.approx(factor * devices["energy_j_per_token"])
    assert "devices alone" in devices["assumed"]
    assert "at the wall" in wall["assumed"]


def test_low_batch_decode_on_mi300x_draws_about_eighty_percent() -> None:
    """xPU-athalon: MI300X decodes Llama-3.1-8B at low batch at about 80 % of its 750 W."""
    row = evaluate([case("mi300x", 1, concurrency=1)]).iloc[0]
    assert row["power_w"] / 750 == pytest.approx(0.80, abs=0.08)


@pytest.mark.parametrize(
    ("chip", "kind"),
    [
        ("h100-sxm", "gpu"),
        ("mi300x", "amd"),
        ("wse-3", "wafer"),
        ("groq-lpu-v1", "deterministic"),
        ("sambanova-sn40l", "dataflow"),
    ],
)
def test_kinds(chip: str, kind: str) -> None:
    assert kind_of(KNOWN.chip(chip)) == kind


@pytest.mark.parametrize("duty", [0.0, -0.1, 1.5, math.nan])
def test_a_duty_that_is_no_share_is_refused(duty: float) -> None:
    with pytest.raises(OutOfRangeError, match="not a share of the time"):
        evaluate([case("h100-sxm", 1, duty_fraction=duty)])


def test_unanswered_cases_have_no_power() -> None:
    row = evaluate([case("rtx-4090", 1, "llama-3.1-405b")]).iloc[0]
    assert not row["feasible"]
    assert math.isnan(row["power_w"])
    assert math.isnan(row["energy_j_per_token"])


def test_case_table_has_energy_with_its_interval_and_scope() -> None:
    row = predict(table()).iloc[0]
    low, value, high = (row[f"predicted_energy_{side}j_per_token"] for side in ("low_", "", "high_"))
    assert low < value < high
    assert "devices alone" in row["assumed"]
    wall = predict(table(system="whole server at the wall")).iloc[0]
    assert wall["predicted_energy_j_per_token"] > value
    assert "at the wall" in wall["assumed"]


def test_case_table_reads_a_duty_cycle() -> None:
    busy, half = (predict(table(duty_fraction=share)).iloc[0] for share in ("", "0.5"))
    assert half["predicted_energy_j_per_token"] > busy["predicted_energy_j_per_token"]
    assert "duty_fraction" in predict(table(duty_fraction="2")).iloc[0]["reason"]


def test_energy_that_cannot_be_answered_says_why() -> None:
    """No rated power of an M3 Max is in the catalogue."""
    row = predict(table(hardware="m3-max", engine="llama.cpp", concurrency=1, weight_format="q4_k_m")).iloc[0]
    assert row["predicted_tpot_ms"] > 0
    assert math.isnan(row["predicted_energy_j_per_token"])
    assert "no rated power" in row["reason"]
