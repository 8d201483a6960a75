"""Streaming against arithmetic by hand, and its limits: all resident, nothing resident, one token, many."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.engine import Case, evaluate
from analysis.figures import streaming as picture
from analysis.figures.style import ink
from analysis.studies import streaming
from analysis.studies.streaming_costs import Streaming, held_by
from analysis.studies.streaming_links import link_of
from analysis.studies.streaming_routing import Routing, hit_fraction, met, popularity, read_curve
from data.catalogue.catalogue import load_catalogue
from data.errors import WaferlineError
from tests.analysis.studies.slots import slots, workload

KNOWN = load_catalogue()
EVEN = Streaming(routing=Routing())
RANKED = Streaming(routing=Routing(kind="ranked", exponent=1.0))


def test_one_wafer_cannot_stream_a_mixture_at_a_thousand() -> None:
    """GLM-4.6 in FP8 meets 89 layers x 8 experts x 3 x 5,120 x 1,536 B = 16.8 GB of experts a token and as much beside.

    One wafer holds 41.8 GB of 354: a few percent of the experts. Of 16.8 GB nearly all come through 150 GB/s: about
    0.105 s, under ten tokens a second. 1,000 tok/s of 33.7 GB need 1 - 150/33,700 = 99.55 %.
    """
    study = streaming.study(workload("glm-4.6"), slots(("wse-3", 1)), EVEN)
    row = study.table.iloc[0]
    experts = 89 * 8 * 3 * 5120 * 1536
    assert row["missed_byte"] == pytest.approx((1 - row["resident_fraction"]) * experts, rel=1e-6)
    assert row["hit_needed_fraction"] == pytest.approx(1 - 150e9 / 1000 / row["touched_byte"])
    assert round(100 * row["hit_needed_fraction"], 2) == 99.55
    assert row["stream_bound_tokens_per_s_per_user"] == pytest.approx(150e9 / row["missed_byte"])
    assert row["tokens_per_s_per_user"] < row["stream_bound_tokens_per_s_per_user"] < 10
    assert row["resident_tokens_per_s_per_user"] < 1000
    assert study.answer.endswith("short of 1,000.")  # no hit rate reaches it: the wafer itself is slower


def test_what_fits_is_the_memory_less_everything_else() -> None:
    """A wafer keeps 95 % of 44 GB; of GLM-4.6 it must hold all that is no expert, and its cache, first."""
    one = held_by(workload("glm-4.6"), slots(("wse-3", 1)), EVEN)[0]
    experts = 89 * 160 * 3 * 5120 * 1536
    other = one.weight_byte - experts
    cache = 8192 * 92 * 2 * 8 * 128
    assert one.fits_share == pytest.approx((0.95 * 44e9 - other - cache) / experts, rel=0.02)


def test_all_resident_is_the_engines_own_step() -> None:
    """With room for everything nothing is fetched, the stream bound is infinite, and the speed is the engine's."""
    row = streaming.study(workload("glm-4.6"), slots(("h200-sxm", 8)), EVEN).table.iloc[0]
    case = Case(
        architecture=KNOWN.architecture("glm-4.6"), chip=KNOWN.chip("h200-sxm"), device_count=8, weight_format="fp8",
        kv_format="fp8", input_tokens=8192, output_tokens=0,
    )  # fmt: skip
    assert row["resident_fraction"] == 1.0
    assert row["missed_byte"] == pytest.approx(0.0, abs=1.0)
    assert math.isinf(row["stream_bound_tokens_per_s_per_user"])
    assert row["tokens_per_s_per_user"] == pytest.approx(evaluate([case])["tokens_per_s_per_user"][0])


@pytest.mark.parametrize("how", [EVEN, RANKED])
@pytest.mark.parametrize("users", [1.0, 32.0])
def test_more_resident_is_never_slower_and_never_over_the_bounds(how: Streaming, users: float) -> None:
    for one in held_by(workload("glm-4.6", sequences=users), slots(("h200-sxm", 2), ("wse-3", 8)), how):
        shares = np.linspace(0, 1, 21)
        times = [one.step_time(share, 0.0) for share in shares]
        assert (np.diff(times) <= 1e-12).all()
        assert min(times) >= one.step_s * (1 - 1e-12)
        assert times[0] == pytest.approx(one.step_s + one.missed_byte(0.0) / one.link_byte_per_s)


def test_hidden_transfers_leave_the_longer_of_the_two() -> None:
    one = held_by(workload("glm-4.6"), slots(("h200-sxm", 2)), EVEN)[0]
    moved = one.missed_byte(0.7) / one.link_byte_per_s
    assert one.step_time(0.7, 1.0) == pytest.approx(max(moved, one.step_s))


def test_skewed_routing_helps_what_is_resident() -> None:
    even, ranked = (
        streaming.study(workload("glm-4.6"), slots(("h200-sxm", 2)), how).table.iloc[0] for how in (EVEN, RANKED)
    )
    assert ranked["resident_fraction"] == even["resident_fraction"]
    assert ranked["hit_fraction"] > even["hit_fraction"]
    assert ranked["tokens_per_s_per_user"] > even["tokens_per_s_per_user"]


