"""Lengths, conversations and pasted figures, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.traffic.pasted import read_arrivals, read_lengths
from analysis.traffic.replica import replicas_of
from analysis.traffic.requests import PRESETS, SHAPES, RequestMix, request_mix
from analysis.traffic.spread import fixed, seen
from data.errors import OutOfRangeError, ReadError
from tests.analysis.studies.slots import slots, workload


def test_a_conversation_by_hand() -> None:
    """100 new and 50 answered tokens a turn: prompts of 100, 250 and 400 tokens, 250 on average.

    Of 750 prompt tokens 300 are new, so a cache that forgets nothing holds 60 %. Halfway through its answer a sequence
    has 250 + 25 tokens.
    """
    mix = request_mix("fixed", 100, 50, 0.0, turns=3)
    assert mix.prompts.values.tolist() == [100.0, 250.0, 400.0]
    assert mix.prompts.mean == pytest.approx(250.0)
    assert mix.most_cached_fraction == pytest.approx(0.6)
    assert mix.context_tokens == pytest.approx(275.0)
    assert mix.longest_tokens == 450.0


def test_long_answers_are_met_more_often() -> None:
    """Answers of 10 or 30 tokens alike: at a random moment the 30 ones are met thrice as often: 12.5 made."""
    mix = RequestMix(new_tokens=fixed(100.0), output_tokens=seen([10.0, 30.0]))
    assert mix.context_tokens == pytest.approx(100.0 + 1000.0 / 80.0)


@given(
    shape=st.sampled_from(SHAPES), made=st.integers(16, 4000), asked=st.integers(16, 50_000), turns=st.integers(1, 20),
    most=st.sampled_from([8192.0, 131_072.0]),
)  # fmt: skip
def test_no_context_beyond_the_limit(shape: str, made: int, asked: int, turns: int, most: float) -> None:
    mix = request_mix(shape, asked, made, 0.5, turns=turns)  # type: ignore[arg-type]
    cut, changed = mix.within(most)
    assert cut.longest_tokens <= most * (1 + 1e-9)
    assert changed == (mix.longest_tokens > most)
    assert cut.new_tokens.values[0] > 0


def test_cache_spares_prompt_time() -> None:
    """Nothing cached costs all, more cached less; the last tokens of a prompt still look at everything before them."""
    mix = request_mix("fixed", 16_384, 64, 0.0)
    replica = replicas_of(workload("glm-4.6"), slots(("h200-sxm", 8)), mix)[0]
    times = [float(replica.time_of(np.array([16_384.0]), share)[0]) for share in (0.0, 0.5, 0.9)]
    alone = float(replica.time_of(np.array([8192.0]), 0.0)[0])
    assert times == sorted(times, reverse=True)
    assert times[1] >= alone


def test_presets_are_lengths_and_goals() -> None:
    assert list(PRESETS) == ["Chat", "Batch", "Edge", "Research"]
    for preset in PRESETS.values():
        assert preset.goals.ttft_s < preset.goals.e2e_s
        assert math.isfinite(preset.goals.tpot_s)


def test_uniform_lengths_cannot_vary_without_bound() -> None:
    with pytest.raises(OutOfRangeError, match=r"0\.58"):
        request_mix("uniform", 100, 100, 0.6)


@pytest.mark.parametrize("text", ["100,20\n300,40", "input,output\n100;20\n300;40\n", "100\t20\n\n300\t40"])
def test_pasted_lengths(text: str) -> None:
    asked, made = read_lengths(text)
    assert asked.values.tolist() == [100.0, 300.0]
    assert made.mean == pytest.approx(30.0)


@pytest.mark.parametrize(
    ("text", "where"),
    [("", "lengths"), ("1,2\n3", "line 2"), ("1,2\nx,3", "line 2"), ("5,0", "line 1"), ("5,nan", "line 1"),
     ("input,output", "lengths"), ("1,2,3", "line 1"), ("5,1e99", "line 1")],
)  # fmt: skip
def test_what_is_no_length_is_refused_by_line(text: str, where: str) -> None:
    with pytest.raises(ReadError) as refused:
        read_lengths(text)
    assert refused.value.where == where


def test_arrivals_in_seconds_or_as_dates() -> None:
    """Seconds in any order, from the first one; dates give the same gaps."""
    assert read_arrivals("3.5\n1.0\n2.0").tolist() == [0.0, 1.0, 2.5]
    dated = "time\n2026-11-30T08:00:00Z\n2026-11-30T08:00:01.5Z"
    assert read_arrivals(dated).tolist() == pytest.approx([0.0, 1.5])


@pytest.mark.parametrize("text", ["", "1.0", "1\n2026-11-30T08:00:00", "1\ninf", "1\nx", "2026-11-30T08:00:00\n7"])
def test_what_is_no_arrival_is_refused(text: str) -> None:
    with pytest.raises(ReadError):
        read_arrivals(text)


def test_too_much_is_refused() -> None:
    with pytest.raises(ReadError, match="too many lines"):
        read_arrivals("\n".join("1" for _ in range(20_001)))
    with pytest.raises(ReadError, match="too long"):
        read_lengths("1,2\n" * 600_000)
