"""Names in figures touch neither each other nor the lines, on a phone and on a wide page."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.figures import scaling as picture
from analysis.figures.names import PAGE, PHONE, Plot, balanced, behind_ends, near_marks
from analysis.figures.style import ink
from analysis.studies import scaling
from tests.analysis.studies.slots import slots, workload

LINE, LETTER = 14, 6.0  # pixels of a line of text and of a mean letter at 12 px
WIDEST = 7.2  # pixels of a letter in a name of capitals and digits, "H100 80GB"
SIX = (("h200-sxm", 8), ("b200-sxm", 8), ("wse-3", None), ("groq-lpu-v1", None), ("mi300x", 8), ("h100-sxm", 8))


@given(st.lists(st.floats(0, 300), min_size=1, max_size=6))
def test_pushed_apart_alike_and_below_the_top(positions: list[float]) -> None:
    """Six names of 15 pixels fit into 300; two at one place move by half a line each."""
    placed = balanced(positions, 15, 300)
    assert max(placed) <= 300 + 1e-9
    assert all(after - before >= 15 - 1e-6 for before, after in pairwise(sorted(placed)))
    assert balanced([100, 100], 15, 300) == [92.5, 107.5] or balanced([100, 100], 15, 300) == [107.5, 92.5]


@pytest.mark.parametrize("draw", [picture.one_stream, picture.all_streams, picture.first_token])
def test_scaling_names_stand_in_the_margin(draw) -> None:  # type: ignore[no-untyped-def]
    """At 200K the line of a wafer crosses those of GPUs, and a name before its start lay on them."""
    study = scaling.study(workload("glm-4.6", 200_000.0), slots(*SIX), scaling.WhatIf())
    drawn = draw(study, ink("light"))["layout"]
    low, high = drawn["yaxis"]["range"]
    tall = drawn["height"] - drawn["margin"]["t"] - drawn["margin"]["b"]
    names = drawn["annotations"]
    ups = sorted((each["y"] - low) / (high - low) * tall + each["yshift"] for each in names)
    assert len(names) >= 4
    assert all(after - before >= LINE for before, after in pairwise(ups))
    for each in names:
        assert (each["x"], each["xref"], each["xanchor"]) == (1.0, "paper", "left")
        text = each["text"].removeprefix("<b>").removesuffix("</b>")
        assert each["xshift"] + (WIDEST if len(text) < 12 else LETTER) * len(text) <= drawn["margin"]["r"]


def test_names_by_marks_leave_the_curves_free() -> None:
    """Curves as those of serving: two GPUs, an upright one between them and a wafer's, and a target across."""
    plot = Plot(x=(2, 1000), y=(50, 10_000), tall=316, margins=70)
    gpus = [
        [(4.5, high), (33.0, 0.6 * high), (70.0, 0.35 * high), (100.0, 300.0), (110.0, 100.0)] for high in (1450, 2700)
    ]
    upright, wafer = [(242.0, 1450.0), (242.0, 250.0)], [(195.0, 6000.0), (744.0, 2200.0), (744.0, 139.0)]
    target = [(30.0, 50.0), (30.0, 10_000.0)]
    lines: list[list[tuple[float, float]]] = [*gpus, upright, wafer, target]
    texts = ("8 × H200", "8 × B200", "1,583 × Groq LPU v1", "11 × WSE-3")
    wanted = [(text, line[0]) for text, line in zip(texts, lines, strict=False)]
    words = near_marks(wanted, lines, plot, ink("light"), all_of=4)
    assert [each["text"] for each in words] == [f"<b>{text}</b>" for text in texts]
    for wide in (PHONE - 70, PAGE - 70):
        boxes = []
        for each, (text, _) in zip(words, wanted, strict=True):
            middle = (each["x"] - math.log10(2)) / math.log10(500) * wide + each["xshift"]
            up = (each["y"] - math.log10(50)) / math.log10(200) * 316 + each["yshift"]
            half = LETTER * len(text) / 2
            boxes.append((middle - half, middle + half, up - LINE / 2, up + LINE / 2, text))
        for one, other in combinations(boxes, 2):
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        for left, right, _, _, text in boxes:
            assert 0 <= left < right <= wide, f"{text} leaves the plot"
        at = math.log10(15) / math.log10(500) * wide
        assert all(not left < at < right for left, right, *_ in boxes), "a name lies on the target"


def test_a_name_without_a_free_place_is_left_out() -> None:
    """Marks on a single spot of a plot 40 pixels high cannot all be named; the first always is."""
    plot = Plot(x=(1, 10), y=(1, 10), tall=40, margins=70)
    spot = (3.0, 3.0)
    words = near_marks([(f"plan number {at}", spot) for at in range(12)], [[spot]], plot, ink("light"), all_of=1)
    assert words[0]["text"] == "<b>plan number 0</b>"
    assert len(words) < 12


def test_ends_on_a_linear_axis() -> None:
    """Half of an axis from 0 to 2 is where a value of 1 stands: no shift is needed."""
    (word,) = behind_ends([("8 × H200", 1.0)], (0.0, 2.0), 318, ink("light"), log_y=False)
    assert (word["y"], word["yshift"]) == (1.0, 0)
