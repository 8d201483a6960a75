"""Words of the roofline do not lie on each other, on a phone neither."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from analysis.figures.roofline import figure
from analysis.figures.style import ink
from analysis.studies.roofline import study
from tests.analysis.studies.slots import slots, workload

PHONE = 390 - 2 * 14 - 58 - 118  # pixels of the plot: a phone less the page's and the figure's margins
LINE, LETTER = 14, 6.0  # pixels of a line and of a mean letter at 12 px


@pytest.mark.parametrize("model", ["glm-4.6", "llama-3.1-70b", "deepseek-v3", "gpt-oss-120b"])
def test_words_keep_apart_on_a_phone(model: str) -> None:
    """Boxes of all words over and in the plot, from pixel arithmetic alone."""
    drawn = figure(study(workload(model), slots()), ink("light"))["layout"]
    low, high = drawn["xaxis"]["range"]
    bottom, top = drawn["yaxis"]["range"]
    tall = drawn["height"] - drawn["margin"]["t"] - drawn["margin"]["b"]
    boxes = []
    for word in drawn["annotations"]:
        if word.get("xref") == "paper" or word["x"] >= high:  # in the margins
            continue
        wide = len(word["text"]) * LETTER
        left = (word["x"] - low) / (high - low) * PHONE + word["xshift"]
        left -= {"left": 0.0, "center": wide / 2, "right": wide}[word["xanchor"]]
        up = (word["y"] - bottom) / (top - bottom) * tall + word["yshift"]
        boxes.append((left, left + wide, up, up + LINE, word["text"]))
    assert len(boxes) >= 4
    assert math.isfinite(sum(box[0] for box in boxes))
    for one, other in combinations(boxes, 2):
        apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        assert apart, f"{one[4]} lies on {other[4]}"