def test_the_need_for_a_target_is_the_share_that_reaches_it() -> None:
    """What the study calls the share to be resident gives the target when it is put in."""
    study = streaming.study(workload("glm-4.6"), slots(("wse-3", 8)), EVEN, target_token_per_s=300)
    one = held_by(workload("glm-4.6"), slots(("wse-3", 8)), EVEN)[0]
    needed = study.table["resident_needed_fraction"][0]
    assert 0.9 < needed < 1
    assert 1 / one.step_time(needed, 0.0) == pytest.approx(300, rel=1e-6)


def test_a_dense_model_misses_in_proportion() -> None:
    """Every layer is met by every token, so half of the layers outside are half of their bytes a step."""
    one = held_by(workload("llama-3.1-70b"), slots(("rtx-5090", 1)), EVEN)[0]
    layers = 80 * (8192 * (64 + 2 * 8) * 128 + 64 * 128 * 8192 + 3 * 8192 * 28672)
    assert one.missed_byte(0.5) == pytest.approx(layers / 2, rel=1e-3)


def test_links_as_built() -> None:
    """PCIe 5 x 16: 32 GT/s x 128/130 / 8 x 16 = 63.0 GB/s; GH200: 900 GB/s both ways is 450; GB200's two GPUs halve it.

    A CS-3 takes 1.2 Tbit/s = 150 GB/s.
    """
    rates = {
        key: link_of(KNOWN.chip(key), "built", 0.0).byte_per_s for key in ("h200-sxm", "gh200-96gb", "gb200", "wse-3")
    }
    assert rates["h200-sxm"] == pytest.approx(63.0e9, rel=1e-3)
    assert (rates["gh200-96gb"], rates["gb200"], rates["wse-3"]) == (450e9, 225e9, 150e9)
    assert link_of(KNOWN.chip("m3-ultra"), "built", 0.0).byte_per_s is None
    assert link_of(KNOWN.chip("m3-ultra"), "own", 7e9).byte_per_s == 7e9


def test_machines_without_a_link_or_room_say_so() -> None:
    small = streaming.study(workload("glm-4.6"), slots(("rtx-3070", 1), ("m4-max", 1)), EVEN)
    assert "of cache and other weights in" in small.table["verdict"][0]
    assert "no link to a larger memory is known" in small.table["verdict"][1]
    assert small.table["tokens_per_s_per_user"].isna().all()
    assert small.answer.startswith("None of these machines")
    picture.figure(small, ink("light"))
    picture.hits(small, ink("dark"))


@settings(max_examples=40, deadline=None)
@given(experts=st.integers(2, 200), exponent=st.floats(0.0, 4.0), data=st.data())
def test_popularities_are_chances_that_add_up(experts: int, exponent: float, data: st.DataObject) -> None:
    """Each at most 1, falling with rank, `chosen` together; a step meets no more experts than its tokens choose."""
    chosen = data.draw(st.integers(1, experts))
    popular = popularity(Routing(kind="ranked", exponent=exponent), experts, chosen)
    assert popular.sum() == pytest.approx(chosen, rel=1e-6)
    assert popular.max() <= 1.0
    assert (np.diff(popular) <= 1e-12).all()
    assert met(popular, 1.0) == pytest.approx(chosen, rel=1e-6)
    assert met(popular, 9.0) <= min(experts, 9 * chosen) + 1e-6


@given(share=st.floats(0.0, 1.0))
def test_even_routing_catches_its_share(share: float) -> None:
    assert hit_fraction(popularity(Routing(), 160, 8), share) == pytest.approx(share, abs=1e-9)


def test_own_curve() -> None:
    """Two of four experts take 90 of 100 visits: with one chosen, half resident catch 90 %; eight stretch it."""
    curve = read_curve("5; 50\n40 5")
    assert curve == (50.0, 40.0, 5.0, 5.0)
    for experts in (4, 8):
        popular = popularity(Routing(kind="own", curve=curve), experts, 1)
        assert hit_fraction(popular, 0.5) == pytest.approx(0.9)


@pytest.mark.parametrize("text", ["", "a b", "1 -2", "nan", "0 0", "1e999", ",".join(["1"] * 3000)])
def test_curves_that_are_none(text: str) -> None:
    with pytest.raises(WaferlineError):
        read_curve(text)


def test_users_on_wafers_share_the_links() -> None:
    """One stream uses one wafer's link; more streams than wafers wait for each other."""
    few, many = (
        held_by(workload("glm-4.6", context_tokens=512, sequences=users), slots(("wse-3", 8)), EVEN)[0]
        for users in (8.0, 32.0)
    )
    assert few.link_byte_per_s == 150e9
    assert many.link_byte_per_s == pytest.approx(150e9 / 4)


def test_limit_of_what_is_kept() -> None:
    less = replace(EVEN, resident_limit=0.25)
    table = streaming.study(workload("glm-4.6"), slots(("h200-sxm", 2)), less).table
    assert table["resident_fraction"][0] == 0.25


def test_keeping_less_without_a_link_is_no_answer() -> None:
    """A machine with one memory holds it all, and cannot fetch what it is told not to keep."""
    whole, less = (
        streaming.study(workload("llama-3.1-8b"), slots(("m3-ultra", 1)), replace(EVEN, resident_limit=limit))
        for limit in (1.0, 0.5)
    )
    assert whole.table["tokens_per_s_per_user"][0] > 0
    assert less.table["verdict"][0] == "no link to a larger memory is known"
    for study in (whole, less):
        picture.figure(study, ink("light"))
        picture.hits(study, ink("light"))
        assert study.arithmetic() is not None
