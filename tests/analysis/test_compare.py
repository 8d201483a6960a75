"""The home page's study: figures of published arithmetic, sentences, and whole copies at equal power or price."""

from __future__ import annotations

import math

import pytest

from analysis.figures import compare as picture
from analysis.figures.style import ink
from analysis.studies import compare
from analysis.studies.benchmark_cases import Measured, comparable
from analysis.studies.compare_words import tokens
from analysis.studies.rental import rental_of
from analysis.study import Slot, Study
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue
from data.records import Run

KNOWN = load_catalogue()
HOME = (("h200-sxm", 8), ("b200-sxm", 8), ("wse-3", None), ("groq-lpu-v1", None))


def slots(*chips: tuple[str, int | None]) -> list[Slot]:
    return [Slot(place=at, chip=KNOWN.chip(key), device_count=n) for at, (key, n) in enumerate(chips)]


def home(context_tokens: float = 8192, users: float = 1, *chips: tuple[str, int | None], **more: object) -> Study:
    work = Workload(
        architecture=KNOWN.architecture("glm-4.6"),
        context_tokens=context_tokens,
        sequences=users,
        weight_format="fp8",
        cache_format="fp8",
    )
    return compare.study(work, slots(*(chips or HOME)), prices=KNOWN.prices, **more)  # type: ignore[arg-type]


def test_home_page_answers_the_question_it_opens_with() -> None:
    """748 tok/s on 11 wafers at 8K without speculation is the published reading; 1,000 / 748 = 1.34 tokens a step."""
    study = home()
    wafers = study.table.iloc[2]
    assert wafers["slot"] == "11 × WSE-3"
    assert wafers["tokens_per_s_per_user"] == pytest.approx(748, rel=0.005)
    assert "11 × WSE-3 comes closest at 748" in study.answer
    assert f"{1000 / 748:.2f} ×" in study.answer


def test_long_context_changes_the_answer() -> None:
    """186 tok/s on 11 wafers at 200K: the cache's arithmetic grows with the context, the GPUs lose little."""
    near, far = home().table, home(200_000).table
    assert far.iloc[2]["tokens_per_s_per_user"] == pytest.approx(186, rel=0.01)
    assert far.iloc[0]["tokens_per_s_per_user"] > 0.75 * near.iloc[0]["tokens_per_s_per_user"]


def test_a_slot_that_does_not_fit_says_what_would() -> None:
    """353 GB of FP8 weights need 11 wafers of 44 GB at 80 % fill: 353 / 35.2 = 10.02."""
    row = home(8192, 1, ("wse-3", 1), ("h200-sxm", 8)).table.iloc[0]
    assert not row["feasible"]
    assert math.isnan(row["tokens_per_s_per_user"])
    assert "11 would" in row["row_header"]
    assert math.isnan(row["cost_usd_per_million_tokens"])


def test_nothing_fits_is_an_answer() -> None:
    study = home(8192, 1, ("wse-3", 1), ("rtx-4090", 1))
    assert "fits none of these" in study.answer


def test_a_context_beyond_the_model_is_no_question_of_devices() -> None:
    """GLM-4.6 stops at 202,752 tokens: no number of devices holds more, so none may be offered."""
    study = home(1_048_576)
    assert "202,752" in study.answer
    assert "would" not in study.answer
    assert all("cannot serve it" in header for header in study.table["row_header"])


def test_a_machine_where_users_wait_is_not_the_answer() -> None:
    """64 users at 200K need 2.4 TB of FP8 cache; 8 x H200 have 1.2 TB, so most of them wait."""
    alone = home(200_000, 64, ("h200-sxm", 8))
    assert alone.answer.startswith("No machine here holds 64 users")
    both = home(200_000, 64, ("h200-sxm", 8), ("wse-3", None))
    assert "WSE-3 comes closest" in both.answer
    assert "at once" in both.table.iloc[0]["row_header"]


