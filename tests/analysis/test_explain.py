"""Reading equations from docstrings, the formula language, and the arithmetic as it is written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis import formula
from analysis.explain import EquationError, equation_pages, explain, read_equation, written_out
from analysis.models import placement, roofline
from data.errors import OutOfRangeError
from data.unit_printing import UNIT_SPACE


def plain(text: str) -> str:
    return text.replace(UNIT_SPACE, " ")


def halved(load_byte: Any, ways: Any) -> Any:
    """Half of a load. [B]

    half = load / (ways * other)
    other = ways - 1

    load    what is halved, over
            two lines            [B]
    ways    how many             [-]

    Floats.

    Source
    ------
    Nobody (2026).
    """
    return load_byte / (ways * (ways - 1))


def test_an_equation_taken_apart() -> None:
    read = read_equation(halved)
    assert (read.summary, read.result, read.unit) == ("Half of a load.", "half", "byte")
    assert read.lines == ("half = load / (ways * other)", "other = ways - 1")
    assert [(each.symbol, each.parameter, each.unit) for each in read.arguments] == [
        ("load", "load_byte", "byte"),
        ("ways", "ways", ""),
    ]
    assert read.arguments[0].meaning == "what is halved, over two lines"
    assert (read.remarks, read.source) == ("Floats.", "Nobody (2026).")


def test_the_ridge_as_a_person_writes_it() -> None:
    """The example of the architecture: 989 TFLOP/s over 4.8 TB/s is 206 FLOP/B."""
    step = explain(roofline.ridge_intensity, subject="H200", peak_flop_per_s=989e12, bandwidth_byte_per_s=4.8e12)
    lines = plain(written_out(step)).splitlines()
    assert lines[:4] == ["H200", "ridge = peak / bandwidth", "      = 989 TFLOP/s / 4.8 TB/s", "      = 206 FLOP/B"]
    assert lines[4].startswith("  (Williams, Waterman, Patterson (2009), CACM")


def test_parts_are_worked_out_too() -> None:
    step = explain(placement.layers_on_first, layers=92, devices=11)
    assert plain(written_out(step)).splitlines()[3:6] == [
        "  spare = layers - devices * floor(layers / devices)",
        "        = 92 - 11 × floor(92 / 11)",
        "        = 4",
    ]


def test_no_number_is_no_arithmetic() -> None:
    with pytest.raises(OutOfRangeError, match="ridge_intensity"):
        explain(roofline.ridge_intensity, peak_flop_per_s=None, bandwidth_byte_per_s=4.8e12)
    with pytest.raises(OutOfRangeError, match="ridge_intensity"):
        explain(roofline.ridge_intensity, peak_flop_per_s=0.0, bandwidth_byte_per_s=0.0)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[B]\n\n    half", "\n\n    half", "first line lacks"),
        ("half = load / (ways * other)\n    other = ways - 1", "It is half.", "no formula"),
        ("    ways    how many             [-]\n", "", "arguments without a row"),
        ("    Source\n    ------\n    Nobody (2026).\n", "", "no source"),
        ("ways    how many             [-]", "ways    how many             [gallons]", "unknown unit"),
        (
            "ways    how many             [-]",
            "ways    how many             [-]\n    zeal    none    [-]",
            "neither argument",
        ),
    ],
)
def test_a_missing_part_is_named(old: str, new: str, complaint: str) -> None:
    assert old in (halved.__doc__ or "")

    def broken(load_byte: Any, ways: Any) -> Any:
        return load_byte / ways

    broken.__doc__ = (halved.__doc__ or "").replace(old, new)
    with pytest.raises(EquationError, match=complaint):
        read_equation(broken)


def test_formula_language() -> None:
    """(3 + 4)^2 / 7 = 7; min, max, sqrt, log2, ln, ceil and floor as in any textbook."""
    lines = ("a = (b + 4)^2 / 7", "b = min(3, 5, 9)")
    assert formula.evaluate(lines, {})["a"] == 7
    others = ("a = max(1, sqrt(16)) + log2(8) + ln(1) + ceil(1.2) - floor(1.8)",)
    assert formula.evaluate(others, {})["a"] == 4 + 3 + 0 + 2 - 1
    assert list(formula.evaluate(("a = 2 * -x",), {"x": np.array([1.0, 2.0])})["a"]) == [-2, -4]


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "x.real",
        "x[0]",
        "[x]",
        "lambda: 1",
        "open(x)",
        "x if x else 1",
        "'text'",
        "x < 1",
        "min(*x)",
        "True",
    ],
)
def test_formula_language_holds_nothing_else(expression: str) -> None:
    with pytest.raises(formula.FormulaError):
        formula.evaluate((f"a = {expression}",), {"x": 1.0})


def test_formula_complaints() -> None:
    with pytest.raises(formula.FormulaError, match="defines itself"):
        formula.evaluate(("a = b", "b = a"), {})
    with pytest.raises(formula.FormulaError, match="no value"):
        formula.evaluate(("a = b",), {})
    with pytest.raises(formula.FormulaError, match="cannot be read"):
        formula.evaluate(("a = (b",), {})
    with pytest.raises(formula.FormulaError, match="not a formula line"):
        formula.split_line("no formula")


def test_methods_lists_every_equation_once() -> None:
    names = [(each.topic, each.name) for each in equation_pages()]
    assert len(names) == len(set(names))
    assert {"roofline", "bandwidth", "memory_fit", "placement"} <= {topic for topic, _ in names}