def test_bandwidth_used_counts_the_experts_a_batch_meets() -> None:
    """64 users meet 160 (1 - (1 - 8/160)^64) = 154 of 160 experts a layer: nearly all 353 GB are read, not 33.

    8 x H200 read 38.4 TB/s; 64 caches of 1.54 GB come on top.
    """
    row = home(8192, 64, ("h200-sxm", 8)).table.iloc[0]
    least = (0.96 * 345e9 + 64 * 1.54e9) / 38.4e12 / row["decode_step_s"]
    assert row["bandwidth_used_fraction"] == pytest.approx(least, rel=0.05)


def test_nothing_is_drawn_above_the_ceiling() -> None:
    table = home(8192, 64).table
    served = table[table["feasible"].astype(bool)]
    assert (served["tokens_per_s_per_user"] <= served["ceiling_tokens_per_s_per_user"] * (1 + 1e-9)).all()


def test_cost_is_price_over_rate() -> None:
    """Median of $3.50, $6.31 and $7.91 is $6.31; 8 of them at r tok/s cost 8 x 6.31 / 3600 / r x 1e6 a million."""
    row = home().table.iloc[0]
    by_hand = 8 * 6.31 / 3600 / row["output_tokens_per_s"] * 1e6
    assert row["cost_usd_per_million_tokens"] == pytest.approx(by_hand, rel=1e-9)


def test_energy_is_modelled_power_over_rate() -> None:
    """11 wafers rated 23 kW decode at all of it: 11 x 23,000 W / rate. Serving half the hours and idling at 80 %,
    (0.5 x 23 + 0.5 x 0.8 x 23) / 0.5 = 1.8 x 23 kW: 1.8 times the energy a token."""
    always, half = home().table.iloc[2], home(duty_fraction=0.5).table.iloc[2]
    assert always["energy_j_per_token"] == pytest.approx(11 * 23_000 / always["output_tokens_per_s"], rel=1e-9)
    assert half["energy_j_per_token"] == pytest.approx(1.8 * always["energy_j_per_token"], rel=1e-9)


def test_energy_of_gpus_is_below_their_rating_at_the_devices_and_named_at_the_wall() -> None:
    study = home(8192, 1, ("h200-sxm", 8))
    row = study.table.iloc[0]
    rated = 8 * 700
    assert 0.3 * rated < row["power_w"] < 1.8 * rated  # at the wall: a DGX of 5.6 kW of GPUs is provisioned for 10.2 kW
    assert row["rated_power_w"] == rated
    assert any("at the wall" in remark for remark in study.remarks)
    assert any("waiting_share" in step.formula for step in study.arithmetic())


def test_spot_prices_are_not_rental_prices() -> None:
    """A spot price may vanish any hour: the rental price of an H100 comes from on-demand rates alone."""
    rental = rental_of(KNOWN.chip("h100-sxm"), KNOWN.prices)
    assert rental is not None
    spot = [p.amount for p in KNOWN.prices if p.chip_key == "h100-sxm" and "spot" in p.note]
    assert rental.low > max(spot) * 0.9
    assert rental.low <= rental.usd_per_hour <= rental.high


@pytest.mark.parametrize("equal", ["power", "price", "throughput"])
def test_equal_counts_whole_copies(equal: compare.Equal) -> None:
    """The slot that takes most has one copy (or all match the fastest); no slot gets less than one."""
    table = home(8192, 1, ("h200-sxm", 8), ("b200-sxm", 8), equal=equal).table
    column = {"power": "rated_power_w", "price": "price_usd_per_hour", "throughput": "output_tokens_per_s"}[equal]
    totals = table[column] * table["copies"]
    assert (table["copies"] >= 1).all()
    if equal == "throughput":
        assert (totals >= table[column].max() * (1 - 1e-9)).all()
    else:
        assert (totals <= table[column].max() * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("count", "text"),
    [(512, "512"), (8192, "8K"), (200_000, "200K"), (1_048_576, "1M"), (1_000_000, "1M"), (1023, "1,023")],
)
def test_context_lengths_read_as_people_say_them(count: float, text: str) -> None:
    assert tokens(count) == text


@pytest.mark.parametrize("chips", [HOME, (("wse-3", 1),), (("h200-sxm", 8), ("wse-3", 1))])
def test_the_figure_draws_every_slot(chips: tuple[tuple[str, int | None], ...]) -> None:
    study = home(8192, 1, *chips)
    drawn = picture.figure(study, ink("light"))
    words = " ".join(drawn["data"][0]["text"])
    assert all(str(name) in words for name in study.table["slot"])
    assert len(study.answer) <= 140


def test_a_bound_beside_the_target_is_named_off_its_line() -> None:
    """8 x H200 read GLM-4.6's weights 1,140 times a second: on a phone 8 pixels right of the target of 1,000."""
    drawn = picture.figure(home(), ink("light"))
    named = dict(zip(drawn["data"][0]["text"], drawn["data"][0]["textposition"], strict=True))
    assert named["1.14k"] == "middle right"
    assert named["1.83k"] == "middle center"
    assert named["6.85M"] == "middle left"


def test_every_slot_with_a_rate_has_its_arithmetic() -> None:
    study = home()
    assert {step.subject for step in study.arithmetic() if step.subject} == set(study.table["slot"])
    assert any("748" in step.result or "1.34" in step.result for step in study.arithmetic())


def run_of(concurrency: float, tpot_ms: float) -> Measured:
    values = {
        "model_id": "glm-4.6", "hardware_key": "h200-sxm", "device_count": 8, "concurrency": concurrency,
        "tpot_mean_ms": tpot_ms, "isl_mean": 8000, "osl_mean": 400,
    }  # fmt: skip
    run = Run(
        run_id=f"r{concurrency}", source_file="own.json", source_format="vllm_serve", outcome="ok", values=values,
        fields={},
    )  # fmt: skip
    return comparable([run], KNOWN.architectures, KNOWN.chips)[0][0]


def test_own_runs_stand_on_their_machine_and_faint_under_other_conditions() -> None:
    """10 ms a token is 100 tok/s; one user at 8,200 tokens is the question's case, 64 users are another."""
    study = home(8192, 1, runs=(run_of(1, 10.0), run_of(64, 40.0)))
    marked = study.marks["runs"]
    assert list(marked["place"]) == [0, 0]  # type: ignore[index]
    assert list(marked["tokens_per_s_per_user"]) == pytest.approx([100.0, 25.0])  # type: ignore[index]
    assert list(marked["alike"]) == [True, False]  # type: ignore[index]
    drawn = picture.figure(study, ink("dark"))
    marks = drawn["data"][1]
    assert marks["x"][-2:] == pytest.approx([100.0, 25.0])
    assert marks["marker"]["opacity"][-2:] == [1.0, 0.4]
    assert "2 of your own runs" in " ".join(study.remarks)


def test_runs_of_another_count_stay_off_the_row() -> None:
    """A run on 8 devices says nothing of 4."""
    study = home(8192, 1, ("h200-sxm", 4), runs=(run_of(1, 10.0),))
    assert study.marks["runs"].empty  # type: ignore[attr-defined]


def test_a_download_holds_data_and_no_markup() -> None:
    """Words for the figure stay out of the file; what was asked and answered, and under what, is in it."""
    study = home()
    file = study.download()
    assert not {"row_header", "hover", "bound_hover"} & set(file)
    assert not any("<b>" in str(cell) or "\u00a0" in str(cell) for cell in file.to_numpy().ravel())
    assert set(file["answer"]) == {study.answer}
    assert set(file["conditions"]) == {study.conditions}
    assert list(file["tokens_per_s_per_user"]) == list(study.table["tokens_per_s_per_user"])


def test_idle_hours_are_paid_for() -> None:
    """Serving half of the hours that are paid for, a token costs twice as much."""
    full, half = home().table.iloc[0], home(duty_fraction=0.5).table.iloc[0]
    assert half["cost_usd_per_million_tokens"] == pytest.approx(2 * full["cost_usd_per_million_tokens"])


def test_an_equal_comparison_says_what_it_changes() -> None:
    """11 wafers are rated 253 kW, 8 H200 5.6 kW: 45 copies of them at equal power, whose rate is 45 times as high."""
    study = home(equal="power")
    row = study.table.iloc[0]
    assert row["copies"] == math.floor(study.table["rated_power_w"].max() / 5600)
    assert row["output_tokens_per_s_of_copies"] == pytest.approx(row["copies"] * row["output_tokens_per_s"])
    assert "Held equal: rated power" in study.conditions
    assert "the speed per user does not" in study.conditions
